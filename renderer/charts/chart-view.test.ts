import { describe, expect, it, vi } from 'vitest';

vi.stubGlobal('location', { pathname: '/', search: '' });
vi.stubGlobal('addEventListener', () => undefined);
const { formatView, parseEma, parseView, usualEma } = await import('./chart-view.ts');

describe('the view in the address', () => {
  it('comes back as it was', () => {
    const view = { x: 'steps', from: 8000, to: 11_000.5, ema: 0.9, log: true, clip: false, at: 1184 } as const;
    const entries = Object.entries(formatView(view, 3000)).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    expect(parseView(Object.fromEntries(entries), 3000)).toEqual(view);
  });

  it('is short for what is usual', () => {
    const usual = parseView({}, 3000);
    expect(usual).toEqual({ x: 'rows', from: null, to: null, ema: 0.98, log: false, clip: true, at: null });
    expect(Object.values(formatView(usual, 3000)).every((entry) => entry === undefined)).toBe(true);
    expect(usualEma(60)).toBe(0.8);
  });

  it('holds out nonsense', () => {
    const nonsense = { x: 'furlongs', from: '9', to: '3', ema: '2', log: 'yes', clip: '', at: '-4' };
    expect(parseView(nonsense, 3000)).toEqual(parseView({}, 3000));
    expect(parseEma('1')).toBeNull();
    expect(parseEma('')).toBeNull();
    expect(parseEma('0')).toBe(0);
    expect(parseEma('0,98')).toBe(0.98);
  });
});
