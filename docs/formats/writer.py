"""Write an encoded dataset and a plan by hand: whatever a method is about, the trainer runs it.

The trainer (`whetstone-trainer train --plan plan.json`) reads two files: rows as token ids with what is supervised in them
(encoded-dataset.md), and a plan that says which row is visited when and how much it counts (plan.md). This module writes both. It needs
nothing but Python 3.9; copy it wherever you like. What it writes is checked first, and a file is there whole or not at all.

    import writer
    dataset = writer.read_dataset("encoded.safetensors")           # or make the rows yourself
    for row in dataset.rows:
        row["columns"]["weights"] = [1.0] * len(row["target_ids"])
    writer.write_dataset("mine.safetensors", dataset.rows, dataset.processor, dataset.fields)
    writer.write_plan("run/plan.json", ...)

At the bottom is a whole method in thirty lines: twice the weight on the tokens of coordinates.

A row is a dict:

    ids               list of int         token ids; an image stands as grid_t*grid_h*grid_w / merge**2 copies of the image token
    target_positions  list of int         ascending; the distribution AFTER the token at this position is scored ...
    target_ids        list of int         ... on this token (to train on the token at j: position j - 1, id ids[j])
    columns           {name: list}        optional; a number a target: 0/1 masks, weights, ... The same names in every row
    images            list of dict        optional; as `image(path, grid)` makes them, in the order of their placeholders
    name              str                 optional (in all rows or none); what to call the row in messages
    key               str                 optional (in all rows or none); 64 hex digits, identity of the row's content
    fallback          int                 optional (in all rows or none); see row.fallback in encoded-dataset.md
"""

import array
import collections
import hashlib
import json
import math
import os
import re
import struct
import sys

Dataset = collections.namedtuple("Dataset", "rows processor fields")
Dataset.__doc__ = "What `read_dataset` gives: rows (list of dicts as above), processor (dict), fields (list of str, or None)."

_CODES = {"U8": ("B", 1), "I32": ("i", 4), "I64": ("q", 8), "F32": ("f", 4)}


class FormatError(ValueError):
    """What was given is not what the formats allow; the message says which row or key and why."""


def _require(holds, message):
    if not holds:
        raise FormatError(message)


# ── images ────────────────────────────────────────────────────────────────────


