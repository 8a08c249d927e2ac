/** Paths as they are shown: inside a folder that the form names, without it. */
export function shortPath(file: string, folders: readonly string[]): string {
  for (const folder of folders) {
    const root = folder.endsWith('/') ? folder : `${folder}/`;
    if (folder !== '' && file.startsWith(root)) return file.slice(root.length);
  }
  return file.split('/').slice(-2).join('/');
}
