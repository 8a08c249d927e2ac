/** docs/formats/writer.py, run as people run it: what it writes is what the formats say, and what does not fit is refused. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readPlan } from './write-plan.ts';

const formats = fileURLToPath(new URL('../../docs/formats', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('python3 IS MISSING: docs/formats/writer.py is NOT TESTED on this machine');

let folder: string;
beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'writer-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script with the writer at hand; its working folder is the test's. */
function python(script: string): { status: number | null; output: string } {
  const environment = { ...process.env, PYTHONPATH: formats, PYTHONDONTWRITEBYTECODE: '1' };
  const run = spawnSync('python3', ['-c', script], { cwd: folder, env: environment, encoding: 'utf8' });
  return { status: run.status, output: run.stdout + run.stderr };
}

const numbers = {
  U8: { width: 1, read: (bytes: Buffer, at: number) => bytes.readUInt8(at) },
  I32: { width: 4, read: (bytes: Buffer, at: number) => bytes.readInt32LE(at) },
  F32: { width: 4, read: (bytes: Buffer, at: number) => bytes.readFloatLE(at) },
  I64: { width: 8, read: (bytes: Buffer, at: number) => Number(bytes.readBigInt64LE(at)) },
};
const headerSchema = z.object({
  dtype: z.enum(['U8', 'I32', 'F32', 'I64']),
  shape: z.array(z.number()),
  data_offsets: z.tuple([z.number(), z.number()]),
});
interface Tensor {
  dtype: string;
  shape: number[];
  values: number[];
}

/** Tensors of a safetensors file as lists, by dtype, and its metadata. */
function readTensors(file: string): { about: unknown; tensors: Map<string, Tensor> } {
  const bytes = readFileSync(file);
  const length = Number(bytes.readBigUInt64LE(0));
  const { __metadata__: metadata, ...header } = z
    .object({ __metadata__: z.object({ whetstone: z.string() }) })
    .catchall(headerSchema)
    .parse(JSON.parse(bytes.toString('utf8', 8, 8 + length)));
  const tensors = new Map<string, Tensor>();
  let covered = 0;
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    const [begin, end] = data_offsets;
    const { width, read } = numbers[dtype];
    expect([name, begin % width]).toEqual([name, 0]);
    const values: number[] = [];
    for (let at = 8 + length + begin; at < 8 + length + end; at += width) values.push(read(bytes, at));
    expect(shape.reduce((a, b) => a * b, 1)).toBe(values.length);
    covered += end - begin;
    tensors.set(name, { dtype, shape, values });
  }
  expect(covered).toBe(bytes.length - 8 - length);
  return { about: JSON.parse(metadata.whetstone), tensors };
}

/** Three rows: text only, one PNG, two images (PNG and JPEG), with fields. */
const makeRows = `
import json, struct, sys, writer
png = b"\\x89PNG\\r\\n\\x1a\\n" + struct.pack(">I4sII", 13, b"IHDR", 64, 32) + b"rest"
jpeg = b"\\xff\\xd8\\xff\\xe0\\x00\\x04ab\\xff\\xc2\\x00\\x0b\\x08" + struct.pack(">HH", 48, 96) + b"\\x01\\x01\\x11\\x00"
open("ä.png", "wb").write(png)
open("b.jpg", "wb").write(jpeg)
processor = {"id": "test", "image_token": 9, "vocab": 50,
             "image": {"patch": 16, "temporal_patch": 2, "merge": 2, "mean": [0.5] * 3, "std": [0.5] * 3, "rescale": 1 / 255}}
fields = ["other", "memory", "action", "index", "coordinates", "text", "end"]
def row(name, ids, n, field, images=()):
    return {"name": name, "ids": ids, "target_positions": list(range(len(ids) - n - 1, len(ids) - 1)), "target_ids": ids[-n:],
            "columns": {"action": [0] + [1] * (n - 1), "field": field}, "images": list(images), "key": "%064x" % len(ids), "fallback": 0}
rows = [row("a:1", [1, 2, 3, 4], 2, [4, 6]),
        row("b:1", [1] + [9] * 2 + [5, 6, 7], 3, [1, 4, 6], [writer.image("ä.png", (1, 2, 4))]),
        row("c:1", [9] * 1 + [5] + [9] * 3 + [6, 7, 8], 3, [4, 4, 6], [writer.image("ä.png", (1, 2, 2)), writer.image("b.jpg", (1, 2, 6))])]
`;

/** One line of output a fault, with its message in it. */
function expectMessages(run: { status: number | null; output: string }, faults: [string, string, string][]): void {
  const lines = run.output.trimEnd().split('\n');
  faults.forEach(([fault, , message], i) => expect(`${fault}: ${lines[i] ?? 'nothing'}`).toContain(message));
  expect(lines).toHaveLength(faults.length);
  expect(run.status).toBe(0);
}

