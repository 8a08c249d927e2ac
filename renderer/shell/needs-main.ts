/** For what only the main process can do: `<Button disabledReason={useNeedsMain()}>`. Reading, copying and comparing go on without it. */
import { useConnection } from '../api/connection.ts';

/** Why it is off now; undefined while it is not. */
export const useNeedsMain = (): string | undefined =>
  useConnection((connection) => connection.state === 'up' || connection.generation === 0)
    ? undefined
    : 'needs the main process, which is not connected';
