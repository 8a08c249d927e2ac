/** Text that is no good command: read as far as it goes, named where it does not, never run, never a fault of ours, and never slow. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { pasteCommand } from './paste-command.ts';

const base = 'python -m t --adapter drag --rows-dir /data/rows --lr 1e-4';
const paste = (text: string) => pasteCommand(text, {});

describe('pasted text', () => {
  it.each([
    ['an unclosed quote', `${base} --out "/out/a`, /quote is not closed/],
    ['an unclosed single quote', `${base} --out '/out/a`, /quote is not closed/],
    ['a substitution', `${base} --out $(rm -rf /tmp/x)/a`, /variables/],
    ['backticks', `${base} --out "\`date\`"`, /variables/],
    ['a variable', `${base} --out "$HOME/a"`, /variables/],
    ['a pipe and a redirection', `${base} 2>&1 | tee log.txt > /dev/null`, /left out/],
  ])('with %s keeps the rest and says so', (_name, text, says) => {
    const { request, notes } = paste(text);
    expect(request).toMatchObject({ rowsFolders: ['/data/rows'], settings: { adapter: 'drag', lr: 1e-4 } });
    expect(notes.join('\n')).toMatch(says);
  });

  it.each([
    '',
    ' ',
    '\0',
    '"',
    "'",
    '`',
    '$(',
    '\\',
    '&&',
    'rm -rf /',
    '#!/bin/sh',
    'python',
    'python -c "x --lr 1"',
    '<html>',
    '{}',
  ])('that is none (%j) is refused with what to paste', (text) => {
    try {
      paste(text);
      throw new Error('taken');
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect((error as AppError).hint).toContain('--adapter');
    }
  });

  it('with flags that are no settings names each', () => {
    const { request, notes } = paste(`${base} --__proto__ x --constructor --lr nan --rank 1e3 --toString=1`);
    expect(Object.getPrototypeOf(request.settings)).toBe(Object.prototype);
    for (const flag of ['--__proto__', '--constructor', '--rank', '--toString'])
      expect(notes.join('\n')).toContain(flag);
  });

  it('of the greatest length that is taken is read in time', () => {
    const began = performance.now();
    for (const piece of ['\\\n', '"', "'a'", '$(', 'a=b ', '--x y ', '((', '> ', '\\', 'sudo -u x ', '2>&1 ']) {
      const text = piece.repeat(Math.floor(90_000 / piece.length));
      for (const whole of [text, `${base} ${text}`]) {
        try {
          paste(whole);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }
    }
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
