/** The last lines of a text, without the line break at its end. */
export const lastLines = (text: string, count: number): string =>
  text.replace(/\n$/, '').split('\n').slice(-count).join('\n');

/**
 * A log record as it is read beside other lines: `rows=13700 of=22254 ce=0.3554`. It is written as JSON, with every digit; the whole log shows it so. Times lose
 * their milliseconds. Other lines stay as they are.
 */
export function shortLine(line: string): string {
  if (!line.startsWith('{"rows":')) return line.replace(/^(\d\d:\d\d:\d\d)\.\d{3} \[\d+\] /, '$1 ');
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return line;
  }
  if (record === null || typeof record !== 'object') return line;
  return Object.entries(record)
    .map(([key, value]) => `${key}=${typeof value === 'number' ? shortNumber(value) : JSON.stringify(value)}`)
    .join(' ');
}

const shortNumber = (value: number): string => (Number.isInteger(value) ? String(value) : value.toPrecision(4));
