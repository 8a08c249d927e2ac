/**
 * Writes what the base model is pre-trained on into the git-ignored demo/build: rows of the same kind as the demo's, from other seeds and in
 * other voices. None of the demo's rows is among them. Some pages are drawn; most rows have text only.
 *
 *     node demo/scripts/make-corpus.ts [rows] [drawn episodes]
 */
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { compress, Drawer } from './draw.ts';
import { families, makers } from './episodes.ts';
import type { Episode } from './episodes.ts';
import { inventPlaces, numberItems } from './page.ts';
import { houseVoice, messages, plainVoices, target } from './prompt.ts';
import { Random } from './random.ts';

const build = join(import.meta.dirname, '..', 'build');

function randomEpisode(random: Random): Episode {
  return random.pick(makers[random.pick(families)])(random);
}

async function main(): Promise<void> {
  const rowCount = Number(process.argv[2] ?? 40000);
  const drawnCount = Number(process.argv[3] ?? 110);
  await rm(join(build, 'pages'), { recursive: true, force: true });
  await mkdir(join(build, 'pages'), { recursive: true });
  const random = new Random(41);

  const drawn: { episode: Episode; images: string[] }[] = [];
  const drawer = await Drawer.open();
  try {
    for (let number = 0; number < drawnCount; number++) {
      const episode = randomEpisode(random);
      const images: string[] = [];
      for (const [at, step] of episode.steps.entries()) {
        if (random.chance(0.25)) step.page.height = 720;
        const name = `${String(number).padStart(4, '0')}-${String(at)}.png`;
        await writeFile(join(build, 'pages', name), await compress(await drawer.draw(step.page), 'png'));
        images.push(name);
      }
      drawn.push({ episode, images });
    }
  } finally {
    await drawer.close();
  }

  const file = createWriteStream(join(build, 'corpus.jsonl'));
  for (let number = 0; number < rowCount; number++) {
    const withImage = drawn.length > 0 && random.chance(0.25);
    const { episode, images } = withImage ? random.pick(drawn) : { episode: randomEpisode(random), images: [] };
    const salt = random.integer(0, 0x7fffffff);
    for (const step of episode.steps) {
      numberItems(step.page, salt);
      if (!withImage) inventPlaces(step.page, random);
    }
    const at = random.integer(0, episode.steps.length - 1);
    const image = images[at];
    const maxSteps = random.integer(4, 40);
    const today = `2026-0${String(random.integer(1, 9))}-${String(random.integer(10, 28))}`;
    // A few rows in the demo's own voice stand apart: the second stage of the pre-training may mix some in.
    const house = random.chance(0.06);
    const voice = house ? houseVoice : random.pick(plainVoices);
    const record = {
      messages: messages(episode, at, { images: image === undefined ? [] : [image], today, maxSteps }),
      target: target(episode, at, voice, maxSteps),
      house,
    };
    if (!file.write(`${JSON.stringify(record)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

await main();
