/** The last lines of a text, without the line break at its end. */
export const lastLines = (text: string, count: number): string =>
  text.replace(/\n$/, '').split('\n').slice(-count).join('\n');
