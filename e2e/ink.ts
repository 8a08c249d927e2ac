/** Whether a chart has drawn anything: a blank one is fast, quiet and wrong. */
import type { Locator } from 'playwright-core';

/** Pixels of all canvases below `where` that are not transparent, and the sum of their places, which changes when the drawing does. */
export function canvasInk(where: Locator): Promise<{ pixels: number; shape: number }> {
  return where.evaluate((element) => {
    let pixels = 0;
    let shape = 0;
    for (const canvas of element.querySelectorAll('canvas')) {
      const context = canvas.getContext('2d');
      if (!context || canvas.width === 0 || canvas.height === 0) continue;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 3; at < data.length; at += 4)
        if ((data[at] ?? 0) > 0) {
          pixels += 1;
          shape = (shape + at) % 1_000_000_007;
        }
    }
    return { pixels, shape };
  });
}
