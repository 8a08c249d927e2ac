"""Pre-trains the demo's base model on the synthetic corpus, and checks that it suits the demo.

    python demo/scripts/pretrain.py --minutes 8 --out demo/model

Needs torch and transformers only; reads demo/model/{config.json,tokenizer.json} and demo/build/{corpus,demo}.npz. Two stages: the corpus in many
voices, then a short one with a few rows in the demo's voice mixed in. After each stage the weights are a candidate: for each one a LoRA run
like the demo's is rehearsed (same order of rows, CE rows and anchors), and a table says whether the demo's assertions would hold.
The candidate whose first rows' CE is below 0.85 and whose held-out CE falls most becomes <out>/model.safetensors.
"""
import argparse
import copy
import json
import math
import random
import shutil
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

DEMO = Path(__file__).resolve().parent.parent
FAMILIES = ["Drag & gesture", "Discrete selection", "Text entry", "Form transaction", "Navigation", "Out-of-page I/O", "Reasoning base"]
ADAPTERS = {"rest": ["Text entry", "Form transaction", "Navigation", "Reasoning base"], "drag": ["Drag & gesture"], "io": ["Out-of-page I/O"],
            "select": ["Discrete selection"], "pooled": FAMILIES}
LEAVES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
PROMPT_WEIGHT = 0.1     # the prompt's tokens teach copying; the answer is what counts
CHECK_SECONDS = 110     # kept free at the end for rehearsals and samples


class Data:
    """Rows of one part ("corpus" or "demo") and their pictures, batched on a device."""

    def __init__(self, part, config, device):
        self.arrays = arrays = dict(np.load(DEMO / "build" / f"{part}.npz"))
        self.ids, self.offsets, self.targets = arrays["ids"].astype(np.int64), arrays["offsets"], arrays["targets"]
        self.pictures, self.picture_offsets = arrays["pictures"], arrays["row_picture_offsets"]
        self.patches, self.grids = load_pictures(arrays, device)
        self.placeholder, self.pad = config.image_token_id, config.text_config.pad_token_id
        self.device = device
        self.lengths = np.diff(self.offsets)

    def __len__(self):
        return len(self.targets)

    def row_pictures(self, row):
        return self.pictures[self.picture_offsets[row]:self.picture_offsets[row + 1]]

    def positions(self, row):
        """M-RoPE positions [3, tokens]: text counts on, a picture is a block whose rows and columns start together."""
        ids = self.ids[self.offsets[row]:self.offsets[row + 1]]
        pictures = self.row_pictures(row)
        if len(pictures) == 0:
            return np.broadcast_to(np.arange(len(ids)), (3, len(ids)))
        parts, at, following = [], 0, 0
        for picture in pictures:
            rows, columns = self.grids[picture] // 2
            start = at + int(np.argmax(ids[at:] == self.placeholder))
            parts.append(np.broadcast_to(np.arange(start - at) + following, (3, start - at)))
            following += start - at
            block = np.stack([np.zeros((rows, columns)), *np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")])
            parts.append(block.reshape(3, -1).astype(np.int64) + following)
            following += int(max(rows, columns))
            at = start + rows * columns
        parts.append(np.broadcast_to(np.arange(len(ids) - at) + following, (3, len(ids) - at)))
        return np.concatenate(parts, axis=1)

    def batch(self, rows):
        """-> (model inputs, ids [B, T], answer mask [B, T]): True where the token belongs to the answer. Padded on the right."""
        longest = math.ceil(max(self.lengths[row] for row in rows) / 64) * 64
        ids = np.full((len(rows), longest), self.pad, np.int64)
        positions = np.zeros((3, len(rows), longest), np.int64)
        answer = np.zeros((len(rows), longest), bool)
        real = np.zeros((len(rows), longest), bool)
        pictures = []
        for order, row in enumerate(rows):
            length = self.lengths[row]
            ids[order, :length] = self.ids[self.offsets[row]:self.offsets[row + 1]]
            positions[:, order, :length] = self.positions(row)
            answer[order, length - self.targets[row]:length] = True
            real[order, :length] = True
            pictures.extend(self.row_pictures(row))
        move = lambda array: torch.from_numpy(array).to(self.device)    # noqa: E731
        inputs = {"input_ids": move(ids), "position_ids": move(positions)}
        if pictures:
            inputs["pixel_values"] = torch.cat([self.patches[picture] for picture in pictures])
            grids = [[1, *map(int, self.grids[picture])] for picture in pictures]
            inputs["image_grid_thw"] = torch.tensor(grids, device=self.device)
        return inputs, inputs["input_ids"], move(answer), move(real)


def load_pictures(arrays, device):
    """uint8 pictures -> patches [rows x columns, 3*2*16*16] in the order of the processor (merge blocks of 2 x 2)."""
    patches, grids = [], arrays["picture_grids"]
    for number, (rows, columns) in enumerate(grids):
        raw = arrays["picture_data"][arrays["picture_offsets"][number]:arrays["picture_offsets"][number + 1]]
        pixels = torch.from_numpy(raw.reshape(rows * 16, columns * 16, 3).copy()).to(device).permute(2, 0, 1).float()
        pixels = ((pixels - 127.5) / 127.5).expand(2, 3, rows * 16, columns * 16)
        pixels = pixels.reshape(2, 3, rows // 2, 2, 16, columns // 2, 2, 16).permute(2, 5, 3, 6, 1, 0, 4, 7)
        patches.append(pixels.reshape(rows * columns, -1).contiguous())
    return patches, grids


def log_probs(model, inputs, ids):
    """log p of every token given those before it [B, T - 1]; entry t belongs to token t + 1."""
    logits = model(**inputs, use_cache=False).logits[:, :-1].float()
    return -F.cross_entropy(logits.reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1), reduction="none").view(ids.shape[0], -1)


def row_means(values, mask):
    return (values * mask).sum(1) / mask.sum(1).clamp(min=1)


@torch.no_grad()
def answer_ce(model, data, rows, batch=48):
    """Mean over rows of the mean -log p of their answer tokens, and the share of answers that are right token by token."""
    model.eval()
    losses, right = [], []
    ordered = sorted(rows, key=lambda row: data.lengths[row])
    for start in range(0, len(ordered), batch):
        inputs, ids, answer, _ = data.batch(ordered[start:start + batch])
        logits = model(**inputs, use_cache=False).logits[:, :-1].float()
        lp = -F.cross_entropy(logits.reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1), reduction="none").view(ids.shape[0], -1)
        losses += (-row_means(lp, answer[:, 1:])).tolist()
        right += ((logits.argmax(-1) == ids[:, 1:]) | ~answer[:, 1:]).all(1).tolist()
    model.train()
    return sum(losses) / len(losses), sum(right) / len(right)


class LoraLinear(torch.nn.Module):
    def __init__(self, base, rank=16, alpha=32):
        super().__init__()
        self.base, self.scale, self.on = base, alpha / rank, True
        self.a = torch.nn.Parameter(torch.empty(rank, base.in_features, device=base.weight.device))
        self.b = torch.nn.Parameter(torch.zeros(base.out_features, rank, device=base.weight.device))
        torch.nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x):
        y = self.base(x)
        return y + F.linear(F.linear(x, self.a), self.b) * self.scale if self.on else y


