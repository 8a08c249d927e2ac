"""Writes random.golden.json: what CPython's random.Random gives, for main/plan/python-random.test.ts.

    python3 main/plan/golden/make_random.py

Long results are kept as a SHA-256 over their decimal numbers joined by commas, beside the first ten.
"""

import hashlib
import json
import pathlib
import random
import sys

SEEDS = [0, 1, 2, 42, 12345, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**53 - 1, 2**63, 2**64 - 1, 2**64, 10**30]
SIZES = [0, 1, 2, 3, 5, 20, 21, 22, 63, 64, 65, 100, 623, 624, 625, 1000, 30000, 200_000]
SAMPLES = [
    (0, 0), (1, 0), (1, 1), (2, 1), (5, 5), (21, 5), (22, 5), (22, 6), (84, 5), (85, 6), (86, 6), (85, 21), (86, 21), (87, 22),
    (277, 22), (278, 22), (100, 100), (1045, 85), (1046, 85), (1045, 341), (1046, 341), (1046, 342), (5000, 342), (5000, 5000),
    (30000, 10), (30000, 1366), (30000, 5461), (16405, 5461), (16406, 5461), (30000, 5462), (30000, 29999),
    (65557, 21845), (65558, 21845), (200_000, 21846), (200_000, 50_000),
]


def summary(numbers):
    joined = ",".join(str(n) for n in numbers)
    return {"n": len(numbers), "first": numbers[:10], "sha256": hashlib.sha256(joined.encode()).hexdigest()}


def shuffled(generator, size):
    items = list(range(size))
    generator.shuffle(items)
    return items


def main():
    golden = {"python": sys.version.split()[0], "seeds": [], "chain": None}
    for seed in SEEDS:
        generator = random.Random(seed)
        entry = {"seed": str(seed), "random": [generator.random() for _ in range(5)]}
        entry["bits"] = [[k, str(generator.getrandbits(k))] for k in (0, 1, 7, 31, 32, 33, 64, 65, 100)]
        entry["below"] = [[n, generator._randbelow(n)] for n in (1, 2, 3, 7, 8, 9, 1000, 2**31 - 1, 2**31, 2**32 - 1)]
        entry["after"] = generator.random()
        golden["seeds"].append(entry)
    golden["shuffles"] = [[s, n, summary(shuffled(random.Random(s), n))] for s in (0, 7) for n in SIZES]
    golden["samples"] = [[s, n, k, summary(random.Random(s).sample(list(range(n)), k))] for s in (0, 7) for n, k in SAMPLES]
    # One generator, calls of every kind in turn: each has to leave the stream where CPython leaves it.
    generator, calls = random.Random(3), []
    for size in (5, 100, 1000, 24):
        calls.append([size, summary(shuffled(generator, size)), summary(generator.sample(list(range(size)), size // 4)), generator.random()])
    golden["chain"] = calls
    path = pathlib.Path(__file__).with_name("random.golden.json")
    path.write_text(json.dumps(golden, separators=(",", ":")).replace("},", "},\n").replace("]],", "]],\n") + "\n")


if __name__ == "__main__":
    main()
