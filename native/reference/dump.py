"""Reference values of transformers + PEFT for the tiny model: log-probabilities, losses, gradients, a few optimizer steps.

usage: dump.py GOLDEN        reads GOLDEN/{base,adapter}, writes GOLDEN/{cases.json, <case>.safetensors, train.safetensors}

A case is one row alone, without padding (a padded batch is not bit-equal to rows alone). Its file holds
  input_ids, position_ids [3, T], action (U8, a target), pixel_values and image_grid_thw where it has images,
  log_probs, ref_log_probs (adapter off), ce, kl, ce_grad/<PEFT key>, kl_grad/<PEFT key>, bf16/log_probs, bf16/ref_log_probs.
The last n targets of the row are scored. ce = mean of -log p; kl = mean over `action` targets of exp(d) - d - 1 with d = ref - log p,
clamped to [-20, 8]. The case `clamped` has the clamp at [-0.05, 0.05], so that many targets are clamped.

train.safetensors: `steps` AdamW steps (two rows each: ce of one, 0.1 * kl of another, each divided by 2), see train().

The last bits depend on the number of threads: 2 here and in the test. Prints how far transformers is from itself (sdpa against eager attention).
"""

import no_torchvision  # noqa: F401
import json
import math
import sys
from pathlib import Path

import torch
from peft import PeftModel
from safetensors.torch import save_file
from transformers import Qwen3_5ForConditionalGeneration

from make_model import FIRST_SPECIAL, IMAGE, VISION_END, VISION_START

WIDE_CLAMP, NARROW_CLAMP = (-20.0, 8.0), (-0.05, 0.05)
# name, text tokens before each image and after the last, image grids, target tokens, clamp
CASES = [
    ("text5", [5], [], 2, WIDE_CLAMP),
    ("text37", [37], [], 9, NARROW_CLAMP),
    ("text64", [64], [], 12, WIDE_CLAMP),
    ("text150", [150], [], 31, WIDE_CLAMP),
    ("image1", [11, 60], [(1, 6, 8)], 17, WIDE_CLAMP),
    ("image2", [0, 5, 100], [(1, 4, 10), (1, 12, 2)], 23, WIDE_CLAMP),
]
PATCH_VALUES = 3 * 2 * 4 * 4