def with_adapter(model):
    """A copy of the model with LoRA on the seed recipe's modules. -> (model, adapters)"""
    copied = copy.deepcopy(model).requires_grad_(False)
    adapters = []
    for name, module in list(copied.named_modules()):
        if "language_model" in name and name.endswith(LEAVES) and isinstance(module, torch.nn.Linear):
            adapters.append(LoraLinear(module))
            parent, leaf = name.rsplit(".", 1)
            setattr(copied.get_submodule(parent), leaf, adapters[-1])
    return copied, adapters


def rehearse(model, demo, adapter, learning_rate, visits=200, accumulate=4, beta=0.1, ratio=0.5):
    """A LoRA run as the demo makes it (dropout left out). -> dict of the figures that the demo asserts."""
    torch.manual_seed(0)
    generator = random.Random(0)
    wanted = {FAMILIES.index(family) for family in ADAPTERS[adapter]}
    families, held = demo.arrays["family"], demo.arrays["held_out"]
    ce_rows = [row for row in range(len(demo)) if families[row] in wanted and not held[row]]
    pool = [row for row in range(len(demo)) if families[row] not in wanted and not held[row]]
    held_rows = [row for row in range(len(demo)) if families[row] in wanted and held[row]]
    anchors = min(round(len(ce_rows) * ratio), len(pool))
    order = []
    while len(order) < visits:
        epoch = [(row, False) for row in ce_rows] + [(row, True) for row in generator.sample(pool, anchors)]
        generator.shuffle(epoch)
        order += epoch
    order = order[:visits]
    masks, starts = demo.arrays["mask"], demo.arrays["mask_offsets"]
    first = [row for row, anchor in order if not anchor][:20]
    result = {"first20_frozen": answer_ce(model, demo, first)[0], "before": answer_ce(model, demo, held_rows)[0], "held_out": len(held_rows)}
    tuned, adapters = with_adapter(model)
    parameters = [value for one in adapters for value in (one.a, one.b)]
    optimizer = torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=0.0)
    steps = visits // accumulate
    warm = max(1, int(0.03 * steps))
    ces, kls = [], []
    for step in range(steps):
        group = order[step * accumulate:(step + 1) * accumulate]
        inputs, ids, answer, _ = demo.batch([row for row, _ in group])
        mask = answer.clone()
        for index, (row, anchor) in enumerate(group):
            if anchor:
                end = int(demo.lengths[row])
                mask[index, end - int(demo.targets[row]):end] = torch.from_numpy(masks[starts[row]:starts[row + 1]]).to(mask.device)
        lp = log_probs(tuned, inputs, ids)
        for one in adapters:
            one.on = False
        with torch.no_grad():
            reference = log_probs(tuned, inputs, ids)
        for one in adapters:
            one.on = True
        difference = (reference - lp).clamp(-20.0, 8.0)
        ce, k3 = -row_means(lp, mask[:, 1:]), row_means(torch.exp(difference) - difference - 1, mask[:, 1:])
        is_anchor = torch.tensor([anchor for _, anchor in group], device=ids.device)
        (torch.where(is_anchor, beta * k3, ce).sum() / accumulate).backward()
        ces += ce[~is_anchor].tolist()
        kls += k3[is_anchor].tolist()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for value in optimizer.param_groups:
            value["lr"] = learning_rate * min(1.0, (step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps)))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    result["after"] = answer_ce(tuned, demo, held_rows)[0]
    result["drop"] = 1 - result["after"] / result["before"]
    result["first20"] = sum(ces[:20]) / 20
    result["last20"] = sum(ces[-20:]) / 20
    result["kl"] = sum(kls) / max(1, len(kls))
    return result


