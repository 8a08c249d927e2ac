"""Writes trainer/tests/golden/adamw.safetensors: AdamW, clipping and the schedule as torch runs them.

usage: make_adamw.py OUT_FOLDER

Six parameters of odd sizes (whole vectors, tails, a single element), 12 steps with given gradients, weight decay 0.01, clip 1.0,
lr 1e-3 under a warm-up of 3 steps and a cosine over 10, so that the last steps lie beyond the planned total.
"""

import math
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

SHAPES = [(5, 7), (1, 1), (16, 64), (3, 33), (8, 100), (129, 2)]
STEPS, WARM, TOTAL, RATE = 12, 3, 10, 1e-3


def main(out):
    torch.set_num_threads(2)
    generator = torch.Generator().manual_seed(5)
    parameters = [torch.nn.Parameter(torch.randn(s, generator=generator)) for s in SHAPES]
    tensors = {f"start/{i}": p.detach().clone() for i, p in enumerate(parameters)}
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / WARM) * 0.5 * (1 + math.cos(math.pi * min(1.0, s / TOTAL)))
    )
    norms, rates = [], []
    for step in range(STEPS):
        for i, p in enumerate(parameters):
            # Some steps lie under the limit, some above it.
            p.grad = torch.randn(p.shape, generator=generator) * (0.003 if step % 3 == 0 else 0.4)
            tensors[f"gradient/{step}/{i}"] = p.grad.clone()
        rates.append(schedule.get_last_lr()[0])
        norms.append(torch.nn.utils.clip_grad_norm_(parameters, 1.0).clone())
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
    for i, p in enumerate(parameters):
        tensors[f"after/{i}"] = p.detach().clone()
        tensors[f"exp_avg/{i}"] = optimizer.state[p]["exp_avg"].clone()
        tensors[f"exp_avg_sq/{i}"] = optimizer.state[p]["exp_avg_sq"].clone()
    tensors["norms"] = torch.stack(norms)
    tensors["rates"] = torch.tensor(rates, dtype=torch.float64)
    save_file(tensors, str(Path(out) / "adamw.safetensors"), metadata={"torch": torch.__version__})


if __name__ == "__main__":
    main(sys.argv[1])
