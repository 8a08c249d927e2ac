/** Colours stand in renderer/styles/tokens.css alone: a colour anywhere else would be right in one theme and wrong in the other. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const renderer = path.resolve(import.meta.dirname, '..', 'renderer');
const tokens = path.join('styles', 'tokens.css');
const files = new Map(
  globSync('**/*.{css,ts,tsx}', { cwd: renderer })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .map((file) => [file, readFileSync(path.join(renderer, file), 'utf8')]),
);
const colour =
  /(?<!\.)#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b(?!\s*[(=:])|\b(?:rgba?|hsla?|oklch|oklab)\((?=\s*[\d.])/i;

/** Without comments, so that they can speak of issue #123. */
const spoken = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

describe('colours of the window', () => {
  it('are recognised', () => {
    for (const text of ['color: #fff;', "fill='#1d2327'", 'rgb(0 0 0 / 0.3)', 'rgba(0, 0, 0, 1)'])
      expect(text).toMatch(colour);
    for (const text of ['var(--fg)', 'this.#add(x)', '#bad(): void {', 'a#link', '#root {'])
      expect(text).not.toMatch(colour);
  });

  it('stand in tokens.css alone', () => {
    expect([...files.keys()]).toContain(tokens);
    const found = [...files].filter(([file, text]) => file !== tokens && colour.test(spoken(text)));
    expect(found.map(([file]) => file)).toEqual([]);
  });

  it('are there for every token that is used', () => {
    const known = new Set([...(files.get(tokens) ?? '').matchAll(/^\s*(--[\w-]+):/gm)].map((match) => match[1]));
    const unknown = [...files].flatMap(([file, text]) => {
      const own = new Set([...text.matchAll(/['"\s{(](--[\w-]+)['"]?\s*[:\]]/g)].map((match) => match[1]));
      return [...text.matchAll(/var\((--[\w-]+)\s*\)/g)]
        .map((match) => match[1])
        .filter((name) => !known.has(name) && !own.has(name))
        .map((name) => `${file}: ${name ?? ''}`);
    });
    expect(unknown).toEqual([]);
  });
});
