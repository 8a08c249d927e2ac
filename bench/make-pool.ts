/** A rows folder of the size that people have (4,614 episodes, 27,646 rows, one 1280x800 screenshot a row), with short prompts: for benches alone. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { knownFamilies } from '../main/recipes/webmix/families.ts';

/** Returns the number of rows made. The screenshots are hard links of one file, so that the disk holds one. */
export async function makePool(folder: string, episodes = 4614, rowsInAll = 27_646): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const screenshot = path.join(folder, '_screenshot.png');
  const background = { r: 240, g: 240, b: 244 };
  writeFileSync(
    screenshot,
    await sharp({ create: { width: 1280, height: 800, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  let made = 0;
  for (let e = 0; e < episodes; ++e) {
    const rows = Math.floor(((e + 1) * rowsInAll) / episodes) - Math.floor((e * rowsInAll) / episodes);
    const name = `task-${String(e).padStart(5, '0')}`;
    const episode = path.join(folder, name);
    mkdirSync(episode);
    let lines = '';
    for (let step = 0; step < rows; ++step, ++made) {
      linkSync(screenshot, path.join(episode, `step-${step}.png`));
      lines += `${JSON.stringify({
        task_id: name,
        step,
        segment: 0,
        macro: 'bench',
        family: knownFamilies[e % knownFamilies.length],
        op: step === rows - 1 ? 'done' : 'click',
        resolved: true,
        memory_by: 'base',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: `<user_request>Open item ${made}.</user_request>` },
              { type: 'image_url', image_url: { url: `step-${step}.png` } },
            ],
          },
        ],
        target: JSON.stringify({ memory: `Opened ${made}.`, action: [{ click: { index: step } }] }),
      })}\n`;
    }
    writeFileSync(path.join(episode, 'rows.jsonl'), lines);
  }
  return made;
}
