/**
 * A stand-in for the archive that Electron is published as, to package with where it cannot be had. What comes of it has the form of a package and cannot be
 * started: `whetstone` in it is a script that says so.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ROOT } from './product.ts';

interface ZipEntry {
  name: string;
  content: Buffer;
  mode: number;
}

export const stubNotice = 'this is a stub that packaging is tested with, not Electron';

/** Writes electron-vVERSION-linux-ARCH.zip into `folder`, under the name that Electron Packager looks for. */
export function writeStubElectron(folder: string): void {
  const manifest = path.join(ROOT, 'node_modules/electron/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const file = (name: string, text: string, mode = 0o644): ZipEntry => ({ name, content: Buffer.from(text), mode });
  const entries = [
    file('electron', `#!/bin/sh\necho ${stubNotice} >&2\nexit 1\n`, 0o755),
    file('version', version),
    file('LICENSE', 'stub'),
    file('LICENSES.chromium.html', 'stub'),
    // Electron's own default app, which a package has to have replaced.
    file('resources/default_app.asar', 'stub'),
  ];
  writeFileSync(path.join(folder, `electron-v${version}-linux-${process.arch}.zip`), zip(entries));
}

/** A zip file with everything stored as it is. */
function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const index: Buffer[] = [];
  let at = 0;
  for (const { name, content, mode } of entries) {
    const title = Buffer.from(name);
    // Version 2.0, no flags, stored, 1 January 2026, sizes and checksum.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(((2026 - 1980) << 9) | (1 << 5) | 1, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, title, content]);
    const rest = Buffer.alloc(14);
    // Of a regular file on Unix.
    rest.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    index.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, title);
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(index);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}
