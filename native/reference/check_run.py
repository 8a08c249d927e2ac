"""Is what a finished webmix run saved and reported what transformers + PEFT say about the same files?

usage: check_run.py RUN_FOLDER [--trainer PROGRAM] [--steps 12] [--threads 1] [--work FOLDER]

RUN_FOLDER holds plan.json and events.jsonl (docs/formats). Nothing in it is changed. Of the trainer, only files are used: the pixels, the forward,
the losses, the gradients, the clipping and the optimizer are Pillow's, transformers', PEFT's and torch's. Compared are
  1. the held-out CE of the initial and of every saved adapter, loaded by PEFT, with each evaluation event, row by row and in the mean;
     the initial one of a new adapter is the base with the adapter switched off;
  2. the losses of optimizer step 0, before anything is learnt (a new adapter has B = 0, so dropout cannot matter there);
  3. keys, shapes and dtypes of every saved adapter, and every field of its adapter_config.json, with what PEFT's save_pretrained writes;
     DONE, whetstone.json and its hashes;
  4. a new adapter's initial values, bit for bit, with PEFT's for that seed;
  5. the first --steps optimizer steps, dropout 0: the trainer (by default the program that run.json names) runs them again in a new folder under
     --work (default: a temporary folder, removed at the end), and a plain loop of torch's AdamW does the same. Each visit's loss, each step's
     gradient norm and rate, and the adapter at the end.

Prints a table and ends with status 1 when a line is outside its tolerance. For runs with a float32 base and float32 branches, on the CPU: the
tolerances are those of float32. Needs torch, transformers, peft and Pillow.
"""

import no_torchvision  # noqa: F401
import argparse
import copy
import hashlib
import io
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.utils import load_peft_weights
from PIL import Image
from safetensors import safe_open
from transformers import Qwen3_5ForConditionalGeneration

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/formats"))
import writer  # noqa: E402

HELD_OUT, FIRST_CE, REPLAY_CE, KL, ADAPTER, NORM = 1e-5, 3e-6, 3e-6, 1e-5, 1e-4, 1e-4


