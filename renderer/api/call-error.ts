/** How a request fails: a refusal of the main process, or the connection. */
import type { WireError } from '../../main/contract/window/reply.ts';

/** `code` is the main process's, or `disconnected`: the connection broke, or is not there. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor({ code, message, hint }: WireError) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.hint = hint;
  }

  /** Anything thrown as a CallError; what is not one is a bug of the window. */
  static from(fault: unknown): CallError {
    if (fault instanceof CallError) return fault;
    const message = fault instanceof Error ? fault.message : String(fault);
    return new CallError({
      code: 'internal',
      message: `a fault of this window: ${message}`,
      hint: 'Reload the window.',
    });
  }
}

export function disconnected(reason: string): CallError {
  return new CallError({
    code: 'disconnected',
    message: reason === '' ? 'not connected to the main process' : `not connected to the main process: ${reason}`,
    hint: 'Runs go on. What is shown comes up to date by itself when the connection is back.',
  });
}