def make_case(spec, generator):
    name, texts, grids, n_target, clamp = spec
    ids, pixels = [], []
    for i, n in enumerate(texts):
        ids += torch.randint(0, FIRST_SPECIAL, (n,), generator=generator).tolist()
        if i < len(grids):
            t, h, w = grids[i]
            ids += [VISION_START] + [IMAGE] * (t * h * w // 4) + [VISION_END]
            pixels.append(torch.rand(t * h * w, PATCH_VALUES, generator=generator) * 2 - 1)
    action = torch.rand(n_target, generator=generator) < 0.6
    action[0] = True
    return dict(
        name=name,
        ids=torch.tensor(ids),
        grids=torch.tensor(grids) if grids else None,
        pixels=torch.cat(pixels) if grids else None,
        n_target=n_target,
        action=action,
        clamp=clamp,
    )


def log_probs(model, case):
    ids = case["ids"][None]
    n = len(case["ids"])
    positions = torch.arange(n - case["n_target"] - 1, n - 1)  # the position before each target
    images = {}
    if case["grids"] is not None:
        dtype = next(model.parameters()).dtype
        images = dict(
            pixel_values=case["pixels"].to(dtype), image_grid_thw=case["grids"], mm_token_type_ids=(ids == IMAGE).int()
        )
    out = model(input_ids=ids, attention_mask=torch.ones_like(ids), logits_to_keep=positions, use_cache=False, **images)
    return torch.log_softmax(out.logits[0].float(), -1).gather(-1, case["ids"][positions + 1][:, None])[:, 0]


def ce(lp):
    return -lp.mean()


def kl(lp, ref, case):
    d = (ref - lp).clamp(*case["clamp"])
    return ((d.exp() - d - 1) * case["action"]).sum() / case["action"].sum()


def grads_of(model, loss):
    model.zero_grad(set_to_none=True)
    loss.backward()
    out = {n.replace(".default", ""): p.grad.detach().clone() for n, p in model.named_parameters() if p.requires_grad}
    model.zero_grad(set_to_none=True)
    return out


def load(golden, attention="sdpa", dtype=torch.float32):
    base = Qwen3_5ForConditionalGeneration.from_pretrained(golden / "base", dtype=dtype, attn_implementation=attention)
    base.config.use_cache = False
    return PeftModel.from_pretrained(base, golden / "adapter", is_trainable=True).train()  # no dropout in it: train() is free


def run_case(model, case):
    with torch.no_grad(), model.disable_adapter():
        ref = log_probs(model, case)
    lp = log_probs(model, case)
    loss_ce = ce(lp)
    out = {"log_probs": lp.detach(), "ref_log_probs": ref, "ce": loss_ce.detach()}
    out.update({"ce_grad/" + n: g for n, g in grads_of(model, loss_ce).items()})
    loss_kl = kl(log_probs(model, case), ref, case)
    out["kl"] = loss_kl.detach()
    out.update({"kl_grad/" + n: g for n, g in grads_of(model, loss_kl).items()})
    return out


def train(model, cases, steps=60, accumulation=2, lr=1e-4, beta=0.1, clip=1.0, weight_decay=0.01):
    """Each step: one row with ce and one with beta * kl against the adapter switched off. Warm-up of 2 steps, then cosine.
    rows [2 * steps, 2]: (case, 0 ce or 1 kl); losses [2 * steps] before the division by 2; norms before clipping; lrs; after/<key>."""
    with torch.no_grad(), model.disable_adapter():
        refs = [log_probs(model, c) for c in cases]
    names, params = zip(*[(n.replace(".default", ""), p) for n, p in model.named_parameters() if p.requires_grad])
    optimizer = torch.optim.AdamW(params, lr=lr, weight_decay=weight_decay)
    warm = 2
    factor = lambda s: min(1.0, (s + 1) / warm) * 0.5 * (1 + math.cos(math.pi * min(1.0, s / steps)))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    rows, losses, norms, lrs = [], [], [], []
    for step in range(steps):
        for k in range(accumulation):
            i = (step * accumulation + k * 3) % len(cases)
            lp = log_probs(model, cases[i])
            loss = ce(lp) if k == 0 else beta * kl(lp, refs[i], cases[i])
            (loss / accumulation).backward()
            rows.append([i, k])
            losses.append(loss.item())
        norms.append(torch.nn.utils.clip_grad_norm_(params, clip).item())
        lrs.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
    double = lambda x: torch.tensor(x, dtype=torch.float64)
    return {
        "rows": torch.tensor(rows),
        "losses": double(losses),
        "norms": double(norms),
        "lrs": double(lrs),
        **{"after/" + n: p.detach().clone() for n, p in zip(names, params)},
    }


def main(golden):
    torch.set_num_threads(2)
    golden = Path(golden)
    generator = torch.Generator().manual_seed(7)
    cases = [make_case(s, generator) for s in CASES]
    model, eager, half = load(golden), load(golden, "eager"), load(golden, dtype=torch.bfloat16)
    index = []
    for c in cases:
        out, other = run_case(model, c), run_case(eager, c)
        noise = max(((out[k] - other[k]).norm() / out[k].norm()).item() for k in out if "_grad/" in k)
        with torch.no_grad():
            out["bf16/log_probs"] = log_probs(half, c)
            with half.disable_adapter():
                out["bf16/ref_log_probs"] = log_probs(half, c)
        ids = c["ids"][None]
        out["input_ids"], out["action"] = c["ids"], c["action"].to(torch.uint8)
        if c["grids"] is not None:
            base = model.get_base_model().model
            out["pixel_values"], out["image_grid_thw"] = c["pixels"], c["grids"]
            out["position_ids"] = base.get_rope_index(ids, (ids == IMAGE).int(), c["grids"])[0][:, 0]
        else:
            out["position_ids"] = torch.arange(len(c["ids"])).expand(3, -1)
        save_file({k: v.contiguous() for k, v in out.items()}, golden / f"{c['name']}.safetensors", {"format": "pt"})
        index.append(dict(name=c["name"], n_target=c["n_target"], clamp=c["clamp"]))
        print(
            f"{c['name']:8s} T={len(c['ids']):4d} ce={out['ce']:.5f} kl={out['kl']:.5f}  sdpa against eager: log-prob "
            f"{(out['log_probs'] - other['log_probs']).abs().max().item():.1e} gradient {noise:.1e}",
            flush=True,
        )
    (golden / "cases.json").write_text(json.dumps(index, indent=1) + "\n")
    trained = train(load(golden), cases)
    save_file({k: v.contiguous() for k, v in trained.items()}, golden / "train.safetensors", {"format": "pt"})
    print("training: losses", [f"{x:.4f}" for x in trained["losses"].tolist()], "norms", [f"{x:.3f}" for x in trained["norms"].tolist()])


if __name__ == "__main__":
    main(sys.argv[1])
