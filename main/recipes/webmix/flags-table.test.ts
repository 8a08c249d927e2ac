/** Every flag of the Python trainer and every setting of ours, each with its default, how it is read, where the form has it, and what it does to the plan. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../contract/plan.ts';
import { readFlags } from '../flags.ts';
import { webmixFlags } from './flags.ts';
import { webmixGroups } from './groups.ts';
import { planWebmix, prepareWebmix } from './plan.ts';
import { parseWebmixSettings, webmixSettings } from './settings.ts';
import type { WebmixSettings } from './settings.ts';
import { madePool, madeTarget } from './testing/made-pool.ts';

/** Three families, episodes of four steps whose last is `done`, every third one a recovery, every fifth a chain. */
const pool = madePool(
  ['Drag & gesture', 'Discrete selection', 'Navigation'].flatMap((family, f) =>
    Array.from({ length: 480 }, (_, i) => {
      const episode = i >> 2;
      const end = episode % 3 === 0 ? '~rec' : '';
      const taskId = `${episode % 5 === 1 ? 'chain-' : ''}f${f}-${episode}${end}`;
      return { taskId, family, op: i % 4 === 3 ? 'done' : 'click' };
    }),
  ),
);

interface Planned {
  plan: Plan;
  settings: WebmixSettings;
  /** Of each row visit: the episode, its operation, its family, its role. */
  visits: { episode: string; op: string | null; family: string; role: string; coefficient: number }[];
}

function planOf(line: readonly string[], files: Readonly<Record<string, string>> = {}): Planned {
  const { settings: input, run } = readFlags(webmixFlags, line, (file) => files[file] ?? '');
  // A preset and a list of families exclude each other.
  const settings = parseWebmixSettings('families' in input ? input : { adapter: 'drag', ...input });
  const draft = prepareWebmix(settings, pool, 1);
  const target = madeTarget(pool);
  const paths = { output: run.out ?? target.paths.output, rowsFolders: [run.rowsDir ?? '/rows'] };
  const { plan } = planWebmix(draft, { ...target, paths });
  const { order } = plan.phases[0]!;
  const visits = order.row.map((row, i) => {
    const { taskId: episode, op, family } = draft.neededRows[row]!;
    return { episode, op, family, role: plan.roles[order.role[i]!]!.name, coefficient: order.coefficient[i]! };
  });
  return { plan, settings, visits };
}

const usual = planOf([]);
const count = ({ visits }: Planned, role: string): number => visits.filter((visit) => visit.role === role).length;
const perEpoch = usual.visits.length / 3;
const saves = ({ plan }: Planned): string[] => plan.phases[0]!.actions.flatMap(({ save }) => save ?? []);

interface Row {
  flag: string;
  /** null: none (a flag that has to be given, or a run's path). */
  default: unknown;
  words: readonly string[];
  value: unknown;
  files?: Record<string, string>;
  effect: (changed: Planned) => void;
}

