/** Commands as people keep them in notes and histories, read into a draft. */
import { describe, expect, it } from 'vitest';
import { pasteCommand } from './paste-command.ts';

const environment = { HOME: '/home/me' };
const paste = (text: string) => pasteCommand(text, environment);

describe('a pasted command', () => {
  it('of the Python trainer, with line ends, quotes and assignments', () => {
    const { request, notes } = paste(String.raw`CUDA_VISIBLE_DEVICES=2 WEBMIX_BASE_MODEL=Qwen/Qwen3.5-9B \
      python -m lab.train --adapter drag --lr=5e-5 --rank 64 --alpha 128 \
      --rows-dir "/data/rows v5" --rows-dir '/data/more' --out /out/drag \
      --drop-done --init-adapter /adapters/pooled --exclude-variants recovery,chain`);
    expect(request).toEqual({
      recipe: 'webmix',
      settings: {
        adapter: 'drag',
        lr: 5e-5,
        rank: 64,
        alpha: 128,
        dropDone: true,
        initAdapter: '/adapters/pooled',
        excludeVariants: ['recovery', 'chain'],
        device: 'cuda:2',
      },
      model: 'Qwen/Qwen3.5-9B',
      processor: null,
      rowsFolders: ['/data/rows v5', '/data/more'],
      output: '/out/drag',
      name: null,
      allowBad: 0,
      ranks: 1,
      episodeIdsFile: null,
    });
    expect(notes).toEqual([
      "lab.train: its flags were read as webmix's",
      'CUDA_VISIBLE_DEVICES=2: read as device cuda:2',
    ]);
  });

  it.each([
    ['python train.py --adapter drag', 1],
    ['/opt/venv/bin/python3.11 -u -W ignore train.py --adapter drag', 1],
    ['torchrun --standalone --nproc-per-node 3 train.py --adapter drag', 3],
    ['torchrun --nproc_per_node=4 --nnodes=2 --rdzv-id 7 -m lab.train --adapter drag', 8],
    ['python -m torch.distributed.run --nproc-per-node=2 train.py --adapter drag', 2],
    ['accelerate launch --multi_gpu --num_processes 3 --mixed_precision bf16 train.py --adapter drag', 3],
    ['nohup nice -n 5 python train.py --adapter drag > log.txt 2>&1 &', 1],
    ['env A=1 uv run --python 3.11 python train.py --adapter drag', 1],
    ['whetstone run webmix --adapter drag', 1],
    ['npx whetstone try webmix --adapter drag --ranks 2', 2],
    ['./train.py --adapter drag', 1],
    ['--adapter drag --lr 1e-4', 1],
    ['$ python train.py --adapter drag', 1],
    ['me@rhea:~/code$ python train.py --adapter drag  # the good one', 1],
    ['cd /x; source venv/bin/activate && python train.py --adapter drag | tee log', 1],
  ])('under its launchers: %s', (text, ranks) => {
    const { request } = paste(text);
    expect(request.settings['adapter']).toBe('drag');
    expect(request.ranks).toBe(ranks);
  });

  it('names every flag that it cannot take, and what stood behind it', () => {
    const { request, notes } = paste(
      'python train.py --adapter drag --flash-attn 2 --bf16 --lr fast --wandb-project p --an 0.25 --s 3',
    );
    expect(request.settings).toEqual({ adapter: 'drag', anchorRatio: 0.25 });
    expect(notes).toEqual(
      expect.arrayContaining([
        '--flash-attn 2: not known here, left out',
        '--bf16: not known here, left out',
        '--lr fast: --lr has to be a number, not "fast"; left out',
        expect.stringContaining('--s 3: --s can be more than one flag; left out'),
        expect.stringContaining('--wandb-project: nothing is sent'),
      ]),
    );
  });

  it('keeps relative paths and says so, or puts them behind the cd in front', () => {
    const kept = paste('python train.py --rows-dir rows --out adapters/x --episode-ids lists/a.txt');
    expect(kept.request).toMatchObject({
      rowsFolders: ['rows'],
      output: 'adapters/x',
      episodeIdsFile: 'lists/a.txt',
      settings: {},
    });
    expect(kept.notes.at(-1)).toMatch(/^rows, adapters\/x, lists\/a\.txt: relative.*the whole paths$/);
    const placed = paste('cd /data/webmix && python train.py --rows-dir rows --init-adapter ../a');
    expect(placed.request).toMatchObject({
      rowsFolders: ['/data/webmix/rows'],
      settings: { initAdapter: '/data/a' },
    });
    expect(placed.notes.at(-1)).toBe('relative paths are within /data/webmix, as the cd in front says');
  });

  it('says what only a shell could work out, what was set, and what was redirected', () => {
    const { notes } = paste('export HF_HOME=/hf\nCUDA_VISIBLE_DEVICES=0,1 python train.py --out $OUT > a.log');
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringContaining('variables ($NAME'),
        '> a.log: left out, the run keeps its own log',
        expect.stringContaining('HF_HOME=/hf: not set for the run'),
        expect.stringContaining('CUDA_VISIBLE_DEVICES=0,1: several devices'),
      ]),
    );
    expect(paste('python train.py --adapter "drag').notes[0]).toContain('a quote is not closed');
    expect(paste("python train.py --name 'a $5'").notes.join()).not.toContain('variables');
  });

  it('that is none is refused with what to paste', () => {
    for (const text of [
      '',
      'hello world',
      'pip install x',
      'whetstone runs',
      'python -c "1"',
      'python',
      '--nonsense 3',
    ])
      expect(() => paste(text), text).toThrow(expect.objectContaining({ code: 'no-command' }));
  });
});
