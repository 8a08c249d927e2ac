/** What carries requests and pushes. */
import type { PushName, RequestName } from '../../main/contract/window/names.ts';
import type { Reply } from '../../main/contract/window/reply.ts';

export interface Link {
  /** Throws CallError `disconnected`. */
  call: (name: RequestName, input: unknown) => Promise<Reply>;
  on: (name: PushName, take: (payload: unknown) => void) => () => void;
}
