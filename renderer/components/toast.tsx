/** A short word about what just happened, at the bottom; with `undo` it stays longer and can be taken back. Read out as it appears. */
import { create } from 'zustand';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { sayIcons, type SayKind } from './say.tsx';
import styles from './toast.module.css';

interface Toast {
  id: number;
  text: string;
  kind: SayKind;
  undo: (() => void) | undefined;
}

const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));
let nextId = 1;

function dismiss(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** Shows `text` for 5 s, or 10 s where it can be undone; at most three at a time. What must not be missed belongs into the screen, not here. */
export function toast(text: string, options: { undo?: () => void; kind?: SayKind } = {}): void {
  const { undo, kind = 'info' } = options;
  const id = nextId++;
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-2), { id, text, kind, undo }] }));
  setTimeout(() => dismiss(id), undo ? 10_000 : 5_000);
}

export function Toasts() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <div className={styles.toasts} role="status" aria-label="Messages">
      {toasts.map(({ id, text, kind, undo }) => (
        <div key={id} className={styles.toast} data-kind={kind}>
          <Icon name={sayIcons[kind]} />
          <span>{text}</span>
          {undo && (
            <Button
              small
              onPress={() => {
                dismiss(id);
                undo();
              }}
            >
              Undo
            </Button>
          )}
          <Button kind="text" small label="Dismiss" onPress={() => dismiss(id)}>
            <Icon name="cross" size={9} />
          </Button>
        </div>
      ))}
    </div>
  );
}
