/** A folder of the host: typed, or browsed for with the system's own dialog where the main process has one, with ours elsewhere. */
import { useState, type ReactNode } from 'react';
import { CallError } from '../api/call-error.ts';
import { call } from '../api/client.ts';
import { useAppInfo } from '../shell/app-info.ts';
import { useNeedsMain } from '../shell/needs-main.ts';
import { Button } from './button.tsx';
import { FolderDialog } from './folder-dialog.tsx';
import { TextInput, type FieldState } from './text-input.tsx';
import { toast } from './toast.tsx';
import styles from './folder-field.module.css';

interface FolderFieldProps {
  label: string;
  value: string;
  onChange: (folder: string) => void;
  state?: FieldState | undefined;
  describedBy?: string | undefined;
  placeholder?: string | undefined;
  suffix?: ReactNode;
  id?: string | undefined;
  /** Of the dialog: "Choose a rows folder". */
  title?: string | undefined;
  onEnter?: (() => void) | undefined;
  onBlur?: (() => void) | undefined;
}

export function FolderField(props: FolderFieldProps) {
  const { label, value, onChange, title = `Choose: ${props.label}`, state } = props;
  const [browsing, setBrowsing] = useState(false);
  const hasDialog = useAppInfo((app) => app.info?.folderDialog ?? false);
  const off = useNeedsMain();

  const browse = async (): Promise<void> => {
    if (!hasDialog) {
      setBrowsing(true);
      return;
    }
    try {
      const picked = await call('folders.pick', { title, from: value });
      if (picked !== null) onChange(picked);
    } catch (fault) {
      toast(CallError.from(fault).message, { kind: 'bad' });
    }
  };

  return (
    <span className={styles.field}>
      <TextInput
        label={label}
        id={props.id}
        mono
        value={value}
        onChange={onChange}
        state={state}
        describedBy={props.describedBy}
        placeholder={props.placeholder}
        suffix={props.suffix}
        onEnter={props.onEnter}
        onBlur={props.onBlur}
      />
      {state !== 'fixed' && (
        <Button label={`Browse: ${label}`} onPress={() => void browse()} disabledReason={off}>
          Browse…
        </Button>
      )}
      {browsing && (
        <FolderDialog
          title={title}
          from={value}
          onClose={() => setBrowsing(false)}
          onChoose={(folder) => {
            setBrowsing(false);
            onChange(folder);
          }}
        />
      )}
    </span>
  );
}
