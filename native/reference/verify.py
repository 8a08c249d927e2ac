"""The Python half of `whetstone verify`: what transformers and PEFT make of the same rows, on the user's own interpreter.

It is started by `whetstone verify --python PATH` and is no command of its own. It reads one JSON request a line from standard input and answers each
with one JSON line. It never sees the trainer's token ids: it reads the row from rows.jsonl and the images from their files, as the Python trainers do,
and computes ids, mask, pixels, log-probs and gradients by itself. Of the trainer it reads only the file to compare with.

    {"do": "about"}                                     versions, and whether there is a GPU
    {"do": "processor", "folder"}                       opens tokenizer, template and image processor: which classes they are
    {"do": "encode", "row": {"file", "offset", "length"}}       ids, number of targets, action mask, grids, SHA-256 of the pixel values
    {"do": "model", "folder", "dtype", "device", "threads", "adapter": {"path"} or {"make": {...}, "path"}}
    {"do": "compute", "row", "role", "ours": FILE}      differences from FILE (a visit of the trainer's `probe`)

Needs torch, transformers, peft and Pillow; torchvision is used where transformers can load it. Nothing is fetched.
"""

import hashlib
import json
import math
import os
import platform
import sys
from pathlib import Path

# Libraries print as they like: answers go through a descriptor of their own, everything else to standard error.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

END = "<|im_end|>"
NEEDED = {"torch": "torch", "transformers": "transformers", "peft": "peft", "PIL": "pillow", "safetensors": "safetensors"}


class Refusal(Exception):
    def __init__(self, message, hint=""):
        super().__init__(message)
        self.hint = hint


missing = []
for module, package in NEEDED.items():
    try:
        __import__(module)
    except ImportError as error:
        missing.append((package, str(error)))
if not missing:
    import peft
    import tokenizers
    import torch
    import transformers
    from PIL import Image
    from safetensors.torch import load_file
    from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoProcessor, AutoTokenizer


def about():
    if missing:
        names = " ".join(package for package, _ in missing)
        raise Refusal(f"{sys.executable} has no {', '.join(package for package, _ in missing)} ({missing[0][1]})", f"Install what is missing: {sys.executable} -m pip install {names}")
    from importlib.util import find_spec

    return {
        "executable": sys.executable,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "peft": peft.__version__,
        "tokenizers": tokenizers.__version__,
        "torchvision": transformers.utils.is_torchvision_available(),
        "fla": find_spec("fla") is not None,
        "cuda": torch.cuda.is_available(),
    }


# ── a row, as the Python trainers read it ─────────────────────────────────────


