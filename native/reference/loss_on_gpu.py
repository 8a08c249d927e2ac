"""Is the trainer's loss on a GPU the one that transformers + PEFT gives on the same ids?

usage: loss_on_gpu.py CONFIG.json TRAINER FOLDER [--tokens 6750] [--targets 150] [--rank 16] [--device cuda] [--dtype bfloat16]

Makes a model of CONFIG's shape with random weights and an adapter whose B is not zero, saves both with transformers and PEFT into FOLDER
(the 4B shape: 9 GB), prints transformers' loss with the adapter on a row of text, runs `TRAINER bench --model ... --adapter ...` on the saved
files and the same ids, and compares. Ends with status 1 when they differ by more than 2e-4 of the loss (bf16) or 1e-5 (fp32).
"""

import no_torchvision  # noqa: F401
import argparse
import gc
import json
import subprocess
import sys
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoConfig, Qwen3_5ForConditionalGeneration

LEAVES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("config")
parser.add_argument("trainer")
parser.add_argument("folder", type=Path)
parser.add_argument("--tokens", type=int, default=6750)
parser.add_argument("--targets", type=int, default=150)
parser.add_argument("--rank", type=int, default=16)
parser.add_argument("--device", default="cuda")
parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float32"])
a = parser.parse_args()

dtype = getattr(torch, a.dtype)
a.folder.mkdir(parents=True, exist_ok=True)
copied = a.folder / "shape"
copied.mkdir(exist_ok=True)
(copied / "config.json").write_text(Path(a.config).read_text())
config = AutoConfig.from_pretrained(copied)
config.dtype = a.dtype
torch.manual_seed(0)
torch.set_default_dtype(dtype)
with torch.device(a.device):
    model = Qwen3_5ForConditionalGeneration(config).eval()
torch.set_default_dtype(torch.float32)
model.tie_weights()
with torch.no_grad():
    for name, p in model.named_parameters():  # the initialiser leaves these at constants
        if name.endswith("dt_bias") or name.endswith("A_log") or name.endswith("norm.weight"):
            p.add_(torch.randn_like(p) * 0.1)
model.config.use_cache = False
model.save_pretrained(a.folder / "base")
peft = get_peft_model(
    model,
    LoraConfig(r=a.rank, lora_alpha=2 * a.rank, lora_dropout=0.0, bias="none", task_type="CAUSAL_LM", target_modules=LEAVES),
).eval()
with torch.no_grad():
    for name, p in peft.named_parameters():
        if "lora_B" in name:
            p.copy_(torch.randn_like(p) * 0.02)
peft.save_pretrained(a.folder / "adapter")

text_vocab = min(config.text_config.vocab_size, config.image_token_id, config.video_token_id, config.vision_start_token_id)
ids = torch.randint(0, text_vocab, (1, a.tokens), generator=torch.Generator().manual_seed(1)).to(a.device)
keep = torch.arange(a.tokens - a.targets - 1, a.tokens - 1, device=a.device)


def loss():
    logits = peft(input_ids=ids, logits_to_keep=keep, use_cache=False).logits[0].float()
    return -torch.log_softmax(logits, -1).gather(-1, ids[0, keep + 1][:, None]).mean().item()


with torch.no_grad():
    theirs = loss()
    with peft.disable_adapter():
        without = loss()
print(f"transformers: loss {theirs:.6f}, with the adapter off {without:.6f}", flush=True)
if abs(theirs - without) < 1e-3:
    sys.exit("the adapter changes nothing, so this would not test it")

(a.folder / "ids.json").write_text(json.dumps({"ids": ids[0].tolist(), "targets": a.targets}))
del model, peft
gc.collect()
if a.device.startswith("cuda"):
    torch.cuda.empty_cache()

bad = False
for recompute in ["on", "off"]:
    command = [a.trainer, "bench", "--model", a.folder / "base", "--ids", a.folder / "ids.json", "--adapter", a.folder / "adapter"]
    command += ["--device", a.device, "--dtype", a.dtype, "--rows", "3", "--dropout", "0", "--recompute", recompute]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the trainer failed:\n{done.stderr}")
    result = json.loads(done.stdout)
    difference = abs(result["loss"] - theirs) / abs(theirs)
    bad |= not difference <= (2e-4 if a.dtype == "bfloat16" else 1e-5)
    print(f"trainer, recompute {recompute}: loss {result['loss']:.6f}, relative difference {difference:.1e}; {json.dumps(result)}", flush=True)
sys.exit(1 if bad else 0)
