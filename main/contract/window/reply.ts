/** How an answer or a fault crosses. Electron keeps only the message of a thrown error, so both transports carry an envelope and behave alike. */

/** An AppError on the wire. `internal`: a bug of ours, whose text is in the log of the main process. */
export interface WireError {
  code: string;
  message: string;
  hint: string | null;
}

export type Reply = { ok: true; value: unknown } | { ok: false; error: WireError };

/** What the preload script puts into the window as `whetstoneBridge`. */
export interface Bridge {
  call: (name: string, input: unknown) => Promise<Reply>;
  /** Calls back at every push of that name; the answer ends it. */
  on: (name: string, take: (payload: unknown) => void) => () => void;
}
