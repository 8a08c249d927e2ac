/**
 * The one error type that users see. Every fault of a user's input or machine is an AppError: `message` says what and where,
 * `hint` what to do about it. Anything else that is thrown is a bug of ours.
 */
export class AppError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.hint = hint;
  }
}

/** For the `default` of a switch over a union: a new member then fails to compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
