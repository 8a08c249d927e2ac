"""A tiny random Qwen3.5 model and a LoRA adapter, saved as transformers and PEFT save them.

usage: make_model.py GOLDEN        writes GOLDEN/base and GOLDEN/adapter

Everything that real checkpoints have is there in small: three delta-rule layers and one full-attention layer, grouped heads, key and value
dims that differ, partial rotary, M-RoPE, a vision tower, a tied head, and an adapter on every kind of linear layer.
"""

import no_torchvision  # noqa: F401
import json
import sys
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

ATTENTION_AND_MLP = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
DELTA_RULE = ["in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "out_proj"]
LEAVES = ATTENTION_AND_MLP + DELTA_RULE
VOCAB = 320
IMAGE, VIDEO, VISION_START, VISION_END = 310, 311, 312, 313
FIRST_SPECIAL = 300  # text tokens are drawn below it


def config():
    text = dict(
        vocab_size=VOCAB,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,  # 8 rotary dims: 4 frequencies
        linear_num_key_heads=2,
        linear_num_value_heads=4,
        linear_key_head_dim=16,
        linear_value_head_dim=8,
        linear_conv_kernel_dim=4,
        tie_word_embeddings=True,
        max_position_embeddings=4096,
        rope_parameters=dict(
            rope_type="default", rope_theta=10000000, partial_rotary_factor=0.25, mrope_section=[2, 1, 1], mrope_interleaved=True
        ),
    )
    vision = dict(
        depth=2,
        hidden_size=32,
        intermediate_size=48,
        num_heads=2,
        num_position_embeddings=36,
        patch_size=4,
        temporal_patch_size=2,
        spatial_merge_size=2,
        out_hidden_size=64,
    )
    return Qwen3_5Config(
        text_config=text,
        vision_config=vision,
        tie_word_embeddings=True,
        image_token_id=IMAGE,
        video_token_id=VIDEO,
        vision_start_token_id=VISION_START,
        vision_end_token_id=VISION_END,
    )


@torch.no_grad()
def randomise(model, generator):
    """Weights with spread. An initialiser's 0.02 hides most errors in a model this small; large weights make it chaotic (at
    1.2 / sqrt(fan_in) transformers' own sdpa and eager attention differ by 2e-4 in a log-probability)."""
    for name, p in model.named_parameters():
        draw = torch.randn(p.shape, generator=generator)
        if name.endswith("A_log"):
            p.copy_(torch.empty(p.shape).uniform_(0.05, 8.0, generator=generator).log())
        elif name.endswith("dt_bias"):
            p.copy_(draw * 0.8 - 2.0)
        elif "norm" in name and name.endswith("weight"):
            centre = 1.0 if ("linear_attn.norm" in name or "visual" in name) else 0.0
            p.copy_(centre + 0.2 * draw)
        elif name.endswith("bias"):
            p.copy_(0.1 * draw)
        elif "embed" in name:
            p.copy_(0.25 * draw)
        elif "conv1d" in name:
            p.copy_(0.5 * draw)
        else:
            p.copy_(draw * 0.7 / (p[0].numel() ** 0.5))


def with_lora(model, rank=2, alpha=4):
    return get_peft_model(
        model,
        LoraConfig(r=rank, lora_alpha=alpha, lora_dropout=0.0, bias="none", task_type="CAUSAL_LM", target_modules=LEAVES),
    )


def main(golden):
    golden = Path(golden)
    generator = torch.Generator().manual_seed(100)
    cfg = config()
    cfg.dtype = "float32"
    torch.manual_seed(0)
    model = Qwen3_5ForConditionalGeneration(cfg).eval()
    randomise(model, generator)
    model.tie_weights()
    model.save_pretrained(golden / "base")
    (golden / "base/generation_config.json").unlink(missing_ok=True)
    peft = with_lora(model)
    with torch.no_grad():
        for name, p in peft.named_parameters():
            if "lora_A" in name:
                p.copy_(torch.randn(p.shape, generator=generator) / p.shape[1] ** 0.5)
            if "lora_B" in name:
                p.copy_(torch.randn(p.shape, generator=generator) * 0.05)
    peft.save_pretrained(golden / "adapter")
    (golden / "adapter/README.md").unlink(missing_ok=True)
    config_file = golden / "adapter/adapter_config.json"
    saved = json.loads(config_file.read_text())
    saved["target_modules"] = sorted(saved["target_modules"])  # PEFT writes a set in any order
    saved["base_model_name_or_path"] = "whetstone/tiny"
    config_file.write_text(json.dumps(saved, indent=2, sort_keys=True) + "\n")
    for file in golden.rglob("*.safetensors"):
        file.chmod(0o644)
    print(sum(p.numel() for p in model.parameters()), "parameters of the base")


if __name__ == "__main__":
    main(sys.argv[1])
