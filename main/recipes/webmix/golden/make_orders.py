"""Writes orders.golden.json: a made-up pool and the orders that webmix has to give for it, for main/recipes/webmix/orders.test.ts.

    python3 main/recipes/webmix/golden/make_orders.py

An oracle that shares nothing with the TypeScript: it plays every rank of a run, row by row, on CPython's own generator and hashlib.
A visit is written as "row/role/epoch/step/rank/divisor" (row: its index in the pool; divisor: what a sum over the row's weighted targets is divided by
in its optimizer step: accumulation x ranks x weighted targets, never rescaled for what an epoch leaves over). Orders are kept as a SHA-256 over the
visits joined by spaces, beside the first twenty.
"""

import collections
import hashlib
import json
import math
import pathlib
import random

FAMILIES = [
    "Drag & gesture", "Discrete selection", "Text entry", "Form transaction", "Navigation", "Out-of-page I/O", "Reasoning base",
    "Other", "planner",
]
PRESETS = {
    "pooled": FAMILIES[:7], "drag": FAMILIES[:1], "io": FAMILIES[5:6], "select": FAMILIES[1:2],
    "rest": [FAMILIES[2], FAMILIES[3], FAMILIES[4], FAMILIES[6]], "reasoning": FAMILIES[6:7], "planner": FAMILIES[8:],
}
DEFAULTS = {
    "adapter": None, "families": None, "epochs": 3, "gradAccum": 8, "beta": 0.1, "anchorRatio": 0.5, "limit": 0, "maxSteps": 0,
    "saveEvery": 5000, "seed": 0, "excludeVariants": [], "frac": 1.0, "episodeIds": None, "dropDone": False, "ceOn": "all", "initAdapter": None,
}

Row = collections.namedtuple("Row", "task family op parts")


def make_pool():
    """About 150 episodes, some of them recoveries and chains; with multi-byte ids, and parts that are there but empty."""
    draw = random.Random(2026)
    plain, rows = [], []

    def episode(task, family, parts=None):
        for i in range(count := draw.randrange(1, 6)):
            rows.append(Row(task, family, "done" if i == count - 1 else draw.choice(["click", "type", "macro_done", None]), parts))

    for i in range(110):
        plain.append(f"tâche-{i}" if i % 17 == 0 else f"{draw.choice(['wizz', 'mini', 'shop'])}-task-{i}")
        episode(plain[-1], FAMILIES[draw.choice([0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 7, 8])])
    for i in range(20):
        source = draw.choice(plain)
        episode(source + draw.choice(["~rec", "~2~rec", "~slow"]), draw.choice(FAMILIES[:7]), [] if i % 5 == 0 else None)
    for i in range(20):
        episode(f"chain-{i}", draw.choice(FAMILIES[:7]), draw.sample(plain, draw.randrange(2, 4)) if i % 6 else None)
    return rows


def unit(text):
    return int.from_bytes(hashlib.md5(text.encode("utf-8")).digest()[:4], "big") / (2**32 - 1)


def variant(task):
    if task[-4:] == "~rec":
        return "recovery"
    return "chain" if task[:6] == "chain-" else "plain"


def weighted_targets(index, role, ce_on):
    """Of the lengths that the test gives its rows; some have no target in the action."""
    targets = 10 + index % 7
    return targets if role == "ce" and ce_on == "all" else max(1, 0 if index % 11 == 0 else targets - 4)


