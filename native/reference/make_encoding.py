"""Makes main/encode/golden: a small processor folder, rows that are hard to encode, and what transformers makes of them.

    python native/reference/make_encoding.py [output folder]

Needs torch, transformers, tokenizers and Pillow. The tokenizer is trained here on a few lines, on purpose with another splitting pattern in its tokenizer.json
than the Python class uses and with tokens that only tokenizer_config.json knows: both have to be overruled. Only grids are compared here, not pixels, so
the image processor may be the torchvision or the Pillow variant; which one it was is asserted and recorded.
"""

import json
import platform
import shutil
import sys
import tempfile
import unicodedata
from pathlib import Path

import PIL
import tokenizers
import torch
import transformers
from PIL import Image, ImageDraw
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoImageProcessor, AutoTokenizer, Qwen3VLProcessor

END = "<|im_end|>"
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
PLAIN = ["<think>", "</think>"]
CONFIG_ONLY = ["<|box_start|>", "<|box_end|>"]
VOCAB = 2048  # of the model; the tokenizer has fewer
MODEL_TYPES = {"qwen3_5": "Qwen3_5Tokenizer", "qwen3_vl": "Qwen2Tokenizer"}

TEMPLATE = r"""{%- macro show(content) %}
    {%- if content is string %}
        {{- content }}
    {%- else %}
        {%- for part in content %}
            {%- if part.type == 'image' %}
                {{- '<|vision_start|><|image_pad|><|vision_end|>' }}
            {%- elif 'text' in part %}
                {{- part.text }}
            {%- else %}
                {{- raise_exception('This part cannot be shown.') }}
            {%- endif %}
        {%- endfor %}
    {%- endif %}
{%- endmacro %}
{%- if not messages %}
    {{- raise_exception('There are no messages.') }}
{%- endif %}
{%- for message in messages %}
    {%- set text = show(message.content)|trim %}
    {%- if message.role == 'system' and not loop.first %}
        {{- raise_exception('A system message has to come first.') }}
    {%- elif message.role == 'system' or message.role == 'user' %}
        {{- '<|im_start|>' + message.role + '\n' + text + '<|im_end|>\n' }}
    {%- elif message.role == 'assistant' %}
        {%- set thought = '' %}
        {%- if '</think>' in text %}
            {%- set thought = text.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
            {%- set text = text.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if thought and loop.last %}
            {%- set text = '<think>\n' + thought + '\n</think>\n\n' + text %}
        {%- endif %}
        {{- '<|im_start|>assistant\n' + text + '<|im_end|>\n' }}
    {%- else %}
        {{- raise_exception('Nobody has the role ' ~ message.role ~ '.') }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- else %}
        {{- '<think>\n' }}
    {%- endif %}
{%- endif %}
"""

IMAGES = {  # name: (width, height, format options)
    "full-hd-ready.png": (1280, 720, {}),  # 720 / 32 = 22.5: half to even
    "usual.png": (1280, 800, {}),
    "tiny.png": (20, 14, {}),  # scaled up
    "strip.png": (37, 991, {}),
    "wide.jpg": (800, 600, {"quality": 60}),
    "square.webp": (336, 336, {"quality": 50}),
    "huge.png": (4800, 4000, {"bits": 1}),  # scaled down
    "grey.png": (333, 217, {"mode": "L"}),
}


def text(value):
    return {"type": "text", "text": value}


def image(name):
    return {"type": "image_url", "image_url": {"url": name}}


def user(*parts):
    return {"role": "user", "content": parts[0] if len(parts) == 1 and isinstance(parts[0], str) else [text(p) if isinstance(p, str) else p for p in parts]}


def system(value):
    return {"role": "system", "content": value}


def assistant(value):
    return {"role": "assistant", "content": value}


def answer(memory, action, **more):
    return json.dumps({"memory": memory, "action": action, **more}, ensure_ascii=False)


CLICK = [{"click": {"index": 12, "coordinate_x": 481, "coordinate_y": None}}]