@torch.no_grad()
def generate(model, data, row, tokenizer, limit=110):
    """Greedy, without a cache: the model is small and this runs a few times."""
    model.eval()
    inputs, ids, _, _ = data.batch([row])
    length = int(data.lengths[row] - data.targets[row])
    ids, positions = ids[:, :length], inputs["position_ids"][:, :, :length]
    rest = {name: value for name, value in inputs.items() if name not in ("input_ids", "position_ids")}
    stop = tokenizer.token_to_id("<|im_end|>")
    for _ in range(limit):
        token = model(input_ids=ids, position_ids=positions, use_cache=False, **rest).logits[:, -1].argmax(-1, keepdim=True)
        if token.item() == stop:
            break
        ids = torch.cat([ids, token], 1)
        positions = torch.cat([positions, positions[:, :, -1:] + 1], 2)
    model.train()
    return tokenizer.decode(ids[0, length:].tolist())


def batches(rows, data, size, generator):
    """Endless batches of rows of like length, in random order."""
    while True:
        shuffled = generator.permutation(rows)
        for start in range(0, len(shuffled), size * 24):
            block = sorted(shuffled[start:start + size * 24], key=lambda row: data.lengths[row])
            groups = [block[at:at + size] for at in range(0, len(block), size)]
            for group in generator.permutation(len(groups)):
                yield groups[group]


def train_stage(model, data, rows, size, rate, seconds, max_steps, note):
    """Trains for `seconds` (or `max_steps`); `rate` is a function of the share of the time that is over."""
    decay = [value for value in model.parameters() if value.ndim >= 2]
    other = [value for value in model.parameters() if value.ndim < 2]
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": other, "weight_decay": 0.0}], lr=1e-3, betas=(0.9, 0.98))
    start, step, tokens, last = time.time(), 0, 0, 0.0
    stream = batches(rows, data, size, np.random.default_rng(3))
    model.train()
    while True:
        share = (time.time() - start) / seconds if max_steps == 0 else step / max_steps
        if share >= 1:
            break
        inputs, ids, answer, real = data.batch(next(stream))
        lp = log_probs(model, inputs, ids)
        weight = answer[:, 1:].float() + PROMPT_WEIGHT * (real & ~answer & (ids != data.placeholder))[:, 1:].float()
        loss = -(lp * weight).sum() / weight.sum()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate(share) * min(1.0, (step + 1) / 100)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step, tokens = step + 1, tokens + int(ids.numel())
        if step <= 3 or time.time() - last > 10:
            last = time.time()
            ce = float(-(lp * answer[:, 1:]).sum() / answer[:, 1:].sum())
            print(f"{note} step {step} {share:.2f} loss {loss.item():.4f} answer {ce:.4f} norm {float(norm):.2f} lr {optimizer.param_groups[0]['lr']:.2e} "
                  f"{tokens / (last - start):.0f} tokens/s", flush=True)
            if not math.isfinite(loss.item()):
                raise SystemExit("the loss is not finite")
    return step


