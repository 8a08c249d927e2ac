/** Why one row cannot be used. It is caught where file and line are known and becomes a BadRow; it never leaves main/datasets or main/encode. */
export class RowFault extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}