describe.skipIf(!hasPython)('writer.py', () => {
  it('writes an encoded dataset as the format says, and reads it back', () => {
    const run = python(`${makeRows}
writer.write_dataset("d.safetensors", rows, processor, fields)
back = writer.read_dataset("d.safetensors")
assert back.fields == fields and back.processor == processor
assert back.rows == rows, (back.rows, rows)
`);
    expect(run).toEqual({ status: 0, output: '' });
    const { about, tensors } = readTensors(path.join(folder, 'd.safetensors'));
    expect(about).toMatchObject({
      format: 'encoded-dataset',
      version: 1,
      rows: 3,
      processor: { id: 'test', vocab: 50 },
    });
    const of = (name: string) => tensors.get(name);
    const ids = [1, 2, 3, 4, 1, 9, 9, 5, 6, 7, 9, 5, 9, 9, 9, 6, 7, 8];
    expect(of('ids')).toEqual({ dtype: 'I32', shape: [18], values: ids });
    expect(of('ids.offsets')).toEqual({ dtype: 'I64', shape: [4], values: [0, 4, 10, 18] });
    expect(of('target.positions')).toEqual({ dtype: 'I32', shape: [8], values: [1, 2, 2, 3, 4, 4, 5, 6] });
    expect(of('target.ids')?.values).toEqual([3, 4, 5, 6, 7, 6, 7, 8]);
    expect(of('target.offsets')?.values).toEqual([0, 2, 5, 8]);
    expect(of('column.action')).toEqual({ dtype: 'U8', shape: [8], values: [0, 1, 0, 1, 1, 0, 1, 1] });
    expect(of('image.offsets')?.values).toEqual([0, 0, 1, 3]);
    expect(of('image.grid')).toEqual({ dtype: 'I32', shape: [3, 3], values: [1, 2, 4, 1, 2, 2, 1, 2, 6] });
    expect(of('image.size')).toEqual({ dtype: 'I32', shape: [3, 2], values: [32, 64, 32, 64, 48, 96] });
    const png = readFileSync(path.join(folder, 'ä.png'));
    expect(of('image.bytes')?.values[0]).toBe(png.length);
    expect(of('image.sha256')?.shape).toEqual([3, 32]);
    expect(Buffer.from(of('image.sha256')!.values.slice(0, 32))).toEqual(createHash('sha256').update(png).digest());
    const [begin, end] = of('image.path.offsets')!.values;
    const name = Buffer.from(of('image.path')!.values.slice(begin, end)).toString('utf8');
    expect(existsSync(name)).toBe(true);
    expect(path.basename(name)).toBe('ä.png');
    expect(of('row.key')?.shape).toEqual([3, 32]);
    expect(readdirSync(folder).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  it('plans a method that no recipe has: twice the weight on coordinates', () => {
    expect(python(`${makeRows}\nwriter.write_dataset("d.safetensors", rows, processor, fields)`).output).toBe('');
    const options = [
      '--out',
      'adapter',
      '--dtype',
      'float32',
      '--rows-per-step',
      '2',
      '--epochs',
      '3',
      '--held-out',
      '1',
    ];
    const run = spawnSync('python3', [path.join(formats, 'writer.py'), 'd.safetensors', 'model', 'run', ...options], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    const { plan } = readPlan(path.join(folder, 'run'));
    expect(plan).toMatchObject({
      recipe: 'coordinates-twice',
      model: { path: path.join(folder, 'model'), name: 'model', dtype: 'float32' },
      datasets: ['weighted.safetensors'],
      roles: [{ name: 'ce', term: 'cross_entropy', weights: 'weights' }],
      output: { folder: path.join(folder, 'adapter') },
    });
    const { tensors } = readTensors(path.join(folder, 'run', 'weighted.safetensors'));
    expect(tensors.get('column.weights')).toEqual({ dtype: 'F32', shape: [8], values: [2, 1, 1, 2, 1, 2, 2, 1] });
    expect(tensors.get('column.field')?.dtype).toBe('U8');
    const phase = plan.phases[0]!;
    expect(phase.steps).toBe(3);
    expect(phase.order.step).toEqual([0, 0, 1, 1, 2, 2]);
    expect(phase.order.epoch).toEqual([0, 0, 1, 1, 2, 2]);
    expect(phase.order.forward).toEqual([0, 1, 0, 1, 0, 1]);
    const weights = [3, 4];
    phase.order.row.forEach((row, i) => expect(phase.order.coefficient[i]).toBeCloseTo(1 / (2 * weights[row]!), 12));
    expect(plan.evaluations.held_out!.rows).toEqual([2]);
    expect(phase.actions).toEqual([
      { after_rows: 0, evaluate: ['held_out'] },
      { after_rows: 6, save: 'final', evaluate: ['held_out'] },
    ]);
  });

  const faults: [string, string, string][] = [
    ['an id outside the vocabulary', 'rows[0]["ids"][0] = 50', 'row 0 (a:1): a token id lies outside [0, 50)'],
    ['a target outside its row', 'rows[0]["target_positions"][1] = 4', 'a target position lies outside'],
    ['targets out of order', 'rows[0]["target_positions"] = [2, 1]', 'have to ascend'],
    [
      'a column too short',
      'rows[1]["columns"]["action"].pop()',
      'row 1 (b:1): column action has 2 numbers, but there are 3',
    ],
    ['a weight that is not finite', 'rows[0]["columns"]["action"][0] = float("nan")', 'not finite'],
    [
      'placeholders too few',
      'rows[1]["ids"][1] = 5',
      "runs of image placeholders are [1], but the images' grids give [2]",
    ],
    ['images that touch', 'rows[2]["ids"][1] = 9', 'runs of image placeholders are [5]'],
    ['a column that one row lacks', 'del rows[2]["columns"]["action"]', 'row 2 (c:1): has the columns'],
    ['a name that one row lacks', 'del rows[2]["name"]', 'in all rows or in none'],
    ['a field without a name', 'fields = fields[:4]', 'a value that fields has no name for'],
    ['an empty path', 'rows[1]["images"][0]["path"] = ""', 'the path of an image is empty'],
    ['a processor without a vocabulary', 'del processor["vocab"]', 'processor: vocab is missing'],
  ];
  it('refuses rows that do not fit, and writes nothing', () => {
    const tries = faults.map(([, change]) => change);
    const run = python(`${makeRows}
made = json.dumps([rows, processor, fields])
for change in json.loads(${JSON.stringify(JSON.stringify(tries))}):
    rows, processor, fields = json.loads(made)
    exec(change)
    try:
        writer.write_dataset("bad.safetensors", rows, processor, fields)
        print("TAKEN")
    except writer.FormatError as error:
        print(error)
`);
    expectMessages(run, faults);
    expect(existsSync(path.join(folder, 'bad.safetensors'))).toBe(false);
  });

  const planFaults: [string, string, string][] = [
    ['a row that is not there', 'visits[0]["row"] = 2', 'visits: row: 2 is no index below 2'],
    ['a coefficient that is not finite', 'visits[0]["coefficient"] = float("inf")', 'coefficient of visit 0 is inf'],
    ['a step without a visit', 'visits[1]["step"] = 2', 'without a gap'],
    ['no visit at all', 'visits.clear()', 'visits: there are none'],
    [
      'an evaluation that is not there',
      'more["actions"] = [{"after_rows": 0, "evaluate": ["x"]}]',
      'there is no evaluation x',
    ],
    [
      'a save that repeats',
      'more["actions"] = [{"after_rows": 0, "save": "x"}, {"after_rows": 1, "save": "x"}]',
      'x is saved twice',
    ],
    ['a rank of 0', 'more["adapters"] = {"default": writer.adapter(rank=0)}', 'rank has to be a whole number above 0'],
    ['a reference that is not there', 'more["roles"] = [writer.k3(reference="anchor")]', 'there is no adapter anchor'],
    ['lr nan', 'more["lr"] = float("nan")', 'lr: has to be a finite number'],
  ];
  it('refuses plans that do not hold together, and writes nothing', () => {
    mkdirSync(path.join(folder, 'plan'), { recursive: true });
    const tries = planFaults.map(([, change]) => change);
    const run = python(`
import json, writer
for change in json.loads(${JSON.stringify(JSON.stringify(tries))}):
    visits = writer.visits_of([(0, 0, 3), (1, 0, 4)], rows_per_step=1)
    more = {"roles": [writer.cross_entropy()]}
    exec(change)
    try:
        writer.write_plan("plan/plan.json", name="n", model={"path": "/m", "name": "m"}, datasets=["d"], visits=visits, output="/o",
                          rows=[{"dataset": 0, "row": 0, "name": "a"}, {"dataset": 0, "row": 1, "name": "b"}], **more)
        print("TAKEN")
    except writer.FormatError as error:
        print(error)
`);
    expectMessages(run, planFaults);
    expect(readdirSync(path.join(folder, 'plan'))).toEqual([]);
  });

  it('says on the command line what is wrong with a file', () => {
    writeFileSync(path.join(folder, 'no.safetensors'), 'x');
    const run = spawnSync('python3', [path.join(formats, 'writer.py'), 'no.safetensors', 'm', 'r', '--out', 'o'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('writer.py: no.safetensors: is no safetensors file\n');
    expect(run.status).toBe(1);
  });
});
