/**
 * Writes demo/rows: about sixty episodes in the format of real rows folders, with everything in them that a reader has to cope with.
 * The same bytes every time on the same Chromium.
 *
 *     node demo/scripts/make-rows.ts
 */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compress, Drawer } from './draw.ts';
import type { ImageKind } from './draw.ts';
import { families, makers } from './episodes.ts';
import type { Episode, Family, Step } from './episodes.ts';
import { numberItems } from './page.ts';
import { historyLine, houseVoice, messages, opNames, spacedJson, target } from './prompt.ts';
import type { Message } from './prompt.ts';
import { Random } from './random.ts';

const rowsFolder = join(import.meta.dirname, '..', 'rows');
const dates = ['2026-02-03', '2026-03-14', '2026-04-21', '2026-05-09', '2026-06-30'];

interface Row {
  task_id: string;
  step: number;
  segment: number;
  macro: string;
  family: string;
  op: string;
  resolved: boolean;
  memory_by: string;
  final_by?: string;
  inject?: true;
  aug_prefix?: true;
  messages: Message[];
  target: string;
}

/** How an episode departs from the ordinary: one 1280x800 PNG a row. */
interface Look {
  kind: ImageKind;
  height: number;
  /** No screenshots at all. */
  textOnly: boolean;
  /** From the second step on, the screenshot before stands beside the current one. */
  twoImages: boolean;
  /** The first page is a 200x120 window, smaller than the processor's least size. */
  tiny: boolean;
}

const ordinary: Look = { kind: 'png', height: 800, textOnly: false, twoImages: false, tiny: false };

/** An episode that is drawn and named, so that variants can be made from it. */
interface Drawn {
  id: string;
  episode: Episode;
  look: Look;
  today: string;
  maxSteps: number;
  /** File name -> bytes, in the order of the steps. */
  images: { name: string; bytes: Buffer }[];
  rows: Row[];
}

const fraction = (id: string): number =>
  parseInt(createHash('md5').update(id).digest('hex').slice(0, 8), 16) / 0xffffffff;

/** The first free id of that kind that is, or is not, in the held-out twentieth. */
function chooseId(macro: string, heldOut: boolean, used: Set<string>): string {
  for (let number = 1; ; number++) {
    const id = `${macro}-${String(number).padStart(3, '0')}`;
    if (used.has(id) || fraction(id) < 0.05 !== heldOut) continue;
    used.add(id);
    return id;
  }
}

function row(drawn: Drawn, at: number, fields: Partial<Row> & { messages: Message[]; target: string }): Row {
  const step = drawn.episode.steps[at];
  if (!step) throw new Error(`${drawn.id} has no step ${String(at)}`);
  const op = opNames[step.action.kind];
  return {
    task_id: drawn.id,
    step: at,
    segment: 0,
    macro: drawn.episode.macro,
    family: drawn.episode.family,
    op,
    resolved: true,
    memory_by: at % 3 === 2 ? 'base' : 'template',
    ...(op === 'done' && drawn.episode.family === 'Reasoning base' ? { final_by: 'model' } : {}),
    ...fields,
  };
}

async function draw(drawer: Drawer, id: string, episode: Episode, look: Look, random: Random): Promise<Drawn> {
  const drawn: Drawn = {
    id,
    episode,
    look,
    today: random.pick(dates),
    maxSteps: random.integer(6, 20),
    images: [],
    rows: [],
  };
  for (const [at, step] of episode.steps.entries()) {
    step.page.height = look.height;
    if (look.tiny && at === 0) Object.assign(step.page, { width: 200, height: 120 });
    numberItems(step.page, fraction(id) * 0xffffffff);
    const screenshot = await drawer.draw(step.page);
    if (!look.textOnly)
      drawn.images.push({
        name: `step-${String(at).padStart(2, '0')}.${look.kind}`,
        bytes: await compress(screenshot, look.kind),
      });
  }
  episode.steps.forEach((_, at) => {
    drawn.rows.push(
      row(drawn, at, {
        messages: messages(episode, at, { images: imagesOf(drawn, at), today: drawn.today, maxSteps: drawn.maxSteps }),
        target: target(episode, at, houseVoice, drawn.maxSteps),
      }),
    );
  });
  return drawn;
}

