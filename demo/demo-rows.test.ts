/**
 * The demo's rows are data that other tests, the demo run and readers of the documentation lean on: what has to be in them is checked
 * here, with readers of our own that share no code with the product.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownFamilies } from '../main/recipes/webmix/families.ts';

interface DemoRow {
  task_id: string;
  step: number;
  segment: number;
  macro: string;
  family: string;
  op: string;
  resolved: boolean;
  memory_by: string;
  final_by?: string;
  inject?: boolean;
  aug_prefix?: boolean;
  messages: { role: string; content: string | { type: string; text?: string; image_url?: { url: string } }[] }[];
  target: string;
}

interface DemoImage {
  kind: 'png' | 'jpg';
  width: number;
  height: number;
}

const demo = import.meta.dirname;
const rowsFolder = join(demo, 'rows');

const episodes = readdirSync(rowsFolder)
  .filter((name) => !name.startsWith('_'))
  .sort();
const rows = episodes.flatMap((episode) =>
  readFileSync(join(rowsFolder, episode, 'rows.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ episode, ...(JSON.parse(line) as DemoRow) })),
);
const used = rows.filter((row) => row.inject !== true && row.aug_prefix !== true);

function partsOf(episode: string): string[] | null {
  const path = join(rowsFolder, episode, 'episode.json');
  if (!existsSync(path)) return null;
  return (JSON.parse(readFileSync(path, 'utf8')) as { parts?: string[] }).parts ?? null;
}

function heldOut(row: { episode: string; task_id: string }): boolean {
  const trajectories = partsOf(row.episode) ?? [row.task_id.split('~')[0] ?? ''];
  return trajectories.some(
    (id) => parseInt(createHash('md5').update(id).digest('hex').slice(0, 8), 16) / 0xffffffff < 0.05,
  );
}

function imageNames(row: DemoRow): string[] {
  return row.messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => (part.image_url === undefined ? [] : [part.image_url.url])),
  );
}

/** Kind and size from the file's own header. */
function imageOf(path: string): DemoImage {
  const bytes = readFileSync(path);
  if (bytes.readUInt32BE(0) === 0x89504e47)
    return { kind: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.readUInt16BE(0) !== 0xffd8) throw new Error(`${path} is neither PNG nor JPEG`);
  for (let at = 2; at < bytes.length;) {
    const marker = bytes.readUInt16BE(at);
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { kind: 'jpg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  throw new Error(`${path} has no frame`);
}

const images = new Map(
  rows.flatMap((row) =>
    imageNames(row).map((name) => [join(rowsFolder, row.episode, name), imageOf(join(rowsFolder, row.episode, name))]),
  ),
);

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

describe('demo rows', () => {
  it('are about sixty episodes over all seven families, each with held-out rows', () => {
    expect(episodes.length).toBeGreaterThanOrEqual(55);
    expect(episodes.length).toBeLessThanOrEqual(65);
    expect([...new Set(used.map((row) => row.family))].sort()).toEqual([...knownFamilies].sort());
    for (const family of knownFamilies) {
      const ofFamily = used.filter((row) => row.family === family);
      expect(ofFamily.filter(heldOut).length, `held-out rows of ${family}`).toBeGreaterThanOrEqual(4);
      expect(ofFamily.filter((row) => !heldOut(row)).length, `training rows of ${family}`).toBeGreaterThanOrEqual(10);
    }
    const total = used.filter(heldOut).length;
    expect(total).toBeGreaterThanOrEqual(30);
    expect(total).toBeLessThanOrEqual(45);
  });

  it('have every field of the row format', () => {
    for (const row of rows) {
      expect(row.task_id).toBe(row.episode);
      expect(row.messages.map((message) => message.role)).toEqual(['system', 'user']);
      for (const field of ['macro', 'family', 'op', 'memory_by', 'target'] as const)
        expect(row[field], field).toBeTypeOf('string');
      expect(row.step).toBeTypeOf('number');
      expect(row.segment).toBeTypeOf('number');
      expect(row.resolved).toBe(row.inject !== true);
    }
    expect(rows.some((row) => row.final_by !== undefined)).toBe(true);
    expect(new Set(rows.map((row) => row.memory_by)).size).toBeGreaterThan(1);
    expect(used.some((row) => row.op === 'done')).toBe(true);
  });

  it('have the blocks of the prompt in order', () => {
    for (const row of rows) {
      const content = row.messages[1]?.content ?? '';
      const text = typeof content === 'string' ? content : (content[0]?.text ?? '');
      const places = ['<user_request>', '<agent_history>', '<agent_state>', '<browser_state>', '<step_info>'].map(
        (block) => text.indexOf(block),
      );
      expect(
        places.every((place, order) => place >= 0 && place > (places[order - 1] ?? -1)),
        `${row.episode} ${String(row.step)}`,
      ).toBe(true);
    }
  });

  it('name elements that are on the page and coordinates on the 0-1000 scale', () => {
    let coordinates = 0;
    for (const row of used) {
      const answer = JSON.parse(row.target) as { action?: Record<string, Record<string, unknown>>[] };
      const content = row.messages[1]?.content ?? '';
      const text = typeof content === 'string' ? content : (content[0]?.text ?? '');
      for (const [name, settings] of (answer.action ?? []).flatMap((action) => Object.entries(action))) {
        expect(name).toBe(row.op);
        if (typeof settings['index'] === 'number') expect(text).toContain(`[${String(settings['index'])}]<`);
        for (const key of ['coordinate_x', 'coordinate_y', 'start_x', 'start_y', 'end_x', 'end_y']) {
          const value = settings[key];
          if (typeof value !== 'number') continue;
          coordinates++;
          expect(Number.isInteger(value) && value >= 0 && value <= 1000, `${row.episode} ${key} ${String(value)}`).toBe(
            true,
          );
        }
      }
    }
    expect(coordinates).toBeGreaterThan(20);
  });

  it('hold the variants: recoveries with an injected and a prefix row, chains with parts', () => {
    const recoveries = episodes.filter((name) => name.endsWith('~rec'));
    expect(recoveries.length).toBeGreaterThanOrEqual(5);
    for (const name of recoveries) {
      const own = rows.filter((row) => row.episode === name);
      expect(episodes).toContain(name.slice(0, -4));
      expect(own.filter((row) => row.inject === true)).toHaveLength(1);
      expect(own.some((row) => row.aug_prefix === true)).toBe(true);
      expect(own.some((row) => row.inject !== true && row.aug_prefix !== true)).toBe(true);
    }
    expect(recoveries.some((name) => heldOut({ episode: name, task_id: name }))).toBe(true);
    const chains = episodes.filter((name) => name.startsWith('chain-'));
    expect(chains.length).toBeGreaterThanOrEqual(3);
    for (const name of chains) {
      const parts = partsOf(name) ?? [];
      expect(parts.length).toBeGreaterThanOrEqual(2);
      for (const part of parts) expect(episodes).toContain(part);
    }
    expect(chains.some((name) => heldOut({ episode: name, task_id: name }))).toBe(true);
    expect(chains.some((name) => !heldOut({ episode: name, task_id: name }))).toBe(true);
    expect(episodes.some((name) => !existsSync(join(rowsFolder, name, 'episode.json')))).toBe(true);
  });

  it('hold the unusual rows', () => {
    expect(used.filter((row) => imageNames(row).length === 0).length, 'text only').toBeGreaterThanOrEqual(4);
    expect(used.filter((row) => imageNames(row).length === 2).length, 'two images').toBeGreaterThanOrEqual(2);
    expect(
      used.some((row) => !row.target.includes('"action"')),
      'no action',
    ).toBe(true);
    expect(
      used.some((row) => row.target.startsWith('\n')),
      'line break first',
    ).toBe(true);
    const targets = used.map((row) => row.target).join('');
    expect(/[\u00c0-\u024f]/u.test(targets), 'two bytes a letter').toBe(true);
    expect(/\p{Script=Han}/u.test(targets), 'three bytes a letter').toBe(true);
    expect(/\p{Extended_Pictographic}/u.test(targets), 'four bytes a letter').toBe(true);
  });

  it('have images of both kinds and of several sizes', () => {
    const sizes = new Set(
      [...images.values()].map(({ kind, width, height }) => `${kind} ${String(width)}x${String(height)}`),
    );
    for (const wanted of ['png 1280x800', 'png 1280x720', 'png 200x120', 'jpg 1280x800', 'jpg 1280x720'])
      expect(sizes).toContain(wanted);
  });

  it('have a folder that readers skip', () => {
    expect(readdirSync(rowsFolder).some((name) => name.startsWith('_'))).toBe(true);
  });

  it('fit with the model into 12 MB', () => {
    expect(
      sizeOf(rowsFolder) +
        sizeOf(join(demo, 'scripts')) +
        readdirSync(join(demo, 'model'))
          .filter((name) => name !== 'candidates')
          .reduce((sum, name) => sum + sizeOf(join(demo, 'model', name)), 0),
    ).toBeLessThan(12_000_000);
  });
});
