/** The window's bundle: everything that vite built for it but fonts and icon (which are compressed as they are), each file gzipped at the usual level. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

export interface BundleFile {
  file: string;
  bytes: number;
  gzipped: number;
}

export interface Bundle {
  files: BundleFile[];
  /** MB (10^6) gzipped: scripts, styles and the page; and fonts and pictures as they are. */
  megabytes: number;
  otherMegabytes: number;
}

export function measureBundle(folder: string): Bundle {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry): BundleFile => {
      const bytes = readFileSync(path.join(entry.parentPath, entry.name));
      const file = path.relative(folder, path.join(entry.parentPath, entry.name));
      return { file, bytes: bytes.length, gzipped: gzipSync(bytes).length };
    })
    .sort((one, other) => other.gzipped - one.gzipped);
  const isCode = ({ file }: BundleFile): boolean => /\.(js|css|html)$/.test(file);
  if (!files.some(isCode)) throw new Error(`no window is built in ${folder}`);
  const sum = (of: readonly BundleFile[], what: 'bytes' | 'gzipped'): number =>
    of.reduce((total, each) => total + each[what], 0) / 1e6;
  return {
    files,
    megabytes: sum(files.filter(isCode), 'gzipped'),
    otherMegabytes: sum(
      files.filter((each) => !isCode(each)),
      'bytes',
    ),
  };
}
