import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { badInputs } from './bad-input-cases.ts';
import { Product, mayUnshare } from './product.ts';

let product: Product;
beforeEach(() => {
  product = new Product();
});
afterEach(() => product.remove());

const unshare = mayUnshare();

for (const input of badInputs) {
  test.skipIf(input.unshare === true && !unshare)(`${input.name}: a clear error, nothing half-made`, async () => {
    const out = path.join(product.folder, 'out');
    const { status, stderr } = await input.run(product, out);
    expect(stderr).toMatch(/^error: /m);
    for (const pattern of input.says) expect(stderr).toMatch(pattern);
    // A stack is for us, not for users.
    expect(stderr).not.toMatch(/^\s+at .*\.ts:\d+/m);
    expect(status).not.toBe(0);
    if (input.outExists !== true) expect(existsSync(out)).toBe(false);
    else expect(readdirSync(out).filter((name) => name === 'DONE' || name.endsWith('.safetensors'))).toEqual([]);
  });
}
