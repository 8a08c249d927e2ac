"""How far from fp32 is the trainer in bf16, and how far is transformers?

usage: bf16_fidelity.py CONFIG.json TRAINER FOLDER [--rows 3] [--tokens 6600] [--targets 150] [--rank 16] [--device cuda] [--json FILE]

Makes models of CONFIG's shape with random bf16 weights, once at the initialiser's scale and once with outlier channels (see `plant_outliers`),
each with an adapter whose B is not zero, and rows of one 1280x800 screenshot, text, and targets. Three computations of the same bf16 weights:
transformers + PEFT in fp32, which is taken as the truth; transformers + PEFT in bf16 as the Python trainers run it (torch's delta rule, sdpa, adapter
in fp32 without autocast); and the trainer in bf16 (`TRAINER probe`), its adapter branch in fp32 and in bf16. Compared with the truth, over rows:

  log-prob    |difference| at each target, mean and 99th percentile
  gradient    of the sum of -log p, each LoRA tensor: |difference| / |truth| in the 2-norm, mean and 99th percentile over tensors and rows

Ends with status 1 when the trainer with an fp32 branch is further from the truth than transformers in any of the four figures, beyond SLACK.
Needs torch, transformers, peft, Pillow; a GPU with 60 GiB for the 4B shape. Writes FOLDER (10 GB for the 4B shape).
"""

import no_torchvision  # noqa: F401
import argparse
import gc
import json
import subprocess
import sys
import time
from pathlib import Path

import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from PIL import Image
from safetensors.torch import load_file
from transformers import AutoConfig, Qwen3_5ForConditionalGeneration

from check_run import pixel_rows

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/formats"))
import writer  # noqa: E402

LEAVES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
# Two bf16 computations with different orders of addition are both off by rounding noise of one size; their figures over the same rows differ by a few percent.
SLACK = 0.05

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("config")
parser.add_argument("trainer")
parser.add_argument("folder", type=Path)
parser.add_argument("--rows", type=int, default=3)
parser.add_argument("--tokens", type=int, default=6600)
parser.add_argument("--targets", type=int, default=150)
parser.add_argument("--rank", type=int, default=16)
parser.add_argument("--device", default="cuda")
parser.add_argument("--json", type=Path)
a = parser.parse_args()
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def random_model():
    """bf16, the initialiser's weights; what it leaves at constants gets a spread."""
    shape = a.folder / "shape"
    shape.mkdir(parents=True, exist_ok=True)
    (shape / "config.json").write_text(Path(a.config).read_text())
    config = AutoConfig.from_pretrained(shape)
    config.dtype = "bfloat16"
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device(a.device):
        model = Qwen3_5ForConditionalGeneration(config).eval()
    torch.set_default_dtype(torch.float32)
    model.tie_weights()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith("dt_bias") or name.endswith("A_log") or name.endswith("norm.weight"):
                p.add_(torch.randn_like(p) * 0.1)
    model.config.use_cache = False
    return model


@torch.no_grad()
def plant_outliers(model, channels=8):
    """Trained models have a few channels of the residual stream that are tens of times as large as the others: these are made here, through the embeddings and
    what each layer writes to them, and one large input channel in each MLP's down projection."""
    text = model.model.language_model
    generator = torch.Generator(device="cpu").manual_seed(7)
    chosen = torch.randperm(text.config.hidden_size, generator=generator)[:channels].to(a.device)
    text.embed_tokens.weight[:, chosen] *= 30
    for layer in text.layers:
        for module in (layer.mlp.down_proj, layer.self_attn.o_proj if hasattr(layer, "self_attn") else layer.linear_attn.out_proj):
            module.weight[chosen] *= 8
        layer.mlp.down_proj.weight[:, : channels] *= 8


def save_adapter(model, folder):
    settings = dict(r=a.rank, lora_alpha=2 * a.rank, lora_dropout=0.0, bias="none", task_type="CAUSAL_LM", target_modules=LEAVES)
    peft = get_peft_model(model, LoraConfig(**settings))
    with torch.no_grad():
        for name, p in peft.named_parameters():
            if "lora_B" in name:
                p.copy_(torch.randn_like(p) * 0.02)
    peft.save_pretrained(folder)
    return peft.unload()


