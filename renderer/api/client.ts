/**
 * Asking the main process and hearing from it, the same over Electron's bridge and over a WebSocket. The only room that knows which of the two it is.
 */
import type { PushName, RequestName } from '../../main/contract/window/names.ts';
import type { Pushes } from '../../main/contract/window/pushes.ts';
import type { WireError } from '../../main/contract/window/reply.ts';
import type { RequestAnswer, RequestInput } from '../../main/contract/window/requests.ts';

/** A refusal of the main process, or `disconnected`. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor({ code, message, hint }: WireError) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.hint = hint;
  }
}

/** Throws CallError. Waits for the connection while it is being made; fails with `disconnected` when it breaks before the answer. */
export function call<Name extends RequestName>(_name: Name, _input: RequestInput<Name>): Promise<RequestAnswer<Name>> {
  throw new Error('to be written');
}

/** Calls back at every push of that name, over reconnections too; the answer ends it. */
export function onPush<Name extends PushName>(_name: Name, _take: (payload: Pushes[Name]) => void): () => void {
  throw new Error('to be written');
}
