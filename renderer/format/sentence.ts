/** Messages of the main process as sentences: a capital at the front, unless what stands there is a name, and a stop at the end. */
export function sentence(text: string, names: readonly string[] = []): string {
  const [first = ''] = text.split(' ');
  const isName = names.includes(first) || !/^[a-z]+[,:]?$/.test(first);
  const stop = /[.?:]$/.test(text) ? '' : '.';
  return `${isName ? text : text.charAt(0).toUpperCase() + text.slice(1)}${stop}`;
}