def read_row(place):
    with open(place["file"], "rb") as file:
        file.seek(place["offset"])
        row = json.loads(file.read(place["length"]).decode("utf-8"))
    conversation, pictures = [], []
    for message in row["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else []
        for part in content if isinstance(content, list) else []:
            if part.get("type") == "text":
                parts.append({"type": "text", "text": part["text"]})
            elif part.get("type") == "image_url":
                pictures.append(Image.open(Path(place["file"]).parent / part["image_url"]["url"]).convert("RGB"))
                parts.append({"type": "image"})
        conversation.append({"role": message["role"], "content": parts})
    return conversation, pictures, row["target"]


# ── tokenizer, template, image processor ──────────────────────────────────────

processor = None
with_torchvision = True


def open_processor(folder):
    """AutoProcessor, as a trainer opens it. Without torchvision it cannot make the video processor, which nobody needs here: then without that one."""
    global processor, with_torchvision
    note = None
    try:
        processor = AutoProcessor.from_pretrained(folder)
    except ImportError as error:
        if "orchvision" not in str(error):
            raise
        processor = without_video(folder)
        note = "AutoProcessor needs torchvision here: tokenizer, template and image processor were opened by themselves"
    kind = type(processor.image_processor)
    with_torchvision = any(base.__name__ in ("TorchvisionBackend", "BaseImageProcessorFast") for base in kind.__mro__)
    return {
        "processor": type(processor).__name__.lstrip("_"),
        "tokenizer": type(processor.tokenizer).__name__,
        "image_processor": kind.__name__,
        "with_torchvision": with_torchvision,
        "note": note,
    }


def without_video(folder):
    from transformers import Qwen3VLProcessor

    class _Qwen3VLProcessor(Qwen3VLProcessor):
        def check_argument_for_proper_class(self, argument_name, argument):
            return type(argument) if argument is None else super().check_argument_for_proper_class(argument_name, argument)

    tokenizer = AutoTokenizer.from_pretrained(folder)
    template = Path(folder) / "chat_template.jinja"
    text = template.read_text(encoding="utf-8") if template.exists() else tokenizer.chat_template
    return _Qwen3VLProcessor(image_processor=AutoImageProcessor.from_pretrained(folder), tokenizer=tokenizer, chat_template=text)


def action_mask(target, count):
    """1 for the targets whose end, in the target and end token tokenised alone, lies behind the first "action"; all 1 where that says nothing."""
    alone = processor.tokenizer(target + END, add_special_tokens=False, return_offsets_mapping=True)
    at = target.find('"action"')
    if at < 0 or len(alone["input_ids"]) != count:
        return [1] * count
    return [int(end > at) for _, end in alone["offset_mapping"]]


def resized_by_torch(picture, grid):
    """The pixel values that the torchvision variant of the image processor gives, by the operator that it calls: fp32 [h * w, 3 * temporal_patch * patch^2]."""
    about = processor.image_processor
    patch, merge, repeat = about.patch_size, about.merge_size, about.temporal_patch_size
    _, h, w = grid
    values = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8).view(picture.height, picture.width, 3).permute(2, 0, 1)
    if (picture.height, picture.width) != (h * patch, w * patch):
        values = torch.ops.aten._upsample_bicubic2d_aa(values[None], [h * patch, w * patch], False, None, None)[0]
    scaled = lambda numbers: torch.tensor(numbers, dtype=torch.float32)[:, None, None] * (1 / about.rescale_factor)
    values = (values.float() - scaled(about.image_mean)) / scaled(about.image_std)
    values = values.reshape(3, h // merge, merge, patch, w // merge, merge, patch).permute(1, 4, 2, 5, 0, 3, 6)
    return values.unsqueeze(5).expand(-1, -1, -1, -1, -1, repeat, -1, -1).reshape(h * w, -1).contiguous()


def encode(place):
    """(what the model takes, number of targets, mask, pixel values of each image, by how many levels of 255 Pillow's own differ)"""
    conversation, pictures, target = read_row(place)
    prompt = processor.apply_chat_template(conversation, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    more = {"images": pictures} if pictures else {}
    inputs = dict(processor(text=[prompt + target + END], return_tensors="pt", **more))
    count = inputs["input_ids"].shape[1] - processor(text=[prompt], return_tensors="pt", **more)["input_ids"].shape[1]
    if "mm_token_type_ids" not in inputs:
        inputs["mm_token_type_ids"] = (inputs["input_ids"] == processor.image_token_id).int()
    parts, levels = [], 0.0
    if pictures:
        grids = inputs["image_grid_thw"].tolist()
        parts = list(inputs["pixel_values"].split([math.prod(grid) for grid in grids]))
        if not with_torchvision:
            exact = [resized_by_torch(picture, grid) for picture, grid in zip(pictures, grids)]
            scale = max(processor.image_processor.image_std) / processor.image_processor.rescale_factor
            levels = max(((a - b).abs().max() * scale).item() for a, b in zip(parts, exact))
            parts = exact
            inputs["pixel_values"] = torch.cat(exact)
    return inputs, count, action_mask(target, count), parts, levels


def encode_request(request):
    inputs, count, mask, parts, levels = encode(request["row"])
    return {
        "ids": inputs["input_ids"][0].tolist(),
        "targets": count,
        "action": mask,
        "grids": inputs["image_grid_thw"].tolist() if parts else [],
        "pixels": [hashlib.sha256(part.contiguous().float().numpy().tobytes()).hexdigest() for part in parts],
        "pil_levels": levels,
    }


# ── model and adapter ─────────────────────────────────────────────────────────

model = None
device = "cpu"


def open_model(request):
    global model, device
    device = request["device"]
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise Refusal(f"the torch {torch.__version__} of {sys.executable} sees no GPU, and the trainer does", "Give another --python, or --device cpu for both.")
    torch.set_num_threads(request["threads"])
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    base = AutoModelForImageTextToText.from_pretrained(request["folder"], dtype=getattr(torch, request["dtype"]), attn_implementation="sdpa").to(device)
    base.config.use_cache = False
    base.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    kind = type(base).__name__
    path, make = request["adapter"]["path"], request["adapter"].get("make")
    made = None
    if make:
        base, made = make_adapter(base, path, make)
    model = peft.PeftModel.from_pretrained(base, path, is_trainable=True)
    for module in model.modules():
        if hasattr(module, "lora_dropout"):
            module.lora_dropout["default"] = torch.nn.Identity()
    parameters = trained()
    for p in parameters.values():
        p.data = p.data.float()
    if not any(p.abs().max() > 0 for name, p in parameters.items() if "lora_B" in name):
        raise Refusal(f"every lora_B of the adapter {path} is 0: it changes nothing, and comparing with it would test nothing", "Give an adapter that was trained, or none.")
    model.train()
    return {"model": kind, "made": made, "tensors": len(parameters), "bytes": sum(p.numel() * 4 for p in parameters.values())}


def make_adapter(base, path, make):
    """A new adapter as PEFT draws it, but with a B that is not 0, saved by PEFT. B grows by steps of sqrt(2) until the adapter moves the log-probs of the rows of `make` by
    `moves` in the mean: what does next to nothing would test next to nothing. Gives the base back as it was, B's standard deviation, and how far it moves them."""
    global model
    torch.manual_seed(make["seed"])
    settings = dict(r=make["rank"], lora_alpha=make["alpha"], lora_dropout=0.0, bias="none", task_type="CAUSAL_LM", target_modules=make["targets"])
    model = peft.get_peft_model(base, peft.LoraConfig(**settings)).eval()
    generator = torch.Generator().manual_seed(make["seed"])
    parts = [p for name, p in model.named_parameters() if "lora_B" in name]
    deviation = make["deviation"]
    with torch.no_grad():
        for p in parts:
            p.copy_(torch.randn(p.shape, generator=generator) * deviation)
        encoded = [encode(place)[:2] for place in make["rows"]]
        with model.disable_adapter():
            before = [log_probs(*each) for each in encoded]
        for _ in range(make["growths"]):
            moved = torch.cat([(log_probs(*each) - old).abs() for each, old in zip(encoded, before)]).mean().item()
            if not moved < make["moves"]:
                break
            for p in parts:
                p.mul_(2**0.5)
            deviation *= 2**0.5
    model.save_pretrained(path)
    make_room()
    return model.unload(), {"deviation": deviation, "moved": moved}


def make_room():
    """What torch keeps for itself the trainer needs, which takes its turn on the same card."""
    if device.startswith("cuda"):
        torch.cuda.empty_cache()


def trained():
    """{key as PEFT saves it: the parameter}"""
    return {name.replace(".default", ""): p for name, p in model.named_parameters() if "lora_" in name}


def log_probs(inputs, count):
    """fp32 [count]: log p of each target."""
    logits = model(**{key: value.to(device) for key, value in inputs.items()}, logits_to_keep=count + 1, use_cache=False).logits[0, :-1].float()
    return torch.log_softmax(logits, -1).gather(-1, inputs["input_ids"][0, -count:, None].to(device))[:, 0]


def term_sum(role, lp, reference, weights):
    """The sum over targets of weight * term, and d, the reference's log-prob minus the adapter's (None for cross-entropy)."""
    if role["term"] == "cross_entropy":
        return -(lp * weights).sum(), None
    d = (reference - lp).clamp(*role["clamp"])
    return ((d.exp() - d - 1) * weights).sum(), d.detach()


def compute(request):
    role = request["role"]
    inputs, count, mask, _, _ = encode(request["row"])
    parameters = trained()
    for p in parameters.values():
        p.grad = None
    reference = None
    if role["term"] == "k3":
        with torch.no_grad(), model.disable_adapter():
            reference = log_probs(inputs, count)
    weights = torch.tensor(mask if role["weights"] == "action" else [1] * count, dtype=torch.float32, device=device)
    lp = log_probs(inputs, count)
    total, d = term_sum(role, lp, reference, weights)
    total.backward()
    make_room()

    ours = load_file(request["ours"])
    theirs_lp, ours_lp = lp.detach().double().cpu(), ours["log_probs"].double()
    if theirs_lp.shape != ours_lp.shape:
        raise Refusal(f"the trainer has {ours_lp.numel()} log-probs, transformers {theirs_lp.numel()}")
    error = (ours_lp - theirs_lp).abs()
    at = int(error.nan_to_num(nan=math.inf).argmax())
    return {
        "sum": total.item(),
        "log_probs": {
            "mean": error.mean().item(), "p99": error.quantile(0.99).item(), "max": error[at].item(),
            "at": at, "ours": ours_lp[at].item(), "theirs": theirs_lp[at].item(),
        },
        "gradients": compare_gradients({key: p.grad for key, p in parameters.items()}, ours),
        "distance": distance(d, lp, reference, weights),
    }  # fmt: skip


def distance(d, lp, reference, weights):
    """For k3, with d = log p of the base - log p: the mean |d|, and what errors of the log-probs do, given as a share of their tolerance. A log-prob is off in
    proportion to 1 - p at most (softmax), and so is its gradient; the term's gradient has the factor exp(d) - 1.
    gain: into the gradient, relative, in the 2-norm. slope: into the loss, mean."""
    if d is None:
        return None
    d, w = d.double().cpu(), weights.double().cpu()
    own = -lp.detach().double().cpu().expm1()
    error = (own - reference.double().cpu().expm1()) / 2
    length = lambda values: (w * values * own).square().sum().sqrt().item()
    mean = lambda values: ((w * values).sum() / w.sum()).item()
    gain = length(d.exp() * error) / max(length(d.expm1()), 1e-300)
    return {"moved": mean(d.abs()), "gain": gain, "slope": mean(d.expm1().abs() * error)}


def compare_gradients(theirs, ours):
    """Each tensor: |difference| / |theirs| in the 2-norm. Squares of the norms over all tensors tell whether one side is longer throughout."""
    ours = {key[len("gradient.") :]: value for key, value in ours.items() if key.startswith("gradient.")}
    other = sorted(set(ours) ^ set(theirs))
    misshapen = sorted(key for key in set(ours) & set(theirs) if theirs[key] is None or ours[key].shape != theirs[key].shape)
    if other or misshapen:
        return {"other": [*other, *misshapen][:4], "count": len(other) + len(misshapen)}
    relative, ours_square, theirs_square = {}, 0.0, 0.0
    norms = {key: value.double().norm().item() for key, value in theirs.items()}
    floor = 1e-6 * math.sqrt(math.fsum(norm * norm for norm in norms.values()))
    for key, value in theirs.items():
        mine, true = ours[key].double(), value.double().cpu()
        relative[key] = (mine - true).norm().item() / max(norms[key], floor, 1e-300)
        ours_square += mine.square().sum().item()
        theirs_square += norms[key] ** 2
    worst = max(relative, key=lambda key: (math.isnan(relative[key]), relative[key]))
    return {
        "other": [], "count": 0, "tensors": len(relative), "mean": math.fsum(relative.values()) / len(relative),
        "max": relative[worst], "worst": worst, "ours_square": ours_square, "theirs_square": theirs_square,
    }  # fmt: skip


# ── requests ──────────────────────────────────────────────────────────────────

doings = {
    "about": lambda request: about(),
    "processor": lambda request: open_processor(request["folder"]),
    "encode": encode_request,
    "model": open_model,
    "compute": compute,
}


def finite(value):
    """JSON has no nan: such a number is sent as its name."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list) else value


def main():
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = finite(doings[request["do"]](request))
        except Refusal as refusal:
            answer = {"error": {"message": str(refusal), "hint": refusal.hint}}
        except Exception as error:  # whatever their libraries throw belongs to the row or model that was asked about
            import traceback

            traceback.print_exc()
            answer = {"error": {"message": f"{type(error).__name__}: {str(error).strip() or 'without a word'}"[:2000], "hint": ""}}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