const ofPython: readonly Row[] = [
  {
    ...{ flag: '--adapter', default: null, words: ['select'], value: 'select' },
    effect: ({ visits }) =>
      expect(new Set(visits.filter(({ role }) => role === 'ce').map(({ family }) => family))).toEqual(
        new Set(['Discrete selection']),
      ),
  },
  {
    ...{ flag: '--epochs', default: 3, words: ['1.5'], value: 1.5 },
    effect: ({ visits }) => expect(visits).toHaveLength(Math.ceil(perEpoch * 1.5)),
  },
  {
    ...{ flag: '--lr', default: 1e-4, words: ['5e-5'], value: 5e-5 },
    effect: ({ plan }) => expect([usual.plan.optimizer.lr, plan.optimizer.lr]).toEqual([1e-4, 5e-5]),
  },
  {
    ...{ flag: '--rank', default: 16, words: ['64'], value: 64 },
    effect: ({ plan }) => expect(plan.adapters['default']).toMatchObject({ rank: 64, alpha: 32 }),
  },
  {
    ...{ flag: '--alpha', default: 32, words: ['128'], value: 128 },
    effect: ({ plan }) => expect(plan.adapters['default']).toMatchObject({ rank: 16, alpha: 128 }),
  },
  {
    ...{ flag: '--grad-accum', default: 8, words: ['4'], value: 4 },
    effect: ({ plan, visits }) => {
      expect(visits.map(({ coefficient }) => coefficient)).toEqual(
        usual.visits.map(({ coefficient }) => coefficient * 2),
      );
      expect(plan.schedule).toMatchObject({ total_steps: Math.floor(usual.visits.length / 4) });
    },
  },
  {
    ...{ flag: '--beta', default: 0.1, words: ['0.2'], value: 0.2 },
    effect: ({ visits }) =>
      visits.forEach(({ role, coefficient }, i) =>
        expect(coefficient).toBeCloseTo(usual.visits[i]!.coefficient * (role === 'kl' ? 2 : 1), 15),
      ),
  },
  {
    ...{ flag: '--anchor-ratio', default: 0.5, words: ['0.25'], value: 0.25 },
    effect: (changed) => {
      expect(count(usual, 'kl') / count(usual, 'ce')).toBeCloseTo(0.5, 1);
      expect(count(changed, 'kl') / count(changed, 'ce')).toBeCloseTo(0.25, 1);
    },
  },
  {
    ...{ flag: '--limit', default: 0, words: ['5'], value: 5 },
    effect: (changed) => expect(count(changed, 'ce')).toBe(15),
  },
  {
    ...{ flag: '--max-steps', default: 0, words: ['20'], value: 20 },
    effect: ({ visits }) => expect(visits).toEqual(expect.objectContaining({ length: 20 })),
  },
  {
    ...{ flag: '--out', default: null, words: ['/my/adapter'], value: undefined },
    effect: ({ plan }) => {
      expect(plan.output.folder).toBe('/my/adapter');
      expect(plan.output.meta!.fields['args']).toMatchObject({ out: '/my/adapter' });
    },
  },
  {
    ...{ flag: '--rows-dir', default: null, words: ['/my/rows'], value: undefined },
    effect: ({ plan }) => expect(plan.output.meta!.fields['args']).toMatchObject({ rows_dir: '/my/rows' }),
  },
  {
    ...{ flag: '--seed', default: 0, words: ['7'], value: 7 },
    effect: ({ plan, visits }) => {
      expect(visits.map(({ episode }) => episode)).not.toEqual(usual.visits.map(({ episode }) => episode));
      expect(plan.adapters['default']!.init).toEqual({ kind: 'peft', seed: 7 });
      expect(plan.execution.dropout_seed).toBe(7);
    },
  },
  {
    ...{ flag: '--wandb-project', default: null, words: ['mine'], value: undefined },
    effect: ({ plan }) => expect(plan).toEqual(usual.plan),
  },
  {
    ...{ flag: '--ce-on', default: 'all', words: ['action'], value: 'action' },
    effect: ({ plan }) => expect([usual.plan.roles[0]!.weights, plan.roles[0]!.weights]).toEqual([null, 'action']),
  },
  {
    ...{ flag: '--exclude-variants', default: [], words: ['recovery,chain'], value: ['recovery', 'chain'] },
    effect: ({ visits }) => {
      const odd = ({ episode }: { episode: string }): boolean => /~rec$|^chain-/.test(episode);
      expect(usual.visits.some(odd)).toBe(true);
      expect(visits.some(odd)).toBe(false);
    },
  },
  {
    ...{ flag: '--frac', default: 1, words: ['0.3'], value: 0.3 },
    effect: ({ visits }) => {
      const all = new Set(usual.visits.map(({ episode }) => episode));
      const some = new Set(visits.map(({ episode }) => episode));
      expect(some.size).toBeLessThan(all.size * 0.5);
      expect(some.size).toBeGreaterThan(0);
    },
  },
  {
    ...{ flag: '--episode-ids', default: null, words: ['list.txt'], value: ['f0-2', 'f0-4', 'f1-2'] },
    files: { 'list.txt': 'f0-2\nf0-4\tf1-2\n' },
    effect: ({ visits }) =>
      expect(new Set(visits.map(({ episode }) => episode))).toEqual(new Set(['f0-2', 'f0-4', 'f1-2'])),
  },
  {
    ...{ flag: '--init-adapter', default: null, words: ['/adapters/pooled'], value: '/adapters/pooled' },
    effect: ({ plan }) => {
      const init = { kind: 'load', path: '/adapters/pooled' };
      expect(plan.adapters['default']!.init).toEqual(init);
      expect(plan.adapters['anchor']).toMatchObject({ init, dropout: 0 });
      expect(plan.roles[1]).toMatchObject({ term: 'k3', reference: 'anchor' });
      expect(usual.plan.roles[1]).toMatchObject({ term: 'k3', reference: null });
    },
  },
  {
    ...{ flag: '--drop-done', default: false, words: [], value: true },
    effect: ({ visits }) => {
      expect(usual.visits.some(({ op }) => op === 'done')).toBe(true);
      expect(visits.some(({ op }) => op === 'done')).toBe(false);
    },
  },
  {
    ...{ flag: '--save-every', default: 5000, words: ['100'], value: 100 },
    effect: (changed) => {
      expect(saves(usual)).toEqual(['epoch_1', 'epoch_2', 'final']);
      expect(saves(changed).filter((name) => name.startsWith('rows_')).length).toBeGreaterThanOrEqual(3);
    },
  },
];

