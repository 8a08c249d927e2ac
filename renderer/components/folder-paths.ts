/** Paths of the host's folders as text: the host may be another system than the window's, so nothing is asked of the window's. */

/** `/data/rows` is [{ '/', '/' }, { 'data', '/data' }, { 'rows', '/data/rows' }]. */
export function crumbsOf(folder: string): { name: string; folder: string }[] {
  const names = folder.split('/').filter((name) => name !== '');
  return [
    { name: '/', folder: '/' },
    ...names.map((name, index) => ({ name, folder: `/${names.slice(0, index + 1).join('/')}` })),
  ];
}

export const joinFolder = (folder: string, name: string): string =>
  folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