def make_rows(config, folder):
    """Encoded rows: text, one screenshot (grid 1 x 50 x 80: 1,000 tokens), text, targets."""
    folder.mkdir(exist_ok=True)
    text_vocab = min(config.text_config.vocab_size, config.image_token_id, config.video_token_id, config.vision_start_token_id)
    generator = torch.Generator().manual_seed(1)
    draw = lambda n: torch.randint(0, text_vocab, (n,), generator=generator).tolist()
    rows = []
    for index in range(a.rows):
        pixels = torch.randint(0, 256, (100, 160, 3), generator=generator, dtype=torch.uint8).numpy()
        file = folder / f"screen-{index}.png"
        Image.fromarray(pixels).resize((1280, 800), Image.BILINEAR).save(file)
        image = [config.vision_start_token_id] + [config.image_token_id] * 1000 + [config.vision_end_token_id]
        prompt = draw(500) + image
        ids = prompt + draw(a.tokens + a.targets - len(prompt))
        positions = list(range(a.tokens - 1, a.tokens + a.targets - 1))
        rows.append(dict(ids=ids, target_positions=positions, target_ids=ids[a.tokens :], images=[writer.image(str(file), (1, 50, 80))], name=f"row-{index}"))
    vision = config.vision_config
    about = dict(patch=vision.patch_size, temporal_patch=vision.temporal_patch_size, merge=vision.spatial_merge_size, mean=[0.5] * 3, std=[0.5] * 3, rescale=1 / 255)
    processor = dict(id="random", image_token=config.image_token_id, vocab=config.text_config.vocab_size, image=about)
    writer.write_dataset(folder / "rows.safetensors", rows, processor)
    return rows, processor


def transformers_answer(model, rows, processor):
    """[(log p fp32 [n], {key: gradient})] on the CPU, a row."""
    parameters = {name.replace(".default", ""): p for name, p in model.named_parameters() if "lora_" in name}
    for p in model.parameters():
        p.requires_grad_(False)
    for p in parameters.values():
        p.requires_grad_(True)
    model.gradient_checkpointing_enable(dict(use_reentrant=False))
    model.train()
    answers = []
    dtype = next(p.dtype for p in model.parameters() if not p.requires_grad)
    for row in rows:
        ids = torch.tensor([row["ids"]], device=a.device)
        pixels = torch.cat([pixel_rows({**picture, "grid": picture["grid"]}, processor) for picture in row["images"]]).to(a.device, dtype)
        grid = torch.tensor([picture["grid"] for picture in row["images"]], device=a.device)
        keep = torch.tensor(row["target_positions"], device=a.device)
        kinds = (ids == processor["image_token"]).int()
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), logits_to_keep=keep, use_cache=False, pixel_values=pixels, image_grid_thw=grid, mm_token_type_ids=kinds).logits[0]
        lp = torch.log_softmax(logits.float(), -1).gather(-1, torch.tensor(row["target_ids"], device=a.device)[:, None])[:, 0]
        (-lp.sum()).backward()
        answers.append((lp.detach().cpu(), {key: p.grad.float().cpu() for key, p in parameters.items()}))
        for p in parameters.values():
            p.grad = None
    return answers


def trainer_answer(variant, branch, count):
    folder = a.folder / f"{variant}-{branch}"
    folder.mkdir(exist_ok=True)
    visits = [dict(step=i, row=i, role=0, coefficient=1.0) for i in range(count)]
    plan_rows = [dict(dataset=0, row=i, name=f"row-{i}") for i in range(count)]
    writer.write_plan(
        folder / "plan.json", name=variant, model=dict(path=str(a.folder / variant / "base"), name=variant, dtype="bfloat16"),
        datasets=[str(a.folder / variant / "rows/rows.safetensors")], rows=plan_rows, roles=[writer.cross_entropy()], visits=visits, output=folder / "adapter",
        adapters={"default": writer.adapter(a.rank, 2 * a.rank, 0.0, branch, LEAVES, load=str(a.folder / variant / "adapter"))}, device=a.device,
    )
    command = [a.trainer, "probe", "--plan", str(folder / "plan.json"), "--visits", ",".join(map(str, range(count))), "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the trainer failed:\n{done.stderr}")
    loaded = json.loads(done.stdout.splitlines()[0])["loaded_s"]
    answers = []
    for index in range(count):
        tensors = load_file(folder / f"visit-{index}.safetensors")
        answers.append((tensors["log_probs"], {key[len("gradient.") :]: value for key, value in tensors.items() if key.startswith("gradient.")}))
    return answers, loaded