const ours: readonly Row[] = [
  {
    ...{ flag: '--families', default: null, words: ['Navigation,Drag & gesture'] },
    value: ['Navigation', 'Drag & gesture'],
    effect: ({ visits }) =>
      expect(new Set(visits.filter(({ role }) => role === 'ce').map(({ family }) => family))).toEqual(
        new Set(['Navigation', 'Drag & gesture']),
      ),
  },
  {
    ...{ flag: '--dropout', default: 0.05, words: ['0'], value: 0 },
    effect: ({ plan }) =>
      expect([usual, { plan }].map((each) => each.plan.adapters['default']!.dropout)).toEqual([0.05, 0]),
  },
  {
    ...{ flag: '--held-out-rows', default: 200, words: ['2'], value: 2 },
    effect: ({ plan }) => expect(plan.evaluations['held_out']!.rows).toHaveLength(2),
  },
  {
    ...{ flag: '--dtype', default: 'bfloat16', words: ['float32'], value: 'float32' },
    effect: ({ plan }) => expect([usual.plan.model.dtype, plan.model.dtype]).toEqual(['bfloat16', 'float32']),
  },
  {
    ...{ flag: '--branch-dtype', default: 'float32', words: ['bfloat16'], value: 'bfloat16' },
    effect: ({ plan }) => expect(plan.adapters['default']!.branch_dtype).toBe('bfloat16'),
  },
  {
    ...{ flag: '--no-recompute', default: true, words: [], value: false },
    effect: ({ plan }) => expect([usual.plan, plan].map((each) => each.execution.recompute)).toEqual([true, false]),
  },
  {
    ...{ flag: '--threads', default: null, words: ['3'], value: 3 },
    effect: ({ plan }) => expect([usual.plan, plan].map((each) => each.execution.threads)).toEqual([2, 3]),
  },
  {
    ...{ flag: '--device', default: 'auto', words: ['cuda:1'], value: 'cuda:1' },
    effect: ({ plan }) => expect([usual.plan, plan].map((each) => each.execution.device)).toEqual(['auto', 'cuda:1']),
  },
];

const table = [...ofPython, ...ours];

it('holds every flag once: the Python trainer’s 21 and ours', () => {
  expect(table.map(({ flag }) => flag).toSorted()).toEqual(webmixFlags.map(({ flag }) => flag).toSorted());
  expect(ofPython).toHaveLength(21);
});

describe.each(table)('$flag', ({ flag, default: preset, words, value, files = {}, effect }) => {
  const found = webmixFlags.find((each) => each.flag === flag)!;
  const setting =
    'setting' in found.target
      ? webmixSettings.find(({ name }) => 'setting' in found.target && name === found.target.setting)
      : undefined;

  it('has its default, and a meaning for help and form', () => {
    if (setting) expect(setting.default).toEqual(preset);
    expect(found.meaning.length).toBeGreaterThan(10);
    if (found.takes !== 'nothing') expect(found.metavar).toMatch(/^[A-Z,]+$/);
  });

  it('is read from the command line, with a space and with =', () => {
    const name = 'setting' in found.target ? found.target.setting : found.target.run;
    const lines = words.length === 0 ? [[flag]] : [[flag, ...words], [`${flag}=${words.join(' ')}`]];
    for (const line of lines) {
      const read = readFlags(webmixFlags, line, (file) => files[file] ?? '');
      if (setting) expect(read.settings).toEqual({ [name]: value });
      else expect(read.run).toEqual({ [name]: words[0] });
    }
  });

  it('stands in the form, if it is a setting', () => {
    const sections = webmixGroups.filter((group) => setting && group.settings.includes(setting.name));
    expect(sections).toHaveLength(setting ? 1 : 0);
  });

  it('does to the plan what it says', () => {
    effect(planOf([flag, ...words], files));
  });
});
