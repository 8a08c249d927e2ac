"""Writes torch-random.golden.json: what torch.randperm and DistributedSampler give, for main/plan/torch-random.test.ts.

    python main/plan/golden/make_torch_random.py

Long results are kept as a SHA-256 over their decimal numbers joined by commas, beside the first ten. Needs torch.
"""

import json
import pathlib

import torch
from make_random import summary
from torch.utils.data import DistributedSampler

SEEDS = [0, 1, 42, 2**31, 2**32 - 1, 2**32, 2**32 + 42, 2**53 - 1, 2**63, 2**64 - 1]
SIZES = [0, 1, 2, 3, 5, 16, 100, 623, 624, 625, 1000, 27646]
LARGE = [(100_003, 7), (1_000_000, 0)]
SAMPLERS = [  # size, ranks, seed, epochs; the last ones have fewer rows than ranks, so that rows repeat more than once
    (1, 1, 0, 2), (10, 1, 0, 3), (10, 2, 0, 3), (10, 3, 5, 3), (10, 4, 5, 2), (97, 8, 123, 2), (4096, 8, 0, 2), (27646, 3, 2**31, 2),
    (5, 8, 0, 2), (3, 8, 9, 2), (1, 4, 1, 1),
]


def main():
    golden = {"torch": torch.__version__, "permutations": [], "samplers": []}
    for size, seed in [(size, seed) for size in SIZES for seed in SEEDS] + LARGE:
        generator = torch.Generator().manual_seed(seed)
        golden["permutations"].append([size, str(seed), summary(torch.randperm(size, generator=generator).tolist())])
    for size, ranks, seed, epochs in SAMPLERS:
        for rank in range(ranks):
            sampler = DistributedSampler(range(size), num_replicas=ranks, rank=rank, seed=seed)
            for epoch in range(epochs):
                sampler.set_epoch(epoch)
                golden["samplers"].append([{"size": size, "ranks": ranks, "rank": rank, "seed": seed, "epoch": epoch}, summary(list(sampler))])
    path = pathlib.Path(__file__).with_name("torch-random.golden.json")
    path.write_text(json.dumps(golden, separators=(",", ":")).replace("}],", "}],\n") + "\n")
    print(len(golden["permutations"]), "permutations,", len(golden["samplers"]), "samplers,", path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