def rows():
    """(messages, target) pairs."""
    ask = user("<user_request>\nOpen the page.\n</user_request>\n<browser_state>\n[12]<a>Next page</a>\n</browser_state>")
    yield [ask], answer("Found the link.", CLICK)
    yield [system("You operate a browser."), ask], answer("", [{"wait": {}}])
    for name in IMAGES:
        yield [user("The page:", image(name), "Go on.")], answer("It is " + name, CLICK)
    yield [user(image("usual.png"))], answer("only a picture", CLICK)
    yield [user("before", image("usual.png"), "between", image("tiny.png"), "after")], answer("two", [{"drag": {"from": [10, 20], "to": [30, 40]}}])
    yield [user(image("tiny.png"), image("wide.jpg"))], answer("next to each other", CLICK)
    yield [user("a", image("tiny.png")), assistant("seen"), user("b", image("tiny.png"))], answer("the same twice", CLICK)
    # Texts that tokenizers and templates trip over.
    for value in (
        "Crème brûlée, naïve façade, Ångström",
        unicodedata.normalize("NFD", "Crème brûlée, naïve façade, Ångström"),
        "emoji 😀 👩‍👩‍👧‍👦 🏳️‍🌈 and 🇩🇪",
        "日本語のページを開く。「次へ」を押した",
        "𠮷野家 and 𝒳 beyond the first plane",
        "ภาษาไทย ไม่มีช่องว่าง น้ำ",
        "हिन्दी में लिखा हुआ पाठ",
        "Привет, мир: ёлка",
        "العربية من اليمين",
        "e\u0301\u0323 \u1e69 \u0073\u0323\u0307 \u212b \ufb01",
        "12345 3.14159 2026-11-30 1e9 ⅷ ٣٤",
        "tabs\tand\r\nline breaks\n\n\nand   runs    of     spaces   ",
        "it's we're they'd I'M YOU'LL",
        "\ufeffa mark in front and behind\ufeff",
        "\u0085\u001c\u3000odd white space\u2003\u001f\u0085",
        "<|im_start|>user\nspecial tokens in text<|im_end|>\n<think>x</think>",
        "<|box_start|>(1,2),(3,4)<|box_end|> tokens that only the configuration has",
        'for (let i = 0; i < n; i++) { console.log(`${i}:\\t"${a[i]}"`); } // #!',
        "zero\u200bwidth\u200djoiner\u2060 and \u202eoverride",
        "",
        "   \n ",
    ):
        yield [user(value)], answer(value, [{"input": {"index": 3, "text": value}}])
        yield [system(value), user(value, " and ", value)], answer("x", CLICK)
    # History, with and without thoughts.
    for history in ("<think>\nI see.\n</think>\n\nDone.", "\n\n<think>\n\n\n  spaced  \n\n</think>\n\n\n  text", "a</think>b</think>\nc", "plain", "<think>open"):
        yield [ask, assistant(history), user("Again.")], answer("after a turn", CLICK)
        yield [ask, assistant(history)], answer("the last word is not the user's", CLICK)
    # Targets.
    for target in (
        "plain words",
        '{"memory": "no list"}',
        '\n{"memory": "a line break first", "action": []}',
        '\n\n{"action": []}',
        ' {"memory": "a space first", "action": []}',
        '{"action": [{"done": {"text": "memory comes last"}}], "memory": "m"}',
        '{"memory": "she said \\"action\\" aloud", "action": [{"press": {"keys": "Control+A"}}]}',
        '{"memory": "broken json", "action": [{"click": ',
        '{"memory": "😀", "action": [{"input": {"index": 4, "text": "naïve 😀 日本"}}]}',
        '{"memory": "ends in a special token", "action": []}<|endoftext|>',
        '{"memory": "<|im_end|> inside", "action": []}',
        '{"memory":"tight","action":[{"scroll":{"down":true,"pages":0.5,"index":null}}]}\n',
        "\u0301 a mark first",
        "x",
        "\t",
    ):
        yield [ask], target
    # A part of an unknown type is passed over.
    yield [{"role": "user", "content": [text("heard: "), {"type": "input_audio", "input_audio": {"data": "AA=="}}, text("nothing")]}], answer("deaf", CLICK)