def image(path, grid):
    """A reference to a PNG or JPEG file, with the size and hash that the trainer checks when it reads it.

    path: of the file. grid: (t, h, w) in patches, as the model's image processor gives it; t is 1 for a still image.
    Raises FormatError for another kind of file, OSError when it cannot be read.
    """
    with open(path, "rb") as file:
        content = file.read()
    return {
        "path": os.path.abspath(path),
        "grid": tuple(grid),
        "size": _image_size(content, path),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _image_size(content, path):
    """(height, width) in pixels, from the header."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        return height, width
    if content[:2] == b"\xff\xd8":
        at = 2
        while at + 9 <= len(content) and content[at] == 0xFF:
            marker = content[at + 1]
            if marker == 0xFF:  # padding
                at += 1
            elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # a frame header
                return struct.unpack(">HH", content[at + 5 : at + 9])
            else:
                at += 2 + struct.unpack(">H", content[at + 2 : at + 4])[0]
    raise FormatError(f"{path} is neither a PNG nor a JPEG whose header can be read")


# ── encoded dataset ───────────────────────────────────────────────────────────


def write_dataset(path, rows, processor, fields=None):
    """Write rows as an encoded dataset (encoded-dataset.md).

    path: of the file to write; its folder has to exist.
    rows: iterable of dicts, see the top of this module.
    processor: {"id": str, "image_token": int or None, "vocab": int, "image": None or {"patch", "temporal_patch", "merge", "mean", "std",
        "rescale"}}; datasets of one plan need the same id.
    fields: names of the values of the column `field`, needed where the rows have that column.
    A column is stored as U8 when all its numbers are ints (or bools) from 0 to 255, else as F32: write 1.0 where you mean a weight.
    Raises FormatError when something does not fit, before anything is written.
    """
    rows = list(rows)
    _check_processor(processor)
    columns = sorted(rows[0].get("columns", {})) if rows else []
    optional = [name for name in ("name", "key", "fallback") if rows and name in rows[0]]
    for index, row in enumerate(rows):
        where = f"row {index}" + (f" ({row['name']})" if "name" in row else "")
        _check_row(row, where, processor)
        _require(sorted(row.get("columns", {})) == columns, f"{where}: has the columns {sorted(row.get('columns', {}))}, the first row {columns}")
        _require([n for n in ("name", "key", "fallback") if n in row] == optional, f"{where}: name, key and fallback have to be in all rows or in none")
    for name in columns:
        _require(re.fullmatch(r"[a-z][a-z0-9_]*", name), f"column {name!r}: names are lower-case letters, digits and _")
    _require("field" not in columns or fields, "the column field needs the names of its values (fields)")

    images = [picture for row in rows for picture in row.get("images", ())]
    paths = [str(picture["path"]).encode("utf-8") for picture in images]
    tensors = {
        "ids": ("I32", None, (token for row in rows for token in row["ids"])),
        "ids.offsets": ("I64", None, _offsets(len(row["ids"]) for row in rows)),
        "target.positions": ("I32", None, [at for row in rows for at in row["target_positions"]]),
        "target.ids": ("I32", None, [token for row in rows for token in row["target_ids"]]),
        "target.offsets": ("I64", None, _offsets(len(row["target_ids"]) for row in rows)),
        "image.offsets": ("I64", None, _offsets(len(row.get("images", ())) for row in rows)),
        "image.grid": ("I32", [len(images), 3], [n for picture in images for n in picture["grid"]]),
        "image.size": ("I32", [len(images), 2], [n for picture in images for n in picture["size"]]),
        "image.bytes": ("I64", None, [picture["bytes"] for picture in images]),
        "image.sha256": ("U8", [len(images), 32], b"".join(bytes.fromhex(picture["sha256"]) for picture in images)),
        "image.path": ("U8", None, b"".join(paths)),
        "image.path.offsets": ("I64", None, _offsets(map(len, paths))),
    }
    for name in columns:
        values = [value for row in rows for value in row["columns"][name]]
        whole = all(isinstance(value, int) and 0 <= value <= 255 for value in values)
        _require(whole or name not in ("action", "field"), f"column {name}: has to hold whole numbers from 0 to 255")
        tensors[f"column.{name}"] = ("U8" if whole else "F32", None, values)
    if "action" in columns:
        _require(set(tensors["column.action"][2]) <= {0, 1}, "column action: has to hold 0 and 1")
    if "field" in columns:
        _require(max(tensors["column.field"][2], default=0) < len(fields), "column field: holds a value that fields has no name for")
    if "name" in optional:
        names = [row["name"].encode("utf-8") for row in rows]
        tensors["row.name"] = ("U8", None, b"".join(names))
        tensors["row.name.offsets"] = ("I64", None, _offsets(map(len, names)))
    if "key" in optional:
        tensors["row.key"] = ("U8", [len(rows), 32], b"".join(bytes.fromhex(row["key"]) for row in rows))
    if "fallback" in optional:
        tensors["row.fallback"] = ("U8", None, [row["fallback"] for row in rows])

    about = {"format": "encoded-dataset", "version": 1, "rows": len(rows), "processor": processor}
    if fields is not None:
        about["fields"] = list(fields)
    _write_whole(path, _safetensors(tensors, {"whetstone": json.dumps(about, ensure_ascii=False)}))


def read_dataset(path):
    """Read an encoded dataset into a `Dataset`, ready to be changed and written again. Image paths become absolute.

    Raises FormatError when the file is no encoded dataset of version 1.
    """
    with open(path, "rb") as file:
        content = file.read()
    _require(len(content) >= 8, f"{path}: is no safetensors file")
    (length,) = struct.unpack("<Q", content[:8])
    _require(8 + length <= len(content), f"{path}: is cut short")
    try:
        header = json.loads(content[8 : 8 + length])
        about = json.loads(header.pop("__metadata__")["whetstone"])
    except (ValueError, KeyError, TypeError):
        raise FormatError(f"{path}: is no encoded dataset") from None
    _require(about.get("format") == "encoded-dataset" and about.get("version") == 1, f"{path}: is no encoded dataset of version 1")

    def tensor(name):
        _require(name in header, f"{path}: the tensor {name} is missing")
        begin, end = header[name]["data_offsets"]
        values = array.array(_CODES[header[name]["dtype"]][0])
        values.frombytes(content[8 + length + begin : 8 + length + end])
        if sys.byteorder == "big":
            values.byteswap()
        return values

    ids, ids_at, folder = tensor("ids"), tensor("ids.offsets"), os.path.dirname(os.path.abspath(path))
    positions, target_ids, target_at = tensor("target.positions"), tensor("target.ids"), tensor("target.offsets")
    image_at, grid, size, sizes = tensor("image.offsets"), tensor("image.grid"), tensor("image.size"), tensor("image.bytes")
    hashes, paths, paths_at = tensor("image.sha256").tobytes(), tensor("image.path").tobytes(), tensor("image.path.offsets")
    columns = {name[len("column.") :]: tensor(name) for name in header if name.startswith("column.")}
    keys = tensor("row.key").tobytes() if "row.key" in header else None
    names, names_at = (tensor("row.name").tobytes(), tensor("row.name.offsets")) if "row.name" in header else (None, None)
    fallbacks = tensor("row.fallback") if "row.fallback" in header else None

    def picture(m):
        relative = paths[paths_at[m] : paths_at[m + 1]].decode("utf-8")
        return {
            "path": os.path.join(folder, relative), "grid": tuple(grid[3 * m : 3 * m + 3]), "size": tuple(size[2 * m : 2 * m + 2]),
            "bytes": sizes[m], "sha256": hashes[32 * m : 32 * m + 32].hex(),
        }

    rows = []
    for i in range(about["rows"]):
        targets = slice(target_at[i], target_at[i + 1])
        row = {
            "ids": ids[ids_at[i] : ids_at[i + 1]].tolist(),
            "target_positions": positions[targets].tolist(),
            "target_ids": target_ids[targets].tolist(),
            "columns": {name: values[targets].tolist() for name, values in columns.items()},
            "images": [picture(m) for m in range(image_at[i], image_at[i + 1])],
        }
        if names is not None:
            row["name"] = names[names_at[i] : names_at[i + 1]].decode("utf-8")
        if keys is not None:
            row["key"] = keys[32 * i : 32 * i + 32].hex()
        if fallbacks is not None:
            row["fallback"] = fallbacks[i]
        rows.append(row)
    return Dataset(rows, about["processor"], about.get("fields"))


def _check_processor(processor):
    for key in ("id", "image_token", "vocab", "image"):
        _require(key in processor, f"processor: {key} is missing")
    _require(isinstance(processor["vocab"], int) and processor["vocab"] > 0, "processor: vocab has to be a whole number above 0")
    if processor["image_token"] is not None:
        _require(processor["image"] is not None, "processor: image has to say how images are cut, since there is an image_token")
        for key in ("patch", "temporal_patch", "merge", "mean", "std", "rescale"):
            _require(key in processor["image"], f"processor: image.{key} is missing")


def _check_row(row, where, processor):
    ids, positions, targets = row["ids"], row["target_positions"], row["target_ids"]
    _require(all(0 <= token < processor["vocab"] for token in ids), f"{where}: a token id lies outside [0, {processor['vocab']})")
    _require(all(0 <= token < processor["vocab"] for token in targets), f"{where}: a target id lies outside [0, {processor['vocab']})")
    _require(len(positions) == len(targets), f"{where}: {len(positions)} target positions, but {len(targets)} target ids")
    _require(all(0 <= at < len(ids) for at in positions), f"{where}: a target position lies outside the row's {len(ids)} tokens")
    _require(all(a < b for a, b in zip(positions, positions[1:])), f"{where}: target positions have to ascend")
    for name, values in row.get("columns", {}).items():
        _require(len(values) == len(targets), f"{where}: column {name} has {len(values)} numbers, but there are {len(targets)} targets")
        _require(all(math.isfinite(value) for value in values), f"{where}: column {name} has a number that is not finite")
    if "key" in row:
        _require(re.fullmatch("[0-9a-f]{64}", row["key"]), f"{where}: key has to be 64 hex digits")
    if "fallback" in row:
        _require(row["fallback"] in (0, 1, 2), f"{where}: fallback has to be 0, 1 or 2")
    images = row.get("images", ())
    token = processor["image_token"]
    _require(not images or token is not None, f"{where}: has images, but the processor has no image_token")
    features = []
    for picture in images:
        _require(picture["path"], f"{where}: the path of an image is empty")
        _require(re.fullmatch("[0-9a-f]{64}", picture["sha256"]), f"{where}: {picture['path']}: sha256 has to be 64 hex digits")
        _require(len(picture["grid"]) == 3 and all(n > 0 for n in picture["grid"]), f"{where}: {picture['path']}: grid has to be (t, h, w)")
        _require(len(picture["size"]) == 2 and all(n > 0 for n in picture["size"]), f"{where}: {picture['path']}: size has to be (height, width)")
        t, h, w = picture["grid"]
        merge = processor["image"]["merge"]
        _require(h % merge == 0 and w % merge == 0, f"{where}: {picture['path']}: grid {h} x {w} is no multiple of {merge}")
        features.append(t * h * w // merge**2)
    runs = _runs(ids, token)
    _require(runs == features, f"{where}: runs of image placeholders are {runs}, but the images' grids give {features}")


def _runs(ids, token):
    """Lengths of the runs of `token` in ids."""
    runs, before = [], None
    for now in ids:
        if now == token and before == token:
            runs[-1] += 1
        elif now == token:
            runs.append(1)
        before = now
    return runs


def _offsets(lengths):
    offsets = [0]
    for length in lengths:
        offsets.append(offsets[-1] + length)
    return offsets


def _safetensors(tensors, metadata):
    """The bytes of a safetensors file. tensors: {name: (dtype, shape or None for one dimension, numbers or bytes)}."""
    header, parts, at = {"__metadata__": metadata}, [], 0
    # Widest numbers first, so that every tensor starts at a multiple of its own width.
    for name, (dtype, shape, values) in sorted(tensors.items(), key=lambda item: (-_CODES[item[1][0]][1], item[0])):
        code, width = _CODES[dtype]
        if isinstance(values, bytes):
            part = values
        else:
            numbers = array.array(code, values)
            if sys.byteorder == "big":
                numbers.byteswap()
            part = numbers.tobytes()
        header[name] = {"dtype": dtype, "shape": [len(part) // width] if shape is None else shape, "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text = json.dumps(header, ensure_ascii=False).encode("utf-8")
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *parts])


def _write_whole(path, content):
    """Under a temporary name first, so that nobody sees half a file."""
    temporary = os.path.join(os.path.dirname(os.path.abspath(path)), f".{os.path.basename(path)}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


# ── plan ──────────────────────────────────────────────────────────────────────

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def adapter(rank=16, alpha=32, dropout=0.05, branch_dtype="float32", targets=TARGETS, seed=0, load=None):
    """An entry of a plan's `adapters`: new weights drawn from `seed`, or those of the adapter folder `load`."""
    init = {"kind": "peft", "seed": seed} if load is None else {"kind": "load", "path": load}
    return {"rank": rank, "alpha": alpha, "dropout": dropout, "branch_dtype": branch_dtype, "targets": list(targets), "init": init}


def cross_entropy(name="ce", weights=None):
    """A role: the sum of weight * -log p. weights: name of a column, or None for 1 a target."""
    return {"name": name, "term": "cross_entropy", "weights": weights}


def k3(name="kl", weights=None, reference=None, clamp=(-20, 8)):
    """A role: the sum of weight * (exp(d) - d - 1), d = clamp(log p_ref - log p). reference: name of an adapter, or None for none."""
    return {"name": name, "term": "k3", "weights": weights, "reference": reference, "clamp": list(clamp)}


def visits_of(entries, rows_per_step, epoch=0, first_step=0):
    """Visits in which every row weighs the same: a step's loss is the mean over its rows of the row's weighted mean.

    entries: list of (row, role, weight_sum) or (row, role, weight_sum, factor): row is an index into the plan's rows, role into its roles,
        weight_sum the sum of the row's weights (the number of its targets where the role has no weights), factor what the role counts.
    rows_per_step: rows of an optimizer step; the last one may have fewer.
    Gives a list of dicts for `write_plan(visits=...)`. For several epochs, add the lists, with `first_step` counted on.
    """
    visits = []
    for start in range(0, len(entries), rows_per_step):
        group = entries[start : start + rows_per_step]
        for row, role, weight_sum, *factor in group:
            _require(weight_sum > 0, f"visit of row {row}: the sum of its weights has to be above 0, not {weight_sum}")
            coefficient = (factor[0] if factor else 1.0) / (len(group) * weight_sum)
            visits.append({"step": first_step + start // rows_per_step, "row": row, "role": role, "epoch": epoch, "coefficient": coefficient})
    return visits


def write_plan(
    path, *, name, model, datasets, rows, roles, visits, output, recipe="by hand", adapters=None, groups=(), evaluations=None, actions=None,
    ranks=1, settings=None, lr=1e-4, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, clip_norm=1.0, schedule=None, log="train_log.jsonl",
    log_every_rows=50, meta=None, device="auto", threads=2, recompute=True, dropout_seed=0, resume_every_seconds=600, resume_keep=2,
):
    """Write plan.json (plan.md). Its folder has to exist, and is where events and resume state will go.

    path: of plan.json.
    name: of the run.
    model: {"path": folder, "name": what goes into adapter_config.json, "revision": str or None, "dtype": "bfloat16" or "float32"}.
    datasets: paths of encoded datasets (relative ones count from the plan's folder).
    rows: list of dicts {"dataset": index, "row": index in it, "name": str, "group": index into groups, or -1 (the default)}.
    roles: list of `cross_entropy(...)` and `k3(...)`.
    visits: list of dicts in the order of the run {"step", "row", "role", "coefficient", and optionally "epoch" (0), "rank" (0), "forward"}; the
        loss of a step is the sum over its visits of coefficient * the sum over targets of weight * term. `forward`: visits of one step and
        rank with the same number run in one forward; by default each has its own. `visits_of` makes such a list.
    output: the adapter's folder.
    adapters: {name: adapter(...)}; "default" is trained. Default: one new adapter of rank 16.
    evaluations: {name: list of row indices}: held-out rows, on which the mean -log p is measured.
    actions: list of dicts {"after_rows", "save": name, "evaluate": [names]}. Default: every evaluation at the start and at the end, and a save
        called "final" at the end.
    schedule: default a warm-up of 3 % of the steps, then a cosine to 0; {"kind": "constant"} for none.
    log: name of the log file, or None. meta: {"file", "fields", "val_ce"}, or None.
    Raises FormatError when something does not fit, before anything is written.
    """
    steps = visits[-1]["step"] + 1 if visits else 0
    forwards = collections.Counter()
    order = {key: [] for key in ("step", "rank", "forward", "row", "role", "epoch", "coefficient")}
    for visit in visits:
        rank = visit.get("rank", 0)
        order["step"].append(visit["step"])
        order["rank"].append(rank)
        order["forward"].append(visit.get("forward", forwards[visit["step"], rank]))
        order["row"].append(visit["row"])
        order["role"].append(visit["role"])
        order["epoch"].append(visit.get("epoch", 0))
        order["coefficient"].append(visit["coefficient"])
        forwards[visit["step"], rank] += 1
    evaluations = evaluations or {}
    if actions is None:
        named = {"evaluate": list(evaluations)} if evaluations else {}
        actions = [{"after_rows": 0, **named}] if named else []
        actions.append({"after_rows": len(visits), "save": "final", **named})
    plan = {
        "format": "whetstone-plan", "version": 1, "recipe": recipe, "name": name, "settings": settings or {},
        "model": {"revision": None, "dtype": "bfloat16", **model},
        "adapters": adapters or {"default": adapter()},
        "roles": list(roles), "datasets": [str(file) for file in datasets],
        "rows": {
            "dataset": [row["dataset"] for row in rows], "row": [row["row"] for row in rows], "name": [row["name"] for row in rows],
            "group": [row.get("group", -1) for row in rows],
        },
        "groups": list(groups), "ranks": ranks,
        "phases": [{"kind": "train", "steps": steps, "order": order, "actions": actions}],
        "optimizer": {"kind": "adamw", "lr": lr, "betas": list(betas), "eps": eps, "weight_decay": weight_decay, "clip_norm": clip_norm},
        "schedule": schedule or {"kind": "warmup_cosine", "warmup_steps": max(1, int(0.03 * steps)), "total_steps": max(1, steps)},
        "evaluations": {key: {"rows": list(indices), "hash": _row_set_hash(rows, indices)} for key, indices in evaluations.items()},
        "output": {"folder": str(output), "log": {"file": log, "every_rows": log_every_rows} if log else None, "meta": meta},
        "execution": {
            "device": device, "threads": threads, "recompute": recompute, "dropout_seed": dropout_seed,
            "resume_every_seconds": resume_every_seconds, "resume_keep": resume_keep,
        },
    }
    _check_plan(plan)
    _write_whole(path, (_lay_out(plan) + "\n").encode("utf-8"))


def _row_set_hash(rows, indices):
    """Identity of an evaluation's rows: by key where rows have one ("key" in their dicts), else by name."""
    keys = sorted(str(rows[i].get("key", rows[i]["name"])) for i in indices if 0 <= i < len(rows))
    return hashlib.sha256("".join(f"{key}\n" for key in keys).encode("utf-8")).hexdigest()


def _check_plan(plan):
    rows, order = plan["rows"], plan["phases"][0]["order"]
    count, visits, steps = len(rows["row"]), len(order["row"]), plan["phases"][0]["steps"]
    _require(visits > 0, "visits: there are none")
    _require("default" in plan["adapters"], 'adapters: there is no "default", the one that is trained')
    for key in ("path", "name"):
        _require(plan["model"].get(key), f"model: {key} is missing")
    _indices("rows: dataset", rows["dataset"], len(plan["datasets"]))
    _indices("rows: group", [group for group in rows["group"] if group != -1], len(plan["groups"]))
    _indices("visits: row", order["row"], count)
    _indices("visits: role", order["role"], len(plan["roles"]))
    _indices("visits: rank", order["rank"], plan["ranks"])
    for index, coefficient in enumerate(order["coefficient"]):
        _require(math.isfinite(coefficient), f"visits: coefficient of visit {index} is {coefficient}")
    _require(order["step"] == sorted(order["step"]), "visits: have to be sorted by step")
    _require(sorted(set(order["step"])) == list(range(steps)), "visits: steps have to count 0, 1, 2, ... without a gap")
    for role in plan["roles"]:
        reference = role.get("reference")
        _require(reference is None or reference in plan["adapters"], f"role {role['name']}: there is no adapter {reference}")
    for name, evaluation in plan["evaluations"].items():
        _indices(f"evaluation {name}", evaluation["rows"], count)
        _require(evaluation["rows"], f"evaluation {name}: has no rows")
    saves, after = set(), 0
    for action in plan["phases"][0]["actions"]:
        _require(after <= action["after_rows"] <= visits, f"actions: after_rows {action['after_rows']} has to ascend, up to the {visits} visits")
        after = action["after_rows"]
        for name in action.get("evaluate", ()):
            _require(name in plan["evaluations"], f"actions: there is no evaluation {name}")
        if "save" in action:
            _require(action["save"] not in saves, f"actions: {action['save']} is saved twice")
            saves.add(action["save"])
    numbers = {key: plan["optimizer"][key] for key in ("lr", "eps", "weight_decay")}
    for key, value in numbers.items():
        _require(math.isfinite(value) and value >= 0, f"{key}: has to be a finite number of 0 or more, not {value}")
    for name, entry in plan["adapters"].items():
        _require(isinstance(entry["rank"], int) and entry["rank"] > 0, f"adapter {name}: rank has to be a whole number above 0")
        _require(math.isfinite(entry["alpha"]) and entry["alpha"] > 0, f"adapter {name}: alpha has to be above 0")
        _require(0 <= entry["dropout"] < 1, f"adapter {name}: dropout has to be from 0 to under 1")


def _indices(name, values, end):
    for value in values:
        _require(isinstance(value, int) and 0 <= value < end, f"{name}: {value} is no index below {end}")


def _lay_out(value, indent=""):
    """JSON with a list of plain values a line, however long."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{deeper}{json.dumps(key, ensure_ascii=False)}: {_lay_out(entry, deeper)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + indent + "}"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# ── an example: a method that no recipe has ───────────────────────────────────


def twice_the_weight_on_coordinates(source, model, run_folder, output, rows_per_step=4, epochs=1, held_out=0, lr=1e-4, seed=0):
    """Cross-entropy in which tokens of coordinates count twice, on the rows of the encoded dataset `source`.

    Writes run_folder/weighted.safetensors (the rows with a column `weights`) and run_folder/plan.json. The last `held_out` rows are not trained
    on, but evaluated before and after. model: as for `write_plan`. Gives the path of the plan.
    """
    import random

    dataset = read_dataset(source)
    _require(dataset.fields and "coordinates" in dataset.fields, f"{source}: its fields do not say which tokens are coordinates")
    coordinates = dataset.fields.index("coordinates")
    for row in dataset.rows:
        row["columns"]["weights"] = [2.0 if field == coordinates else 1.0 for field in row["columns"]["field"]]
    os.makedirs(run_folder, exist_ok=True)
    write_dataset(os.path.join(run_folder, "weighted.safetensors"), dataset.rows, dataset.processor, dataset.fields)

    names = [row.get("name", f"row {i}") for i, row in enumerate(dataset.rows)]
    trained = list(range(len(dataset.rows) - held_out))
    generator, visits = random.Random(seed), []
    for epoch in range(epochs):
        generator.shuffle(trained)
        entries = [(i, 0, sum(dataset.rows[i]["columns"]["weights"])) for i in trained]
        visits += visits_of(entries, rows_per_step, epoch, first_step=visits[-1]["step"] + 1 if visits else 0)
    path = os.path.join(run_folder, "plan.json")
    write_plan(
        path, name="coordinates-twice", recipe="coordinates-twice", model=model, datasets=["weighted.safetensors"],
        rows=[{"dataset": 0, "row": i, "name": row_name} for i, row_name in enumerate(names)],
        roles=[cross_entropy("ce", weights="weights")], visits=visits, output=os.path.abspath(output), lr=lr, dropout_seed=seed,
        evaluations={"held_out": range(len(trained), len(dataset.rows))} if held_out else None,
        settings={"coordinates": 2.0, "rows_per_step": rows_per_step, "epochs": epochs, "seed": seed},
    )
    return path


def main():
    import argparse

    parser = argparse.ArgumentParser(description="Plan a run in which tokens of coordinates count twice.")
    parser.add_argument("source", help="an encoded dataset whose column `field` names coordinates")
    parser.add_argument("model", help="folder of the base model")
    parser.add_argument("run_folder", help="where the dataset, plan.json and the run's events go")
    parser.add_argument("--out", required=True, help="the adapter's folder")
    parser.add_argument("--dtype", choices=["bfloat16", "float32"], default="bfloat16", help="of the base weights (default bfloat16)")
    parser.add_argument("--rows-per-step", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--held-out", type=int, default=0, help="evaluate on so many of the last rows, and do not train on them")
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    model = {"path": os.path.abspath(args.model), "name": os.path.basename(os.path.abspath(args.model)), "dtype": args.dtype}
    try:
        path = twice_the_weight_on_coordinates(
            args.source, model, args.run_folder, args.out, args.rows_per_step, args.epochs, args.held_out, args.lr, args.seed
        )
    except (FormatError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    print(f"wrote {path}: start it with `whetstone-trainer train --plan {path}`")


if __name__ == "__main__":
    main()
