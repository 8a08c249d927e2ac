/** Prints docs/errors.md: each bad input with the message that the product really gives. Run by hand: `node e2e/bad-input-table.ts > docs/errors.md`. */
import os from 'node:os';
import path from 'node:path';
import { badInputs } from './bad-input-cases.ts';
import { Product, ROOT, mayUnshare } from './product.ts';

const unshare = mayUnshare();
console.log('# What goes wrong, and what it says\n');
console.log(
  'Made by `node e2e/bad-input-table.ts` from real runs (paths shortened); `e2e/bad-input.test.ts` holds each of them.\n',
);
console.log('| bad input | message and hint | exit |\n|---|---|---|');
for (const input of badInputs) {
  if (input.unshare === true && !unshare) continue;
  const product = new Product();
  try {
    const { status, stderr } = await input.run(product, path.join(product.folder, 'out'));
    const lines = stderr.split('\n').filter((line) => line.trim() !== '');
    const begin = lines.findIndex((line) => line.startsWith('error: '));
    const text = lines
      .slice(begin)
      .slice(0, 8)
      .join('<br>')
      .replaceAll(product.folder, 'TMP')
      .replaceAll(ROOT, '.')
      .replaceAll(os.homedir(), '~')
      .replaceAll('|', '\\|');
    console.log(`| ${input.name} | ${text} | ${String(status)} |`);
  } finally {
    product.remove();
  }
}
