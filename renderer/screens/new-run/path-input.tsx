/** A folder on the host: typed, or chosen by browsing. */
import { TextInput, type FieldState } from '../../components/text-input.tsx';

interface PathInputProps {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  state: FieldState;
  describedBy: string | undefined;
  placeholder?: string;
}

export function PathInput(props: PathInputProps) {
  return <TextInput {...props} mono />;
}