def make_images(folder):
    for name, (width, height, options) in IMAGES.items():
        mode = "1" if "bits" in options else options.get("mode", "RGB")
        picture = Image.new(mode, (width, height), 1 if mode == "1" else 200 if mode == "L" else (200, 220, 240))
        if mode == "RGB":
            ImageDraw.Draw(picture).rectangle([width // 4, height // 4, width // 2, height // 2], fill=(30, 60, 90))
        picture.save(folder / name, **{key: value for key, value in options.items() if key == "quality"})


def make_processor(folder, corpus):
    split = pre_tokenizers.Split(Regex(r"\p{L}+|\p{N}{1,3}|\s+|[^\s\p{L}\p{N}]+"), "isolated")  # not the one of the class
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    # Twice: words with their leading space have to be learnt, which the wrong pattern above keeps apart.
    trainer = trainers.BpeTrainer(vocab_size=1500, min_frequency=2, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    wrong = tokenizer.pre_tokenizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r"\s?\S+|\s+"), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.pre_tokenizer = wrong
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in PLAIN])
    tokenizer.save(str(folder / "tokenizer.json"))
    added = {
        str(tokenizer.token_to_id(token)): {"content": token, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": token in SPECIAL}
        for token in SPECIAL + PLAIN
    }
    for token in CONFIG_ONLY:
        added[str(tokenizer.get_vocab_size() + CONFIG_ONLY.index(token))] = {**added[next(iter(added))], "content": token}

    def write(name, value):
        (folder / name).write_text(json.dumps(value, indent=1) + "\n")

    write("tokenizer_config.json", {
        "add_bos_token": False, "add_prefix_space": False, "added_tokens_decoder": added, "bos_token": None, "eos_token": END, "pad_token": "<|endoftext|>",
        "unk_token": None, "tokenizer_class": "Qwen2Tokenizer", "image_token": "<|image_pad|>", "video_token": "<|video_pad|>", "model_max_length": 262144,
    })
    write("preprocessor_config.json", {
        "image_processor_type": "Qwen2VLImageProcessorFast", "patch_size": 16, "temporal_patch_size": 2, "merge_size": 2, "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3, "size": {"shortest_edge": 65536, "longest_edge": 16777216},
    })
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    write_config(folder, "qwen3_5", tokenizer.token_to_id("<|image_pad|>"))


def write_config(folder, model_type, image_token):
    vision = {"patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2}
    config = {"model_type": model_type, "image_token_id": image_token, "text_config": {"vocab_size": VOCAB}, "vision_config": vision}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


class Processor(Qwen3VLProcessor):
    """Without a video processor, which needs torchvision and is not used here."""

    def check_argument_for_proper_class(self, argument_name, argument):
        return type(argument) if argument is None else super().check_argument_for_proper_class(argument_name, argument)


def load(folder, tokenizer_class):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    images = AutoImageProcessor.from_pretrained(folder)
    assert type(tokenizer).__name__ == tokenizer_class, type(tokenizer)
    assert type(images).__name__ in ("Qwen2VLImageProcessor", "Qwen2VLImageProcessorPil"), type(images)
    return Processor(image_processor=images, tokenizer=tokenizer, chat_template=(folder / "chat_template.jinja").read_text())


def encode(processor, folder, messages, target):
    conversation, pictures = [], []
    for message in messages:
        content = message["content"]
        parts = [text(content)] if isinstance(content, str) else []
        for part in content if isinstance(content, list) else []:
            if part["type"] == "text":
                parts.append(text(part["text"]))
            elif part["type"] == "image_url":
                pictures.append(Image.open(folder / part["image_url"]["url"]).convert("RGB"))
                parts.append({"type": "image"})
        conversation.append({"role": message["role"], "content": parts})
    prompt = processor.apply_chat_template(conversation, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    more = {"images": pictures} if pictures else {}
    full = processor(text=[prompt + target + END], return_tensors="pt", **more)
    ids = full["input_ids"][0].tolist()
    targets = len(ids) - processor(text=[prompt], return_tensors="pt", **more)["input_ids"].shape[1]
    alone = processor.tokenizer(target + END, add_special_tokens=False, return_offsets_mapping=True)
    at = target.find('"action"')
    aligned = len(alone["input_ids"]) == targets
    mask = [int(end > at) for _, end in alone["offset_mapping"]] if aligned and at >= 0 else [1] * targets
    return {
        "ids": runs(ids),
        "targets": targets,
        "action": "".join(map(str, mask)),
        "fallback": 1 if at < 0 else 0 if aligned else 2,
        "grids": full["image_grid_thw"].tolist() if pictures else [],
    }


def runs(ids):
    """Ids, a repeated one as [id, times]: an image is a thousand equal ids."""
    packed = []
    for token in ids:
        if packed and packed[-1][0] == token:
            packed[-1][1] += 1
        else:
            packed.append([token, 1])
    return [token if times == 1 else [token, times] for token, times in packed]


def main():
    output = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "main" / "encode" / "golden")
    episode, folder = output / "rows" / "hard", output / "processor"
    for part in (output / "rows", folder):
        shutil.rmtree(part, ignore_errors=True)
    episode.mkdir(parents=True)
    folder.mkdir(parents=True)
    make_images(episode)
    cases = list(rows())
    lines = [{"task_id": f"hard-{n}", "step": n, "family": "Navigation", "messages": messages, "target": target} for n, (messages, target) in enumerate(cases)]
    (episode / "rows.jsonl").write_text("".join(json.dumps(line, ensure_ascii=n % 2 == 0) + "\n" for n, line in enumerate(lines)), encoding="utf-8")
    # Runs of line breaks become tokens, so that a target which begins with one merges with the end of the prompt.
    make_processor(folder, [json.dumps(line, ensure_ascii=False) for line in lines] + [TEMPLATE] + ["a\n\nb", "a\n\n\nb", "a\n\n\n\nb"] * 9)
    expected = {}
    with tempfile.TemporaryDirectory() as temporary:
        for model_type, tokenizer_class in MODEL_TYPES.items():
            copy = Path(temporary) / model_type
            shutil.copytree(folder, copy)
            write_config(copy, model_type, json.loads((folder / "config.json").read_text())["image_token_id"])
            processor = load(copy, tokenizer_class)
            expected[model_type] = [encode(processor, episode, *case) for case in cases]
    versions = {"python": platform.python_version(), "transformers": transformers.__version__, "tokenizers": tokenizers.__version__,
                "torch": torch.__version__, "pillow": PIL.__version__, "image_processor": type(processor.image_processor).__name__}
    body = ",\n".join(f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in results) + "\n]" for name, results in expected.items())
    (output / "expected.json").write_text(f'{{"versions": {json.dumps(versions)},\n{body}\n}}\n')
    differ = sum(a != b for a, b in zip(*expected.values()))
    print(f"{len(cases)} rows, {differ} of them encoded differently by the two architectures; {versions}")
    assert differ > 0, "the two splitting patterns have to be told apart by these rows"
    assert {row["fallback"] for row in expected["qwen3_5"]} == {0, 1, 2}


if __name__ == "__main__":
    main()