class Table:
    """What was compared: the largest difference of each line, and whether it is within its tolerance."""

    def __init__(self):
        self.lines = []

    def add(self, what, count, difference, tolerance, note=""):
        good = difference <= tolerance  # a nan is not
        numbers = (f"{difference:.1e}", f"{tolerance:.0e}") if tolerance else (str(difference), "0")  # without a tolerance: a number of things
        self.lines.append((what, str(count), *numbers, "ok" if good else "FAILED", note))

    def show(self):
        head = ("compared", "n", "difference", "tolerance", "", "")
        widths = [max(len(line[i]) for line in [head, *self.lines]) for i in range(5)]
        for line in [head, *self.lines]:
            print("  ".join([line[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(line[1:5], widths[1:5])] + [line[5]]).rstrip())
        return all(line[4] == "ok" for line in self.lines)


def relative(ours, theirs):
    return abs(ours - theirs) / abs(theirs)


# ── a run's files ─────────────────────────────────────────────────────────────


class Run:
    """plan.json and the rows that it names. Paths are absolute afterwards."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.plan_bytes = (self.folder / "plan.json").read_bytes()
        self.plan = plan = json.loads(self.plan_bytes)
        absolute = lambda path: str(self.folder / path)
        plan["datasets"] = [absolute(path) for path in plan["datasets"]]
        plan["model"]["path"] = absolute(plan["model"]["path"])
        for adapter in plan["adapters"].values():
            if adapter["init"]["kind"] == "load":
                adapter["init"]["path"] = absolute(adapter["init"]["path"])
        if plan["recipe"] != "webmix" or len(plan["phases"]) != 1:
            sys.exit(f"{folder}: is no webmix run of one phase")
        if any(d != "float32" for d in [plan["model"]["dtype"], *(a["branch_dtype"] for a in plan["adapters"].values())]):
            sys.exit(f"{folder}: the base or a branch is not float32, which the tolerances here are for")
        self.order = plan["phases"][0]["order"]
        self.own = plan["adapters"]["default"]
        self.datasets = [writer.read_dataset(path) for path in plan["datasets"]]

    def row(self, index):
        """The encoded row behind row `index` of the plan, with its dataset's processor."""
        dataset = self.datasets[self.plan["rows"]["dataset"][index]]
        return dataset.rows[self.plan["rows"]["row"][index]], dataset.processor

    def weights(self, index, role):
        """fp32 [n], n = the row's targets."""
        row, _ = self.row(index)
        column = self.plan["roles"][role]["weights"]
        return torch.tensor(row["columns"][column] if column else [1.0] * len(row["target_ids"]), dtype=torch.float32)


def read_events(folder):
    """The events of a run that finished. Of lines that a resume replaced (same visit, same evaluation), the later one counts."""
    steps, evaluations, checkpoints, finished = {}, {}, {}, False
    for line in (Path(folder) / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event["kind"] == "step":
            steps[event["step"]] = event
        elif event["kind"] == "evaluation" and event["set"] == "held_out":
            evaluations[event["rows"]] = event
        elif event["kind"] == "checkpoint":
            checkpoints[event["rows"]] = event
        finished = event["kind"] == "finished"
    if not finished:
        sys.exit(f"{folder}: the run did not finish")
    return steps, evaluations, checkpoints


# ── transformers and PEFT ─────────────────────────────────────────────────────


def pixel_rows(picture, processor):
    """fp32 [h * w, 3 * temporal_patch * patch^2], as the model takes them: blocks of merge x merge patches, a patch as (channel, time, y, x)."""
    content = Path(picture["path"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != picture["sha256"]:
        sys.exit(f"{picture['path']}: was changed after it was encoded")
    image = Image.open(io.BytesIO(content)).convert("RGB")
    _, h, w = picture["grid"]
    about = processor["image"]
    patch, merge, repeat = about["patch"], about["merge"], about["temporal_patch"]
    values = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8).view(image.height, image.width, 3).permute(2, 0, 1)
    if (image.height, image.width) != (h * patch, w * patch):
        values = torch.ops.aten._upsample_bicubic2d_aa(values[None], [h * patch, w * patch], False, None, None)[0]
    scaled = lambda numbers: torch.tensor(numbers, dtype=torch.float32)[:, None, None] * (1 / about["rescale"])
    values = (values.float() - scaled(about["mean"])) / scaled(about["std"])
    values = values.reshape(3, h // merge, merge, patch, w // merge, merge, patch).permute(1, 4, 2, 5, 0, 3, 6)
    return values.unsqueeze(5).expand(-1, -1, -1, -1, -1, repeat, -1, -1).reshape(h * w, -1)


def log_probs(model, run, index):
    """fp32 [n]: log p of each target of row `index` of the plan."""
    row, processor = run.row(index)
    ids = torch.tensor([row["ids"]])
    images = {}
    if row["images"]:
        images = dict(
            pixel_values=torch.cat([pixel_rows(picture, processor) for picture in row["images"]]),
            image_grid_thw=torch.tensor([picture["grid"] for picture in row["images"]]),
            mm_token_type_ids=(ids == processor["image_token"]).int(),
        )
    keep = torch.tensor(row["target_positions"])
    logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), logits_to_keep=keep, use_cache=False, **images).logits[0]
    return torch.log_softmax(logits.float(), -1).gather(-1, torch.tensor(row["target_ids"])[:, None])[:, 0]


def load_base(run):
    base = Qwen3_5ForConditionalGeneration.from_pretrained(run.plan["model"]["path"], dtype=torch.float32).eval()
    base.config.use_cache = False
    return base


def new_adapter(base, own, dropout, seed=0):
    """A new adapter as the plan's entry `own` describes it, drawn by PEFT."""
    config = LoraConfig(
        r=own["rank"], lora_alpha=own["alpha"], lora_dropout=dropout, bias="none", task_type="CAUSAL_LM", target_modules=own["targets"]
    )
    torch.manual_seed(seed)
    return get_peft_model(base, config)


def without_dropout(base, own):
    """The adapter as it is before training, new or loaded, ready to be trained without dropout."""
    if own["init"]["kind"] == "peft":
        return new_adapter(base, own, 0.0, own["init"]["seed"])
    model = PeftModel.from_pretrained(base, own["init"]["path"], is_trainable=True)
    for module in model.modules():
        if hasattr(module, "lora_dropout"):
            module.lora_dropout["default"] = torch.nn.Identity()
    return model


def trained(model):
    """{key as PEFT saves it: the parameter}"""
    return {name.replace(".default", ""): p for name, p in model.named_parameters() if p.requires_grad}


def term_sum(role, lp, reference, weights):
    """The sum over targets of weight * term, before the coefficient."""
    if role["term"] == "cross_entropy":
        return -(lp * weights).sum()
    d = (reference - lp).clamp(*role["clamp"])
    return ((d.exp() - d - 1) * weights).sum()


# ── the comparisons ───────────────────────────────────────────────────────────


def check_evaluation(table, label, model, run, event):
    """`event`'s held-out CE against the model's."""
    rows = run.plan["evaluations"]["held_out"]["rows"]
    with torch.no_grad():
        sums = [-log_probs(model, run, index).double().sum().item() for index in rows]
    means = [total / len(run.row(index)[0]["target_ids"]) for total, index in zip(sums, rows)]
    mean = math.fsum(means) / len(means)
    if event["n"] != len(rows):
        sys.exit(f"{label}: the event has {event['n']} rows, the plan {len(rows)}")
    note = f"trainer {event['mean']:.9f}, transformers {mean:.9f}"
    table.add(f"held-out CE, {label}: mean", len(rows), relative(event["mean"], mean), HELD_OUT, note)
    table.add(f"held-out CE, {label}: worst row", len(rows), max(map(relative, event["sums"], sums)), HELD_OUT)


def check_first_step(table, base, run, step):
    """Step 0 of the run itself against the base: only for a new adapter, whose B is 0."""
    ce, kl = [], []
    for visit in step["visits"]:
        role = run.plan["roles"][visit["role"]]
        with torch.no_grad():
            lp = log_probs(base, run, visit["r"])
        theirs = term_sum(role, lp, lp, run.weights(visit["r"], visit["role"])).item()
        if role["term"] == "cross_entropy":
            ce.append(relative(visit["sum"], theirs))
        elif role.get("reference") is None:
            kl.append(abs(visit["sum"] / visit["w"]))
    if ce:
        table.add("step 0: CE of a visit", len(ce), max(ce), FIRST_CE)
    if kl:
        table.add("step 0: KL of a visit (is 0)", len(kl), max(kl), KL)


def entries_of(file):
    with safe_open(file, "pt") as tensors:
        return {key: (tensors.get_slice(key).get_dtype(), tensors.get_slice(key).get_shape()) for key in tensors.keys()}


def check_files(table, base, run, folders, work):
    """The saved adapters against one that PEFT saves, in names, shapes and settings."""
    peft = new_adapter(base, run.own, run.own["dropout"])
    peft.save_pretrained(work / "peft")
    peft.unload()
    wanted = entries_of(work / "peft/adapter_model.safetensors")
    settings = lambda folder: {**LoraConfig.from_pretrained(folder).to_dict(), "base_model_name_or_path": None, "peft_version": None}
    theirs = settings(work / "peft")
    for name, folder in folders.items():
        ours = entries_of(folder / "adapter_model.safetensors")
        wrong = sorted(key for key in {*ours, *wanted} if ours.get(key) != wanted.get(key))
        table.add(f"{name}: keys, shapes, dtypes as PEFT's", len(wanted), len(wrong), 0, ", ".join(wrong[:3]))
        mine = settings(folder)
        wrong = [key for key in theirs if mine[key] != theirs[key]]
        said = json.loads((folder / "adapter_config.json").read_text())
        wrong += ["base_model_name_or_path"] if said["base_model_name_or_path"] != run.plan["model"]["name"] else []
        table.add(f"{name}: fields of adapter_config.json", len(theirs), len(wrong), 0, ", ".join(wrong))
        mark = json.loads((folder / "whetstone.json").read_text())
        tensors = hashlib.sha256((folder / "adapter_model.safetensors").read_bytes()).hexdigest()
        good = [(folder / "DONE").exists(), mark["tensors_sha256"] == tensors, mark["plan_sha256"] == hashlib.sha256(run.plan_bytes).hexdigest()]
        table.add(f"{name}: DONE, hash of tensors, hash of plan", 3, good.count(False), 0)


# ── the first steps again ─────────────────────────────────────────────────────


def replay_plan(run, steps, threads, output):
    """The plan's first `steps` optimizer steps on one rank of a CPU, without dropout. Saves the adapter before and after."""
    plan = copy.deepcopy(run.plan)
    steps = min(steps, plan["phases"][0]["steps"])
    chosen = [i for i, step in enumerate(run.order["step"]) if step < steps]
    order = {key: [values[i] for i in chosen] for key, values in run.order.items()}
    packs = {}  # rows that shared a forward still do, now that there is one rank
    for step, rank, forward in zip(order["step"], order["rank"], order["forward"]):
        packs.setdefault(step, {}).setdefault((rank, forward), len(packs[step]))
    order["forward"] = [packs[step][rank, forward] for step, rank, forward in zip(order["step"], order["rank"], order["forward"])]
    order["rank"] = [0] * len(chosen)
    plan["ranks"] = 1
    actions = [{"after_rows": 0, "save": "initial"}, {"after_rows": len(chosen), "save": "final"}]
    plan["phases"] = [{"kind": "train", "steps": steps, "order": order, "actions": actions}]
    plan["adapters"]["default"]["dropout"] = 0
    plan["execution"].update(device="cpu", threads=threads)
    plan["output"] = {"folder": str(output), "log": {"file": "train_log.jsonl", "every_rows": 50}, "meta": None}
    return plan


def references(run, plan, base):
    """{(row, reference): fp32 [n]} for every KL visit of `plan`: log p under the frozen adapter of that name, or under the base (None)."""
    order, out = plan["phases"][0]["order"], {}
    wanted = {(row, plan["roles"][role].get("reference")) for row, role in zip(order["row"], order["role"]) if plan["roles"][role]["term"] == "k3"}
    for name in {reference for _, reference in wanted}:
        model = base if name is None else PeftModel.from_pretrained(base, plan["adapters"][name]["init"]["path"]).eval()
        with torch.no_grad():
            out.update({(row, name): log_probs(model, run, row) for row, reference in wanted if reference == name})
        if name is not None:
            base = model.unload()
    return out


def train(run, plan, base):
    """The plan in plain torch. Gives the adapter before and after, each visit's sum by ordinal, and each step's (norm before clipping, rate)."""
    frozen = references(run, plan, base)
    model = without_dropout(base, run.own).train()
    parameters = trained(model)
    before = {key: p.detach().clone() for key, p in parameters.items()}
    settings, schedule, order = plan["optimizer"], plan["schedule"], plan["phases"][0]["order"]
    optimizer = torch.optim.AdamW(
        parameters.values(), lr=settings["lr"], betas=tuple(settings["betas"]), eps=settings["eps"], weight_decay=settings["weight_decay"]
    )
    warm, total = (schedule["warmup_steps"], schedule["total_steps"]) if schedule["kind"] == "warmup_cosine" else (0, 0)
    factor = lambda s: min(1.0, (s + 1) / warm) * 0.5 * (1 + math.cos(math.pi * min(1.0, s / total))) if warm else 1.0
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    sums, steps = [], []
    for ordinal, (row, role, coefficient) in enumerate(zip(order["row"], order["role"], order["coefficient"])):
        term = plan["roles"][role]
        value = term_sum(term, log_probs(model, run, row), frozen.get((row, term.get("reference"))), run.weights(row, role))
        (coefficient * value).backward()
        sums.append(value.item())
        if ordinal + 1 < len(order["step"]) and order["step"][ordinal + 1] == order["step"][ordinal]:
            continue
        limit = settings["clip_norm"]
        norm = torch.nn.utils.clip_grad_norm_(parameters.values(), math.inf if limit is None else limit).item()
        steps.append((norm, optimizer.param_groups[0]["lr"]))
        optimizer.step()
        rates.step()
        optimizer.zero_grad(set_to_none=True)
    after = {key: p.detach().clone() for key, p in parameters.items()}
    model.unload()
    return before, after, sums, steps


def check_replay(table, base, run, trainer, count, threads, work):
    folder = work / "run"
    folder.mkdir()
    plan = replay_plan(run, count, threads, work / "adapter")
    (folder / "plan.json").write_text(json.dumps(plan))
    done = subprocess.run([trainer, "train", "--plan", str(folder / "plan.json")], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{trainer} ended with status {done.returncode}:\n{done.stderr}")
    events, _, checkpoints = read_events(folder)
    before, after, sums, steps = train(run, plan, base)

    initial = load_peft_weights(checkpoints[0]["folder"], device="cpu")
    final = load_peft_weights(str(work / "adapter"), device="cpu")
    different = [key for key in {*before, *initial} if key not in before or key not in initial or not torch.equal(before[key], initial[key])]
    table.add("adapter before training: tensors, bit for bit", len(before), len(different), 0, ", ".join(different[:3]))

    visits = {visit["o"]: visit for event in events.values() for visit in event["visits"]}
    order = plan["phases"][0]["order"]
    if sorted(visits) != list(range(len(sums))) or any(visits[o]["r"] != order["row"][o] or visits[o]["role"] != order["role"][o] for o in visits):
        sys.exit("the trainer's visits are not those of the plan")
    is_ce = lambda o: plan["roles"][order["role"][o]]["term"] == "cross_entropy"
    ce = [relative(visits[o]["sum"], sums[o]) for o in visits if is_ce(o)]
    kl = [abs(visits[o]["sum"] - sums[o]) / visits[o]["w"] for o in visits if not is_ce(o)]
    prefix = f"{len(steps)} steps, dropout 0: "
    if ce:
        table.add(prefix + "CE of a visit", len(ce), max(ce), REPLAY_CE, f"last {[round(sums[o], 4) for o in visits if is_ce(o)][-1]}")
    if kl:
        largest = max(sums[o] / visits[o]["w"] for o in visits if not is_ce(o))
        table.add(prefix + "KL of a visit, absolute", len(kl), max(kl), KL, f"largest KL {largest:.4f}")
    table.add(prefix + "gradient norm", len(steps), max(relative(events[s]["grad_norm"], n) for s, (n, _) in enumerate(steps)), NORM)
    table.add(prefix + "learning rate", len(steps), max(abs(events[s]["lr"] - lr) for s, (_, lr) in enumerate(steps)), 1e-12)
    length = lambda tensors: math.sqrt(math.fsum(t.double().square().sum().item() for t in tensors))
    changes = {key: length([after[key] - before[key]]) for key in after}
    errors = {key: length([final[key] - after[key]]) for key in after}
    worst = max(after, key=lambda key: errors[key] / changes[key])
    total = math.hypot(*errors.values()) / math.hypot(*changes.values())
    note = f"worst tensor {errors[worst] / changes[worst]:.1e}; change {math.hypot(*changes.values()):.3f}"
    table.add(prefix + "adapter, of its change", len(after), total, ADAPTER, note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--trainer", help="default: the program that run.json names")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", type=Path, help="an empty folder, or one to make; kept")
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    run, table = Run(a.run), Table()
    steps, evaluations, checkpoints = read_events(a.run)
    trainer = a.trainer or json.loads((a.run / "run.json").read_text())["launches"][-1]["command"][0]
    new = run.own["init"]["kind"] == "peft"

    with tempfile.TemporaryDirectory() as temporary:
        work = (a.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        base = load_base(run)
        last = len(run.order["step"])
        output = run.folder / run.plan["output"]["folder"]
        folders = {event["name"]: Path(event["folder"]) for rows, event in sorted(checkpoints.items()) if rows < last}
        folders["final"] = output
        for rows, event in sorted(evaluations.items()):
            folder = output if rows == last else Path(checkpoints[rows]["folder"]) if rows in checkpoints else None
            if rows == 0 and folder is None and not new:
                folder = Path(run.own["init"]["path"])
            if folder is None and rows > 0:
                continue  # nothing was saved at that point
            model = PeftModel.from_pretrained(base, folder or output).eval()
            if folder is None:
                with model.disable_adapter():
                    check_evaluation(table, "adapter off (0 rows)", model, run, event)
            else:
                check_evaluation(table, f"{event['checkpoint'] or folder.name} ({rows} rows)", model, run, event)
            base = model.unload()
        if new:
            check_first_step(table, base, run, steps[0])
        check_files(table, base, run, folders, work)
        check_replay(table, base, run, trainer, a.steps, a.threads, work)
    sys.exit(0 if table.show() else 1)


if __name__ == "__main__":
    main()