function imagesOf(drawn: Drawn, at: number): string[] {
  const name = drawn.images[at]?.name;
  if (name === undefined) return [];
  const before = drawn.images[at - 1]?.name;
  return drawn.look.twoImages && before !== undefined ? [before, name] : [name];
}

async function write(
  folder: string,
  rows: readonly Row[],
  images: readonly { name: string; bytes: Buffer }[],
  episode: Record<string, unknown> | null,
): Promise<void> {
  const path = join(rowsFolder, folder);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'rows.jsonl'), rows.map((one) => `${spacedJson(one)}\n`).join(''));
  for (const image of images) await writeFile(join(path, image.name), image.bytes);
  if (episode) await writeFile(join(path, 'episode.json'), `${JSON.stringify(episode, null, 1)}\n`);
}

/** A wrong click at step `slip`, which the next row sees in its history and puts right. */
async function writeRecovery(source: Drawn): Promise<void> {
  const id = `${source.id}~rec`;
  const slip = 1;
  const step = source.episode.steps[slip];
  if (!step) throw new Error(`${source.id} is too short for a recovery`);
  const wrongItem = step.page.items.find(
    (item) => item.index !== undefined && (step.action.kind !== 'click' || item !== step.action.item),
  );
  if (!wrongItem) throw new Error(`${source.id} has nothing to click by mistake`);
  const wrong: Step = {
    page: step.page,
    action: { kind: 'click', item: wrongItem },
    goal: `open ${wrongItem.label}`,
    past: `clicked ${wrongItem.label} by mistake`,
  };
  const steps = [...source.episode.steps.slice(0, slip), wrong, ...source.episode.steps.slice(slip)];
  const episode: Episode = { ...source.episode, steps };
  const drawn: Drawn = { ...source, id, episode, images: source.images, rows: [] };
  const imageAt = (at: number): string[] => {
    const name = source.images[at > slip ? at - 1 : at]?.name;
    return name === undefined ? [] : [name];
  };
  const rows = steps.map((_, at) =>
    row(drawn, at, {
      messages: messages(episode, at, { images: imageAt(at), today: source.today, maxSteps: source.maxSteps }),
      target: target(episode, at, houseVoice, source.maxSteps),
      ...(at < slip ? { aug_prefix: true as const } : {}),
      ...(at === slip ? { inject: true as const, resolved: false } : {}),
    }),
  );
  await write(id, rows, source.images, { task_id: id, source: source.id, inject_at: slip });
}

/** Two episodes one after the other under one request; the first one's report is left out. */
async function writeChain(id: string, parts: readonly Drawn[]): Promise<void> {
  const request = parts
    .map((part, order) => (order === 0 ? `First: ${part.episode.request}` : `Then: ${part.episode.request}`))
    .join(' ');
  const steps = parts.flatMap((part, order) =>
    part.episode.steps
      .slice(0, order === parts.length - 1 ? undefined : -1)
      .map((step, at) => ({ part, order, step, at })),
  );
  const files = parts.flatMap((part) => part.episode.files);
  const images: { name: string; bytes: Buffer }[] = [];
  const rows = steps.map(({ part, order, at, step }, position) => {
    const episode: Episode = { ...part.episode, request, files, steps: steps.map((one) => one.step) };
    const source = part.images[at];
    const name = source === undefined ? null : `part${String(order)}-${source.name}`;
    if (source !== undefined && name !== null) images.push({ name, bytes: source.bytes });
    const history = steps.slice(0, position).map((one, earlier) => historyLine(one.step, earlier + 1));
    const maxSteps = parts.reduce((sum, one) => sum + one.maxSteps, 0);
    return {
      ...row({ ...part, id, episode }, position, {
        messages: messages(episode, position, {
          images: name === null ? [] : [name],
          history,
          request,
          today: part.today,
          maxSteps,
        }),
        target: target(episode, position, houseVoice, maxSteps),
      }),
      segment: order,
      op: opNames[step.action.kind],
    };
  });
  await write(id, rows, images, { task_id: id, parts: parts.map((part) => part.id) });
}

