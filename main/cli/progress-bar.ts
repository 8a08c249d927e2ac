/**
 * Progress on standard error: one line that is drawn anew on a terminal, a plain line now and then elsewhere (logs of batch systems). Standard output stays
 * for what other programs read.
 */
const barCells = 24;
const redrawMs = 100;
const plainMs = 10_000;

export interface Progress {
  /** `note` stands behind the numbers. */
  update(what: string, done: number, of: number, note?: string): void;
  /** Prints a line that stays, above the bar. */
  line(text: string): void;
  /** Takes the bar away. */
  clear(): void;
}

export function bar(done: number, of: number): string {
  const filled = of > 0 ? Math.round((barCells * Math.min(done, of)) / of) : 0;
  return `[${'#'.repeat(filled)}${'.'.repeat(barCells - filled)}]`;
}

export function createProgress(
  stream: NodeJS.WriteStream = process.stderr,
  print: (text: string) => void = console.log,
): Progress {
  const terminal = stream.isTTY;
  let shown = '';
  let last = 0;
  let lastWhat = '';
  let lastLine = '';
  const erase = (): void => {
    if (shown) stream.write('\r\x1b[2K');
  };
  return {
    update(what, done, of, note = '') {
      const now = Date.now();
      if (what !== lastWhat) {
        lastWhat = what;
        // A terminal shows something new at once; elsewhere only what takes long is worth a line.
        last = terminal ? 0 : now;
      }
      const ended = of > 0 && done >= of;
      if (!ended && now - last < (terminal ? redrawMs : plainMs)) return;
      last = now;
      const numbers = `${done}/${of}`;
      if (!terminal) {
        const text = `${what} ${numbers}${note ? `  ${note}` : ''}\n`;
        // An end may be told twice.
        if (text !== lastLine) stream.write(text);
        lastLine = text;
        return;
      }
      erase();
      shown = `${what} ${bar(done, of)} ${numbers}${note ? `  ${note}` : ''}`.slice(
        0,
        Math.max(20, stream.columns - 1),
      );
      stream.write(shown);
    },
    line(text) {
      erase();
      print(text);
      if (shown) stream.write(shown);
    },
    clear() {
      erase();
      shown = '';
    },
  };
}

/** 75 -> 1m15s. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(whole / 3600)}h${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`;
}
