/**
 * Which folder may import which, as a short table (ARCHITECTURE.md shows it too). The longest matching `from` of a file decides; a relative import
 * into the project has to be inside one of its `may` folders, or in the same room. Node's modules and npm packages are limited by `packages`, where given.
 */
import path from 'node:path';

const rooms = [
  // The contract is below everything and knows nothing but its parser.
  { from: 'main/contract', may: [], packages: ['zod'] },
  { from: 'main/paths.ts', may: ['main/contract'] },
  { from: 'main/paths.test.ts', may: ['main/contract', 'main/paths.ts'] },
  { from: 'main/io', may: ['main/contract'] },
  { from: 'main/text', may: [] },
  { from: 'main/store', may: ['main/contract', 'main/io', 'main/paths.ts'] },
  { from: 'main/datasets', may: ['main/contract', 'main/io', 'main/text'] },
  { from: 'main/model', may: ['main/contract', 'main/io'] },
  {
    from: 'main/encode',
    may: [
      ...['main/contract', 'main/io', 'main/text', 'main/datasets', 'main/threads'],
      'main/recipes/webmix/target-fields.ts',
    ],
  },
  { from: 'main/plan', may: ['main/contract', 'main/io'] },
  { from: 'main/recipes', may: ['main/contract', 'main/io', 'main/text', 'main/plan'] },
  {
    from: 'main/trainer',
    may: [
      'main/contract',
      'main/io',
      'main/paths.ts',
      'main/store',
      'main/datasets',
      'main/model',
      'main/encode',
      'main/plan',
      'main/recipes',
    ],
  },
  {
    from: 'main/verify',
    may: [
      ...['main/contract', 'main/io', 'main/text', 'main/paths.ts', 'main/datasets', 'main/model', 'main/encode'],
      ...['main/plan', 'main/recipes', 'main/trainer'],
    ],
  },
  { from: 'main/threads', may: ['main/contract'] },
  {
    from: 'main/window',
    may: [
      ...['main/contract', 'main/io', 'main/text', 'main/paths.ts', 'main/threads', 'main/store', 'main/datasets'],
      ...['main/model', 'main/encode', 'main/plan', 'main/recipes', 'main/trainer'],
    ],
  },
  { from: 'main/serve', may: ['main/contract', 'main/io', 'main/paths.ts', 'main/window'] },
  { from: 'main/cli', may: ['main'] },
  { from: 'electron', may: ['main'] },
  { from: 'renderer', may: ['main/contract'] },
  { from: 'tools', may: ['main'] },
  { from: 'demo', may: ['main', 'tools'] },
  { from: 'bench', may: ['main', 'tools', 'demo'] },
  { from: 'e2e', may: ['main', 'tools', 'demo', 'bench'] },
];

const inside = (file, room) => file === room || file.startsWith(`${room}/`);

/** @type {import('eslint').Rule.RuleModule} */
export const importTable = {
  meta: {
    type: 'problem',
    docs: { description: 'imports run one way' },
    messages: {
      unknown: 'no row of tools/eslint/import-table.js covers {{file}}: add its room to the table',
      direction: '{{room}} may not import {{target}} (tools/eslint/import-table.js says who may import whom)',
      package: '{{room}} may not import the package {{target}}',
      electron: 'only electron/ may import electron: main/ has to run under plain Node',
    },
    schema: [],
  },
  create(context) {
    const root = context.cwd;
    const file = path.relative(root, context.filename).split(path.sep).join('/');
    if (!file.includes('/')) return {};
    const room = rooms.filter((r) => inside(file, r.from)).sort((a, b) => b.from.length - a.from.length)[0];
    const check = (node, specifier) => {
      if (typeof specifier !== 'string') return;
      if (!room) return context.report({ node, messageId: 'unknown', data: { file } });
      if (specifier === 'electron' && room.from !== 'electron') return context.report({ node, messageId: 'electron' });
      if (!specifier.startsWith('.')) {
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/');
        // A test file may also use the test runner and Node's modules.
        if (room.packages && !room.packages.includes(name) && !/\.test\.tsx?$/.test(file))
          context.report({ node, messageId: 'package', data: { room: room.from, target: specifier } });
        return;
      }
      const target = path
        .relative(root, path.resolve(path.dirname(context.filename), specifier))
        .split(path.sep)
        .join('/');
      if (inside(target, room.from) || room.may.some((m) => inside(target, m))) return;
      context.report({ node, messageId: 'direction', data: { room: room.from, target } });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => node.source && check(node, node.source.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.value),
    };
  },
};