/** The departures from the ordinary, by family and number of the episode in it. */
const looks: Readonly<Record<string, Partial<Look>>> = {
  'Drag & gesture 1': { kind: 'jpg' },
  'Drag & gesture 4': { height: 720 },
  'Discrete selection 1': { height: 720 },
  'Discrete selection 4': { textOnly: true },
  'Text entry 0': { kind: 'jpg' },
  'Text entry 3': { tiny: true },
  'Form transaction 1': { twoImages: true },
  'Form transaction 4': { kind: 'jpg', height: 720 },
  'Navigation 2': { twoImages: true },
  'Navigation 5': { textOnly: true },
  'Out-of-page I/O 3': { textOnly: true },
  'Out-of-page I/O 5': { kind: 'jpg' },
  'Reasoning base 2': { height: 720 },
  'Reasoning base 6': { textOnly: true },
};

/** Texts with letters of two, three and four bytes, so that a tokenizer's offsets are put to the test: by number of the episode. */
const typed: Readonly<Record<string, RegExp>> = {
  'Text entry 1': /\p{Extended_Pictographic}/u,
  'Text entry 2': /[\u00c0-\u024f]/u,
  'Text entry 4': /\p{Script=Han}/u,
};

function makeTyping(random: Random, maker: (random: Random) => Episode, wanted: RegExp | undefined): Episode {
  for (;;) {
    const episode = maker(random);
    if (!wanted || episode.steps.some(({ action }) => action.kind === 'input' && wanted.test(action.text)))
      return episode;
  }
}

const perFamily = 7;

async function main(): Promise<void> {
  await rm(rowsFolder, { recursive: true, force: true });
  const drawer = await Drawer.open();
  const used = new Set<string>();
  const byFamily = new Map<Family, Drawn[]>();
  try {
    for (const [familyNumber, family] of families.entries()) {
      const random = new Random(9000 + familyNumber);
      let heldOutRows = 0;
      const all: Drawn[] = [];
      for (let number = 0; number < perFamily; number++) {
        const maker = makers[family][number % makers[family].length];
        if (!maker) throw new Error(`no maker for ${family}`);
        const episode = makeTyping(random, maker, typed[`${family} ${String(number)}`]);
        // Held out are an early and, until there are four rows, later ones: other kinds of task stay in both parts.
        const heldOut = number % 2 === 1 && heldOutRows < 4;
        if (heldOut) heldOutRows += episode.steps.length;
        const id = chooseId(episode.macro, heldOut, used);
        all.push(await draw(drawer, id, episode, { ...ordinary, ...looks[`${family} ${String(number)}`] }, random));
      }
      byFamily.set(family, all);
    }
  } finally {
    await drawer.close();
  }
  const plain = (family: Family, number: number): Drawn => {
    const found = byFamily.get(family)?.[number];
    if (!found) throw new Error(`no episode ${String(number)} of ${family}`);
    return found;
  };
  // Two rows whose action mask cannot be told: one without an action, one whose target begins with a line break.
  const planner = plain('Reasoning base', 0).rows[0];
  const broken = plain('Text entry', 2).rows[1];
  if (!planner || !broken) throw new Error('the rows that are to fall back are missing');
  planner.target = spacedJson({
    memory: 'Turn 1, no page needed yet. Pending now: make a plan.',
    plan: ['extract the prices', 'answer with the cheapest'],
  });
  planner.op = 'plan';
  broken.target = `\n${broken.target}`;
  for (const family of families) {
    for (const [number, drawn] of (byFamily.get(family) ?? []).entries()) {
      // Some pools have no episode.json, or one without parts.
      await write(
        drawn.id,
        drawn.rows,
        drawn.images,
        number === 6 ? null : { task_id: drawn.id, family, steps: drawn.rows.length },
      );
    }
    await writeRecovery(plain(family, family === 'Text entry' ? 1 : 2));
  }
  const pairs: [Family, number, Family, number][] = [
    ['Navigation', 0, 'Form transaction', 0],
    ['Discrete selection', 0, 'Out-of-page I/O', 0],
    ['Text entry', 0, 'Drag & gesture', 0],
    ['Navigation', 1, 'Reasoning base', 4],
  ];
  for (const [order, [one, first, other, second]] of pairs.entries()) {
    await writeChain(`chain-${String(order + 1).padStart(3, '0')}`, [plain(one, first), plain(other, second)]);
  }
  // A folder that readers skip, with the note of how the rest was made.
  await mkdir(join(rowsFolder, '_about'), { recursive: true });
  await writeFile(join(rowsFolder, '_about', 'rows.jsonl'), 'folders that begin with an underscore are not read\n');
}

await main();