def figures(answers, truth):
    lp = torch.cat([(mine - true).abs() for (mine, _), (true, _) in zip(answers, truth)]).double()
    relative = []
    for (_, mine), (_, true) in zip(answers, truth):
        if sorted(mine) != sorted(true):
            sys.exit("the gradients are of other tensors: " + ", ".join(sorted(set(mine) ^ set(true))[:4]))
        relative += [((mine[key].double() - true[key].double()).norm() / true[key].double().norm()).item() for key in true]
    gradient = torch.tensor(relative, dtype=torch.float64)
    p99 = lambda values: values.quantile(0.99).item()
    return dict(lp_mean=lp.mean().item(), lp_p99=p99(lp), gradient_mean=gradient.mean().item(), gradient_p99=p99(gradient))


def free():
    gc.collect()
    if a.device.startswith("cuda"):
        torch.cuda.empty_cache()


def main():
    from transformers.utils import import_utils

    checks = [name for name in dir(import_utils) if "flash_linear" in name or "causal_conv1d_available" in name]
    print("kernels for transformers:", {name: getattr(import_utils, name)() for name in checks if callable(getattr(import_utils, name))})
    result = dict(torch=torch.__version__, transformers=transformers.__version__, rows=a.rows, tokens=a.tokens, targets=a.targets, rank=a.rank, variants={})
    if a.device.startswith("cuda"):
        result["device"] = torch.cuda.get_device_name()
    failed = []
    for variant in ("init", "outliers"):
        begin = time.time()
        folder = a.folder / variant
        folder.mkdir(parents=True, exist_ok=True)
        model = random_model()
        if variant == "outliers":
            plant_outliers(model)
        model.save_pretrained(folder / "base")
        model = save_adapter(model, folder / "adapter")
        rows, processor = make_rows(model.config, folder / "rows")
        peft = lambda base: PeftModel.from_pretrained(base, folder / "adapter", is_trainable=True)
        theirs = transformers_answer(peft(model), rows, processor)
        del model
        free()
        wide = Qwen3_5ForConditionalGeneration.from_pretrained(folder / "base", dtype=torch.float32).to(a.device)
        wide.config.use_cache = False
        truth = transformers_answer(peft(wide), rows, processor)
        del wide
        free()
        lines = {"transformers bf16": figures(theirs, truth)}
        for branch in ("float32", "bfloat16"):
            ours, loaded = trainer_answer(variant, branch, len(rows))
            lines[f"trainer bf16, branch {branch}"] = {**figures(ours, truth), "loaded_s": loaded}
        spread = torch.cat([true for true, _ in truth])
        result["variants"][variant] = dict(log_prob_mean=spread.mean().item(), log_prob_min=spread.min().item(), lines=lines, seconds=time.time() - begin)
        print(f"\n{variant}: log-probs from {spread.min():.1f} to {spread.max():.1f}", flush=True)
        print(f"{'':32}{'log-prob mean':>14}{'99 %':>10}{'gradient mean':>15}{'99 %':>10}{'loaded s':>10}")
        for name, line in lines.items():
            loaded = f"{line['loaded_s']:.1f}" if "loaded_s" in line else ""
            print(f"{name:32}{line['lp_mean']:14.2e}{line['lp_p99']:10.2e}{line['gradient_mean']:15.2e}{line['gradient_p99']:10.2e}{loaded:>10}", flush=True)
        mine, other = lines["trainer bf16, branch float32"], lines["transformers bf16"]
        failed += [f"{variant}: {key}" for key in other if not mine[key] <= other[key] * (1 + SLACK)]
    if a.json:
        a.json.write_text(json.dumps(result, indent=1))
    if failed:
        sys.exit("further from fp32 than transformers: " + ", ".join(failed))


if __name__ == "__main__":
    main()
