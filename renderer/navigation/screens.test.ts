import { describe, expect, it, vi } from 'vitest';

vi.stubGlobal('location', { pathname: '/', search: '' });
vi.stubGlobal('addEventListener', () => undefined);
const { resolveScreen } = await import('./screens.ts');

describe('addresses', () => {
  it('mean screens', () => {
    const screen = (path: string): unknown => resolveScreen(path.split('/').filter(Boolean)).screen;
    expect(['/', '/runs', '/runs/R', '/compare', '/new', '/rows', '/rows/ab12', '/rows/ab12/ep/6'].map(screen)).toEqual(
      ['runs', 'runs', 'run', 'compare', 'new-run', 'rows', 'rows', 'row'],
    );
    expect(['/machine', '/states'].map(screen)).toEqual(['machine', 'states']);
  });

  it('begin a run anew when it is another one', () => {
    expect(resolveScreen(['runs', 'a'])).not.toEqual(resolveScreen(['runs', 'b']));
  });

  it('that mean nothing offer the nearest thing', () => {
    expect(resolveScreen(['runs', 'a b', 'steps', '12'])).toMatchObject({
      screen: null,
      nearest: { address: '/runs/a%20b' },
    });
    expect(resolveScreen(['rows', 'ab12', 'ep'])).toMatchObject({ screen: null, nearest: { address: '/rows/ab12' } });
    expect(resolveScreen(['probes'])).toMatchObject({ screen: null, nearest: { address: '/runs' } });
  });
});
