"""Turns corpus, pages and demo rows into files of token ids and small pictures, so that pretrain.py needs neither of them.

    python demo/scripts/prepare_pretraining.py [demo] [corpus]

Reads demo/build/{corpus.jsonl,pages} and demo/rows, writes demo/build/corpus.npz and demo/build/demo.npz. Pictures are resized to the processor's grid and kept
as bytes. The demo's rows are prepared to measure with: pretrain.py never trains the base weights on them.
"""
import hashlib
import json
import math
import sys
from pathlib import Path

import jinja2
import numpy as np
import torch
from PIL import Image
from tokenizers import Tokenizer

DEMO = Path(__file__).resolve().parent.parent
MODEL, BUILD = DEMO / "model", DEMO / "build"
FAMILIES = ["Drag & gesture", "Discrete selection", "Text entry", "Form transaction", "Navigation", "Out-of-page I/O", "Reasoning base"]


def template():
    def raise_exception(message):
        raise ValueError(message)

    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = raise_exception
    return environment.from_string((MODEL / "chat_template.jinja").read_text("utf-8"))


class Pictures:
    """Resized pictures, each once: bytes in height x width x 3 and grids in patches."""

    def __init__(self):
        settings = json.loads((MODEL / "preprocessor_config.json").read_text())
        self.factor = settings["patch_size"] * settings["merge_size"]
        self.patch = settings["patch_size"]
        self.low, self.high = settings["size"]["shortest_edge"], settings["size"]["longest_edge"]
        self.known, self.data, self.grids = {}, [], []

    def target_size(self, height, width):
        rows, columns = (max(self.factor, round(side / self.factor) * self.factor) for side in (height, width))
        if rows * columns > self.high:
            ratio = math.sqrt(height * width / self.high)
            rows, columns = (max(self.factor, math.floor(side / ratio / self.factor) * self.factor) for side in (height, width))
        elif rows * columns < self.low:
            ratio = math.sqrt(self.low / (height * width))
            rows, columns = (math.ceil(side * ratio / self.factor) * self.factor for side in (height, width))
        return rows, columns

    def add(self, path):
        if path not in self.known:
            pixels = torch.from_numpy(np.array(Image.open(path).convert("RGB"))).permute(2, 0, 1)[None]
            rows, columns = self.target_size(*pixels.shape[-2:])
            small = torch.ops.aten._upsample_bicubic2d_aa(pixels, [rows, columns], False, None, None)
            self.known[path] = len(self.data)
            self.data.append(small[0].permute(1, 2, 0).contiguous().numpy().reshape(-1))
            self.grids.append((rows // self.patch, columns // self.patch))
        return self.known[path]

    def tokens(self, picture):
        rows, columns = self.grids[picture]
        return rows * columns // 4


class Encoder:
    """Rows -> (ids with every placeholder repeated, number of answer tokens, pictures, action mask of the answer)."""

    def __init__(self, pictures):
        self.pictures, self.template = pictures, template()
        self.tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        self.placeholder = self.tokenizer.token_to_id("<|image_pad|>")

    def encode(self, rows):
        """rows: (row, its folder) pairs."""
        prompts = [self.template.render(messages=row["messages"], add_generation_prompt=True, enable_thinking=False) for row, _ in rows]
        answers = [row["target"] + "<|im_end|>" for row, _ in rows]
        full = self.tokenizer.encode_batch([prompt + answer for prompt, answer in zip(prompts, answers)], add_special_tokens=False)
        before = self.tokenizer.encode_batch_fast(prompts, add_special_tokens=False)
        alone = self.tokenizer.encode_batch(answers, add_special_tokens=False)
        for (row, folder), whole, prompt, answer in zip(rows, full, before, alone):
            count, at = len(whole.ids) - len(prompt.ids), row["target"].find('"action"')
            mask = [True] * count if len(answer.ids) != count or at < 0 else [end > at for _, end in answer.offsets]
            pictures = [self.pictures.add(folder / part["image_url"]["url"]) for message in row["messages"]
                        if not isinstance(message["content"], str) for part in message["content"] if part["type"] == "image_url"]
            ids, following = [], iter(pictures)
            for token in whole.ids:
                ids.extend([token] * self.pictures.tokens(next(following)) if token == self.placeholder else [token])
            yield ids, count, pictures, mask


def demo_rows():
    def held_out(task):
        return int(hashlib.md5(task.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF < 0.05

    for path in sorted((DEMO / "rows").glob("*/rows.jsonl")):
        if path.parent.name.startswith("_"):
            continue
        about = path.parent / "episode.json"
        parts = json.loads(about.read_text()).get("parts") if about.exists() else None
        for line in path.read_text("utf-8").split("\n"):
            if not line.strip():
                continue
            row = json.loads(line)
            if row.get("inject") or row.get("aug_prefix"):
                continue
            yield row, path.parent, any(held_out(task) for task in parts or [row["task_id"].split("~")[0]])


def ragged(lists, dtype):
    offsets = np.cumsum([0] + [len(one) for one in lists]).astype(np.int64)
    return np.concatenate([np.asarray(one, dtype=dtype) for one in lists]) if lists else np.zeros(0, dtype), offsets


def write(name, pictures, rows, more):
    out = dict(more)
    out["ids"], out["offsets"] = ragged([row[0] for row in rows], np.uint16)
    out["targets"] = np.array([row[1] for row in rows], np.int32)
    out["pictures"], out["row_picture_offsets"] = ragged([row[2] for row in rows], np.int32)
    out["mask"], out["mask_offsets"] = ragged([row[3] for row in rows], np.bool_)
    out["picture_data"], out["picture_offsets"] = ragged(pictures.data, np.uint8)
    out["picture_grids"] = np.array(pictures.grids, np.int32)
    path = BUILD / f"{name}.npz"
    np.savez_compressed(path, **out)
    lengths = np.diff(out["offsets"])
    print(f"{name}: {len(rows)} rows, {lengths.mean():.0f} tokens ({lengths.min()}..{lengths.max()}), answers {out['targets'].mean():.0f}, "
          f"{len(pictures.data)} pictures, masks all true {sum(all(row[3]) for row in rows)}, {path.stat().st_size / 1e6:.1f} MB", flush=True)


def prepare_demo():
    pictures = Pictures()
    rows = list(demo_rows())
    encoded = list(Encoder(pictures).encode([(row, folder) for row, folder, _ in rows]))
    write("demo", pictures, encoded, {"held_out": np.array([held for _, _, held in rows]),
                                      "family": np.array([FAMILIES.index(row["family"]) for row, _, _ in rows], np.int32)})


def prepare_corpus():
    pictures = Pictures()
    encoder, encoded, house = Encoder(pictures), [], []
    with (BUILD / "corpus.jsonl").open(encoding="utf-8") as lines:
        while block := [json.loads(line) for _, line in zip(range(1000), lines)]:
            encoded.extend(encoder.encode([(row, BUILD / "pages") for row in block]))
            house.extend(row["house"] for row in block)
    write("corpus", pictures, encoded, {"house": np.array(house)})


def main():
    parts = {"demo": prepare_demo, "corpus": prepare_corpus}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