def play(pool, given, ranks):
    s = {**DEFAULTS, **given}
    own = set(s["families"] or PRESETS[s["adapter"]])
    ce, others, held = [], [], []
    for index, row in enumerate(pool):
        sources = row.parts or [row.task.partition("~")[0]]
        if variant(row.task) in s["excludeVariants"] or (s["dropDone"] and row.op == "done"):
            continue
        if min(unit(t) for t in sources) < 0.05:
            held.append(index)
        elif s["frac"] < 1 and max(unit("frac:" + t) for t in sources) >= s["frac"]:
            continue
        elif s["episodeIds"] is not None and not set(sources) <= set(s["episodeIds"]):
            continue
        else:
            (ce if row.family in own else others).append(index)
    if not s["beta"] > 0:
        others = []
    generator = random.Random(s["seed"])
    if s["limit"]:
        generator.shuffle(ce)
        del ce[s["limit"]:]

    anchors = round(len(ce) * s["anchorRatio"]) if others else 0
    planned_epoch = (len(ce) + anchors) - (len(ce) + anchors) % ranks
    total = math.ceil(planned_epoch * float(s["epochs"]))
    total -= total % ranks
    if s["maxSteps"]:
        total = min(total, s["maxSteps"] - s["maxSteps"] % ranks)
    accumulation = max(1, s["gradAccum"] // ranks)

    visits, saves, step, epoch, last_saved = [], [], 0, 0, 0
    while len(visits) < total:
        mixed = [(i, "ce") for i in ce] + [(i, "kl") for i in generator.sample(others, min(anchors, len(others)))]
        generator.shuffle(mixed)
        shares = [mixed[r : len(mixed) - len(mixed) % ranks : ranks] for r in range(ranks)]
        shares = [share[: (total - len(visits)) // ranks] for share in shares]
        for turn, together in enumerate(zip(*shares), start=1):
            for rank, (index, role) in enumerate(together):
                divisor = accumulation * ranks * weighted_targets(index, role, s["ceOn"])
                visits.append(f"{index}/{role}/{epoch}/{step}/{rank}/{divisor}")
            at_end = len(visits) == total
            if turn % accumulation == 0 or at_end:
                step += 1
                if s["saveEvery"] and not at_end and len(visits) // s["saveEvery"] > last_saved // s["saveEvery"]:
                    last_saved = len(visits)
                    saves.append([f"rows_{last_saved}", last_saved])
        epoch += 1
        if len(visits) < total:
            saves.append([f"epoch_{epoch}", len(visits)])

    validation = [i for i in held if pool[i].family in own]
    random.Random(1).shuffle(validation)
    planned_steps = max(1, total // (accumulation * ranks))
    return {
        "ce": len(ce), "pool": len(others), "anchors": anchors, "validation": validation[:200], "visits": len(visits),
        "plannedSteps": planned_steps, "steps": step, "warmup": max(1, int(0.03 * planned_steps)), "accumulation": accumulation,
        "saves": saves, "first": visits[:20], "last": visits[-3:], "sha256": hashlib.sha256(" ".join(visits).encode()).hexdigest(),
    }


def main():
    pool = make_pool()
    tasks = sorted({t for row in pool for t in (row.parts or [row.task.partition("~")[0]])})
    some = tasks[::2] + ["not-in-the-pool"]
    cases = [
        (1, {"adapter": "drag"}),
        (1, {"adapter": "pooled", "epochs": 1, "beta": 0}),
        (1, {"adapter": "pooled", "epochs": 2}),
        (1, {"adapter": "rest", "limit": 17, "seed": 5}),
        (2, {"adapter": "rest", "limit": 100000, "seed": 6}),
        (2, {"adapter": "select", "maxSteps": 101}),
        (1, {"adapter": "io", "epochs": 0.5}),
        (3, {"adapter": "io", "epochs": 1.3}),
        (1, {"adapter": "rest", "anchorRatio": 4, "epochs": 2, "saveEvery": 100}),
        (4, {"adapter": "rest", "anchorRatio": 3.7, "epochs": 1.3, "saveEvery": 64}),
        (8, {"adapter": "drag", "gradAccum": 4}),
        (3, {"adapter": "drag", "gradAccum": 8, "epochs": 3}),
        (4, {"adapter": "select", "gradAccum": 8, "seed": 2**40 + 17, "anchorRatio": 0.25}),
        (1, {"adapter": "rest", "frac": 0.3}),
        (2, {"adapter": "pooled", "frac": 0.1, "epochs": 3, "beta": 0}),
        (1, {"adapter": "drag", "episodeIds": some}),
        (1, {"adapter": "drag", "excludeVariants": ["recovery"]}),
        (2, {"adapter": "drag", "excludeVariants": ["chain", "plain"], "epochs": 2}),
        (1, {"adapter": "select", "dropDone": True, "excludeVariants": ["chain"]}),
        (1, {"adapter": "drag", "gradAccum": 7, "saveEvery": 10, "epochs": 2.75}),
        (2, {"adapter": "drag", "gradAccum": 1000, "epochs": 2}),
        (1, {"adapter": "planner", "anchorRatio": 0}),
        (1, {"families": ["Other", "Drag & gesture"], "epochs": 1, "saveEvery": 0, "anchorRatio": 0.1}),
        (2, {"adapter": "rest", "gradAccum": 2, "saveEvery": 20, "limit": 40, "anchorRatio": 0.5, "epochs": 2}),
        (1, {"adapter": "drag", "ceOn": "action", "epochs": 2}),
        (4, {"adapter": "io", "ceOn": "action", "gradAccum": 12, "epochs": 1.7, "beta": 0.02}),
        (2, {"adapter": "select", "initAdapter": "/adapters/pooled", "anchorRatio": 0.25, "epochs": 2}),
        (1, {"adapter": "rest", "initAdapter": "/adapters/pooled", "beta": 0, "epochs": 1, "seed": 77}),
        (1, {"adapter": "drag", "maxSteps": 3}),
        (16, {"adapter": "pooled", "beta": 0, "gradAccum": 40, "epochs": 2}),
        (5, {"adapter": "rest", "gradAccum": 12, "epochs": 2.5, "anchorRatio": 0.3, "saveEvery": 33}),
        (1, {"adapter": "rest", "frac": 0.6, "episodeIds": some, "excludeVariants": ["chain"], "dropDone": True, "limit": 20, "epochs": 4}),
        (8, {"adapter": "io", "anchorRatio": 20, "epochs": 2, "gradAccum": 24, "saveEvery": 50}),
    ]
    golden = {
        "families": FAMILIES,
        "pool": [[r.task, FAMILIES.index(r.family), r.op, r.parts] for r in pool],
        "cases": [{"ranks": ranks, "settings": s, "wanted": play(pool, s, ranks)} for ranks, s in cases],
    }
    text = "{\n" + ",\n".join(
        f'"{key}": ' + ("[\n" + ",\n".join(json.dumps(x, ensure_ascii=False, separators=(",", ":")) for x in value) + "\n]")
        for key, value in golden.items()
    ) + "\n}\n"
    pathlib.Path(__file__).with_name("orders.golden.json").write_text(text, encoding="utf-8")
    for case in golden["cases"]:
        w = case["wanted"]
        print(case["ranks"], {k: v for k, v in case["settings"].items() if k != "episodeIds"}, {k: w[k] for k in ("ce", "pool", "anchors", "visits", "plannedSteps", "steps")}, len(w["saves"]))


if __name__ == "__main__":
    main()