def rounded(model):
    """The model as it will be read back: weights rounded to bfloat16, computed in float32."""
    copied = copy.deepcopy(model)
    with torch.no_grad():
        for value in copied.parameters():
            value.copy_(value.bfloat16().float())
    return copied


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=8.0, help="wall clock for everything")
    parser.add_argument("--out", default=str(DEMO / "model"), help="model.safetensors goes here, the candidates below it")
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--house", type=float, default=0.05, help="share of rows in the demo's voice in the second stage")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=0, help="steps a stage instead of a time (for a test)")
    parser.add_argument("--visits", type=int, default=200, help="row visits of a rehearsal")
    args = parser.parse_args()
    began = time.time()
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    config = Qwen3_5Config.from_pretrained(DEMO / "model")
    config.dtype = torch.float32
    corpus, demo = (Data(part, config, args.device) for part in ("corpus", "demo"))
    tokenizer = Tokenizer.from_file(str(DEMO / "model" / "tokenizer.json"))
    model = Qwen3_5ForConditionalGeneration(config).to(args.device)
    count = sum(value.numel() for value in model.parameters())
    print(f"{count / 1e6:.2f} M weights, {sum(v.numel() for v in model.model.visual.parameters()) / 1e6:.2f} M of them vision; {len(corpus)} rows; {args.device}", flush=True)

    house = np.flatnonzero(corpus.arrays["house"])
    plain = np.flatnonzero(~corpus.arrays["house"])
    held = min(400, len(plain) // 5)
    check, plain = plain[:held], plain[held:]
    mixed = np.concatenate([plain, np.resize(house, int(len(plain) * args.house))])
    left = max(10.0, args.minutes * 60 - (time.time() - began) - CHECK_SECONDS)
    candidates = {}

    def candidate(name):
        ready = rounded(model)
        folder = Path(args.out) / "candidates" / name
        saved = copy.deepcopy(ready).to(torch.bfloat16)
        saved.config.dtype = torch.bfloat16
        saved.save_pretrained(folder)
        figures = rehearse(ready, demo, "rest", 1e-3, visits=args.visits)
        candidates[name] = (ready, folder, figures)
        ce, right = answer_ce(ready, corpus, list(check))
        print(f"candidate {name}: corpus CE {ce:.4f}, whole answers right {right:.3f}, rehearsal {json.dumps({k: round(v, 4) for k, v in figures.items()})}", flush=True)

    peak = args.lr
    train_stage(model, corpus, plain, args.batch, lambda share: peak * min(1.0, 0.03 + (1 - share) * 1.6), left * 0.8, args.steps, "stage 1")
    candidate("plain")
    train_stage(model, corpus, mixed, args.batch, lambda share: peak * 0.15 * (1 - 0.9 * share), left * 0.06, args.steps, "stage 2a")
    candidate("mixed-short")
    train_stage(model, corpus, mixed, args.batch, lambda share: peak * 0.15 * (1 - 0.9 * share), left * 0.14, args.steps, "stage 2b")
    candidate("mixed")

    good = [name for name, (_, _, figures) in candidates.items() if figures["first20_frozen"] < 0.85]
    best = max(good, key=lambda name: candidates[name][2]["drop"]) if good else min(candidates, key=lambda name: candidates[name][2]["first20_frozen"])
    ready, folder, _ = candidates[best]
    shutil.copyfile(folder / "model.safetensors", Path(args.out) / "model.safetensors")
    print(f"chosen: {best}, {(Path(args.out) / 'model.safetensors').stat().st_size / 1e6:.2f} MB at {time.time() - began:.0f} s", flush=True)
    for row in [*np.flatnonzero(demo.arrays["held_out"])[[2, -1]], ]:
        print("demo   ", json.dumps(generate(ready, demo, int(row), tokenizer), ensure_ascii=False))
        print("  wants", json.dumps(tokenizer.decode(demo.ids[demo.offsets[row + 1] - demo.targets[row]:demo.offsets[row + 1] - 1].tolist()), ensure_ascii=False), flush=True)
    for row in check[:3]:
        print("corpus ", json.dumps(generate(ready, corpus, int(row), tokenizer), ensure_ascii=False))
        print("  wants", json.dumps(tokenizer.decode(corpus.ids[corpus.offsets[row + 1] - corpus.targets[row]:corpus.offsets[row + 1] - 1].tolist()), ensure_ascii=False), flush=True)
    print(f"| adapter | lr | first 20 frozen | first 20 | held-out n | before | after | drop | KL | at s |")
    for adapter, rate in (("rest", 5e-4), ("rest", 2e-3), ("pooled", 1e-3), ("select", 1e-3), ("drag", 1e-3)):
        if args.steps == 0 and time.time() - began > args.minutes * 60 - 8:
            print("(no time left for more rehearsals)")
            break
        r = rehearse(ready, demo, adapter, rate, visits=args.visits) if adapter != "pooled" else rehearse(ready, demo, adapter, rate, visits=args.visits, ratio=0)
        print(f"| {adapter} | {rate:g} | {r['first20_frozen']:.4f} | {r['first20']:.4f} | {r['held_out']} | {r['before']:.4f} | {r['after']:.4f} | {r['drop']:.1%} | {r['kl']:.5f} | {time.time() - began:.0f} |", flush=True)


if __name__ == "__main__":
    main()
