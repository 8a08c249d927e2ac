/** What floats: dialogs, questions, messages. */
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FolderDialog } from '../../components/folder-dialog.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.tsx';
import { formatAddress, go } from '../../navigation/address.ts';
import styles from './states-screen.module.css';

export function Floating() {
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'folder' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <Section title="Floating" padded>
      <div className={styles.line}>
        <Button onPress={() => setOpen('dialog')}>Dialog</Button>
        <Button onPress={() => setOpen('confirm')}>Question</Button>
        <Button onPress={() => setOpen('folder')}>Folders</Button>
        <Button onPress={() => toast('Copied: the address', { kind: 'good' })}>Message</Button>
        <Button onPress={() => toast('Note changed', { undo: () => toast('As it was') })}>Message with undo</Button>
        <Button onPress={() => toast('Could not write the note: the disk is full', { kind: 'bad' })}>
          Bad message
        </Button>
        <Button onPress={() => go(formatAddress(['nowhere']))}>Unknown address</Button>
      </div>
      {open === 'dialog' && (
        <Dialog title="A dialog" onClose={close} actions={<Button onPress={close}>Done</Button>}>
          <p className="small">Tab stays inside, Escape leaves, and the focus goes back to where it was.</p>
        </Dialog>
      )}
      {open === 'confirm' && (
        <Confirm title="Stop select-b0.1-3ep?" action="Stop" danger onConfirm={close} onClose={close}>
          It writes a checkpoint at step 1,726, which takes about 20 s, and then ends. It can be resumed.
        </Confirm>
      )}
      {open === 'folder' && (
        <FolderDialog
          title="Choose a rows folder"
          from=""
          onClose={close}
          onChoose={(folder) => {
            close();
            toast(`Chosen: ${folder}`);
          }}
        />
      )}
    </Section>
  );
}
