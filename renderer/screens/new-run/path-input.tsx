/** A folder on the host: typed, or chosen by browsing. */
import { FolderField } from '../../components/folder-field.tsx';
import type { FieldState } from '../../components/text-input.tsx';

interface PathInputProps {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  state: FieldState;
  describedBy: string | undefined;
  placeholder?: string | undefined;
  /** Of the dialog: Choose a rows folder. */
  title?: string | undefined;
}

export function PathInput(props: PathInputProps) {
  return <FolderField {...props} />;
}
