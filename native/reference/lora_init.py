"""PEFT's own initial A for a seed, on an fp32 and on a bf16 base. usage: lora_init.py GOLDEN (writes GOLDEN/init_{f32,bf16}.safetensors)

B is checked to be zero here and left out. Also peft_keys.json: the keys that PEFT writes into a file, sorted."""

import no_torchvision  # noqa: F401
import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import Qwen3_5ForConditionalGeneration

from make_model import with_lora


def main(golden):
    golden = Path(golden)
    for label, dtype in [("f32", torch.float32), ("bf16", torch.bfloat16)]:
        model = Qwen3_5ForConditionalGeneration.from_pretrained(golden / "base", dtype=dtype)
        torch.manual_seed(1234)
        peft = with_lora(model)
        trained = {n.replace(".default", ""): p.detach().clone() for n, p in peft.named_parameters() if p.requires_grad}
        assert all(p.dtype == torch.float32 for p in trained.values())
        assert all(not p.any() for n, p in trained.items() if "lora_B" in n)
        save_file({n: p for n, p in trained.items() if "lora_A" in n}, golden / f"init_{label}.safetensors", {"format": "pt"})
    keys = sorted(load_file(golden / "adapter/adapter_model.safetensors"))
    (golden / "peft_keys.json").write_text(json.dumps(keys, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
