/** Asks once, with the consequence in words. The action that changes nothing has the focus. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  /** The question: "Stop select-b0.1-3ep?" */
  title: string;
  /** What follows from it. */
  children: ReactNode;
  /** A verb: "Stop". */
  action: string;
  danger?: boolean | undefined;
  onConfirm: () => void;
  onClose: () => void;
  /** More ways, between the two ("Stop at once"). */
  others?: ReactNode;
}

export function Confirm({ title, children, action, danger = false, onConfirm, onClose, others }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      width={440}
      actions={
        <>
          <Button autoFocus onPress={onClose}>
            Cancel
          </Button>
          {others}
          <Button kind={danger ? 'danger' : 'primary'} onPress={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="small">{children}</div>
    </Dialog>
  );
}
