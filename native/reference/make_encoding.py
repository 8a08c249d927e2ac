"""Makes main/encode/golden: a small processor folder, rows that are hard to encode, and what transformers makes of them.

    python native/reference/make_encoding.py [output folder]

Needs torch, torchvision (see with_torchvision.py), transformers, tokenizers and Pillow. The tokenizer is trained here on a few lines, on purpose with another
splitting pattern in its tokenizer.json than the Python class uses and with tokens that only tokenizer_config.json knows: both have to be overruled. Pixel
values are those of the torchvision variant of the image processor; the class is asserted and recorded.

Every row has a name. TRAPS says which rows are there for what: things that a second implementation gets wrong without noticing. Rows in `refused` are
those that we do not encode, with what the reference does about them.
"""

import hashlib
import json
import platform
import shutil
import sys
import tempfile
import unicodedata
from pathlib import Path

from with_torchvision import assert_torchvision_processor  # before transformers

import numpy
import PIL
import tokenizers
import torch
import torchvision
import transformers
from pictures import (
    gray, gray_alpha, jpeg, palette, picture, png, png_16_bit, png_gray_bits, rotated_exif, screen, webp, wide_gamut_profile, with_alpha,
)
from PIL import Image
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
        {%- if 'python values' in text %}
            {%- set text = text + none|string + true|string + (1 == 2)|string %}
        {%- endif %}
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

def images():
    """name: bytes. Every form that the trainer reads, each with what it is there for."""
    of = Image.fromarray
    wide = of(picture(200, 300, 1))
    return {
        "720p.png": png(of(screen(720, 1280, 2))),  # 720 / 32 = 22.5: half to even, 704 x 1280
        "half-even.png": png(of(screen(272, 336, 3))),  # 8.5 -> 8, 10.5 -> 10
        "usual.png": png(of(screen(800, 1280, 4))),  # no resizing
        "full-hd.png": png(of(screen(1080, 1920, 5))),
        "odd.png": png(of(screen(991, 377, 6))),
        "tiny.png": png(of(picture(14, 20, 7))),  # scaled up, both ways
        "dot.png": png(of(numpy.full((1, 1, 3), 77, numpy.uint8))),
        "strip.png": png(of(picture(991, 37, 8))),
        "aspect-200.png": png(of(picture(4, 800, 9))),  # as far apart as sides may be
        "huge.png": png(Image.new("1", (4800, 4000), 1)),  # scaled down
        "rgba.png": png(with_alpha(90, 120, 10)),
        "palette.png": png(palette(120, 90, 11)),
        "palette-transparent.png": png(palette(100, 111, 12), transparency=3),
        "gray.png": png(gray(107, 93, 13)),
        "gray-alpha.png": png(gray_alpha(81, 65, 14)),
        "gray-transparent.png": png(gray(64, 96, 15), transparency=0),
        "one-bit.png": png(gray(130, 150, 16).convert("1")),
        "two-bit.png": png_gray_bits(65, 92, 2),
        "four-bit.png": png_gray_bits(77, 64, 4),
        "wide-gamut.png": png(of(picture(100, 120, 17)), icc_profile=wide_gamut_profile()),
        "420.jpg": jpeg(wide, quality=80),
        "444.jpg": jpeg(wide, quality=90, subsampling=0),
        "progressive.jpg": jpeg(wide, quality=75, progressive=True),
        "gray.jpg": jpeg(gray(99, 131, 18), quality=85),
        "odd.jpg": jpeg(of(picture(101, 67, 19)), quality=70),
        "turned.jpg": jpeg(of(picture(64, 128, 20)), quality=80, exif=rotated_exif()),
        "800x600.jpg": jpeg(of(screen(600, 800, 21)), quality=60),
        "wide-gamut.jpg": jpeg(of(picture(96, 80, 22)), quality=80, icc_profile=wide_gamut_profile()),
        "lossy.webp": webp(wide, quality=60),
        "lossless.webp": webp(of(picture(71, 85, 23)), lossless=True),
        "alpha.webp": webp(with_alpha(66, 75, 24), lossless=True, exact=True),
    }


IMAGES = images()


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


ASK = [{"type": "text", "text": "<user_request>\nOpen the page.\n</user_request>\n<browser_state>\n[12]<a>Next page</a>\n</browser_state>"}]

TEXTS = {  # that tokenizers and templates trip over
    "accents": "Crème brûlée, naïve façade, Ångström",
    "accents-nfd": unicodedata.normalize("NFD", "Crème brûlée, naïve façade, Ångström"),
    "emoji": "emoji 😀 👩‍👩‍👧‍👦 🏳️‍🌈 and 🇩🇪",
    "japanese": "日本語のページを開く。「次へ」を押した",
    "astral": "𠮷野家 and 𝒳 beyond the first plane",
    "thai": "ภาษาไทย ไม่มีช่องว่าง น้ำ",
    "hindi": "हिन्दी में लिखा हुआ पाठ",
    "cyrillic": "Привет, мир: ёлка",
    "arabic": "العربية من اليمين",
    "combining": "e\u0301\u0323 \u1e69 \u0073\u0323\u0307 \u212b \ufb01",
    "new-marks": "a\u0897\u0301 b\u08ca\u0323 c\u1ac1\u0316 \u0c15\u0c3c \u0d15\u0d3b d\u1ae0\u0300",  # newer than some normalisers' tables
    "numbers": "12345 3.14159 2026-11-30 1e9 ⅷ ٣٤",
    "line-breaks": "tabs\tand\r\nline breaks\n\n\nand   runs    of     spaces   ",
    "contractions": "it's we're they'd I'M YOU'LL",
    "byte-order-mark": "\ufeffa mark in front and behind\ufeff",
    "white-space": "\u0085\u001c\u3000odd white space\u2003\u001f\u0085",
    "special-tokens": "<|im_start|>user\nspecial tokens in text<|im_end|>\n<think>x</think>",
    "config-only-tokens": "<|box_start|>(1,2),(3,4)<|box_end|> tokens that only the configuration has",
    "code": 'for (let i = 0; i < n; i++) { console.log(`${i}:\\t"${a[i]}"`); } // #!',
    "zero-width": "zero\u200bwidth\u200djoiner\u2060 and \u202eoverride",
    "python-values": "python values",
    "empty": "",
    "blank": "   \n ",
}

HISTORIES = {  # with and without thoughts
    "thought": "<think>\nI see.\n</think>\n\nDone.",
    "thought-spaced": "\n\n<think>\n\n\n  spaced  \n\n</think>\n\n\n  text",
    "thought-twice": "a</think>b</think>\nc",
    "plain": "plain",
    "thought-open": "<think>open",
}

TARGETS = {
    "plain-words": "plain words",
    "no-action": '{"memory": "no list"}',
    "line-break-first": '\n{"memory": "a line break first", "action": []}',
    "two-line-breaks-first": '\n\n{"action": []}',
    "space-first": ' {"memory": "a space first", "action": []}',
    "memory-last": '{"action": [{"done": {"text": "memory comes last"}}], "memory": "m"}',
    "action-in-memory": '{"memory": "she said \\"action\\" aloud", "action": [{"press": {"keys": "Control+A"}}]}',
    "broken-json": '{"memory": "broken json", "action": [{"click": ',
    "emoji": '{"memory": "😀", "action": [{"input": {"index": 4, "text": "naïve 😀 日本"}}]}',
    "joined-emoji": '{"memory": "👩‍👩‍👧‍👦🏳️‍🌈 x", "action": [{"input": {"index": 4, "text": "👩‍👩‍👧‍👦"}}]}',
    "astral": '{"memory": "𠮷𝒳𝒳𠮷", "action": [{"wait": {}}]}',
    "nfd": unicodedata.normalize("NFD", '{"memory": "naïve façade", "action": [{"input": {"index": 4, "text": "é"}}]}'),
    "new-marks": '{"memory": "a\u0897\u0301 \u0c15\u0c3c", "action": [{"wait": {}}]}',
    "byte-order-mark": '\ufeff{"memory": "\ufeffm\ufeff", "action": []}',
    "special-token-last": '{"memory": "ends in a special token", "action": []}<|endoftext|>',
    "special-tokens-first": '<|box_start|><think>{"memory": "😀 <|im_end|>", "action": []}',
    "end-inside": '{"memory": "<|im_end|> inside", "action": []}',
    "tight": '{"memory":"tight","action":[{"scroll":{"down":true,"pages":0.5,"index":null}}]}\n',
    "mark-first": "\u0301 a mark first",
    "letter": "x",
    "tab": "\t",
}


def rows():
    """(name, messages, target), the names all different."""
    ask = {"role": "user", "content": ASK[0]["text"]}
    yield "no-image", [ask], answer("Found the link.", CLICK)
    yield "system-message", [system("You operate a browser."), ask], answer("", [{"wait": {}}])
    for name in IMAGES:
        yield f"image {name}", [user("The page:", image(name), "Go on.")], answer("It is " + name, CLICK)
    yield "image-alone", [user(image("usual.png"))], answer("only a picture", CLICK)
    yield "two-images", [user("before", image("usual.png"), "between", image("tiny.png"), "after")], answer("two", [{"drag": {"from": [10, 20], "to": [30, 40]}}])
    yield "two-images-adjacent", [user(image("tiny.png"), image("800x600.jpg"))], answer("next to each other", CLICK)
    yield "one-image-twice", [user("a", image("tiny.png")), assistant("seen"), user("b", image("tiny.png"))], answer("the same twice", CLICK)
    yield "image-and-line-break", [user(image("tiny.png"), "x")], '\n{"memory": "m", "action": []}'
    for name, value in TEXTS.items():
        yield f"text {name}", [user(value)], answer(value, [{"input": {"index": 3, "text": value}}])
        yield f"prompt {name}", [system(value), user(value, " and ", value)], answer("x", CLICK)
    for name, history in HISTORIES.items():
        yield f"history {name}", [ask, assistant(history), user("Again.")], answer("after a turn", CLICK)
        yield f"last turn {name}", [ask, assistant(history)], answer("the last word is not the user's", CLICK)
    for name, target in TARGETS.items():
        yield f"target {name}", [ask], target
    yield "unknown-part", [user("heard: ", {"type": "input_audio", "input_audio": {"data": "AA=="}}, "nothing")], answer("deaf", CLICK)
    yield "tool-calls", [ask, {**assistant("called"), "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1.0}}}]}, user("Go on.")], answer("m", CLICK)


TRAPS = {
    "combining marks are part of a word in one architecture and not in the other": ["text thai", "text hindi"],
    "tokens that only tokenizer_config.json has": ["text config-only-tokens", "target special-tokens-first"],
    "special tokens in text and in the target": ["text special-tokens", "target special-token-last", "target end-inside", "target special-tokens-first"],
    "normalisation to NFC": ["text accents-nfd", "text combining", "target nfd"],
    "combining marks that are newer than the normaliser's tables": ["text new-marks", "target new-marks"],
    "offsets are code points, not UTF-16 units": ["target emoji", "target astral", "target joined-emoji", "text emoji"],
    "a token that ends inside a character": ["target joined-emoji", "text astral"],
    "a mark of byte order is not white space": ["text byte-order-mark", "target byte-order-mark"],
    "white space that Python strips and JavaScript does not": ["text white-space", "prompt white-space"],
    "lstrip and rstrip with an argument": ["history thought", "history thought-spaced", "history thought-twice", "last turn thought-spaced"],
    "None, True and False in a template": ["text python-values", "prompt python-values"],
    "a target that merges with the end of the prompt": ["target line-break-first", "target two-line-breaks-first", "image-and-line-break"],
    "no action: every target counts": ["target no-action", "target plain-words"],
    "the first \"action\" counts, an escaped one does not": ["target action-in-memory", "target memory-last"],
    "no image, one, two": ["no-image", "image-alone", "two-images"],
    "the same image twice": ["one-image-twice"],
    "images without text between": ["two-images-adjacent"],
    "half of a multiple goes to the even side": ["image 720p.png", "image half-even.png"],
    "a small image is scaled up": ["image tiny.png", "image dot.png"],
    "a side below one unit": ["image strip.png", "image aspect-200.png", "image dot.png"],
    "a large image is scaled down": ["image huge.png"],
    "sides up to 200 times apart": ["image aspect-200.png"],
    "an image that fits is not touched": ["image usual.png"],
    "odd sizes": ["image odd.png", "image odd.jpg", "image 800x600.jpg", "image full-hd.png"],
    "alpha is dropped, not blended": ["image rgba.png", "image gray-alpha.png", "image alpha.webp"],
    "a palette, and transparency in it": ["image palette.png", "image palette-transparent.png", "image gray-transparent.png"],
    "gray and fewer than 8 bits": ["image gray.png", "image gray.jpg", "image one-bit.png", "image two-bit.png", "image four-bit.png"],
    "colour profiles are not applied": ["image wide-gamut.png", "image wide-gamut.jpg"],
    "EXIF rotation is not applied": ["image turned.jpg"],
    "chroma at half and at full resolution": ["image 420.jpg", "image 444.jpg"],
    "progressive JPEG": ["image progressive.jpg"],
    "WebP, lossy and lossless": ["image lossy.webp", "image lossless.webp"],
    "parts of unknown types are passed over": ["unknown-part"],
    "tool calls never reach the template": ["tool-calls"],
}


def refused():
    """(name, our code, messages, target): rows that we refuse, though the reference lets some of them pass."""
    fine = answer("m", CLICK)
    yield "half a surrogate pair in the target", "row-surrogate", [user("a")], "half \ud83d"
    yield "half a surrogate pair in the prompt", "row-surrogate", [user("half \udc00")], fine
    yield "more placeholders than images", "image-placeholders", [user("<|image_pad|>", image("small.png"))], fine
    yield "fewer placeholders than images", "image-placeholders", [user("a"), {"role": "assistant", "content": [image("small.png"), text("</think>b")]}, user("c")], fine
    yield "a placeholder without an image", "image-placeholders", [user("<|image_pad|>")], fine
    yield "a placeholder in the target", "image-placeholders", [user("a", image("small.png"))], "<|image_pad|>"
    yield "a placeholder of a video", "foreign-placeholder", [user("<|video_pad|>")], fine
    yield "sides 201 times apart", "image-aspect", [user("a", image("aspect-201.png"))], fine
    yield "CMYK", "image-colour", [user("a", image("cmyk.jpg"))], fine
    yield "16 bits a channel", "image-colour", [user("a", image("sixteen-bit.png"))], fine
    yield "half a PNG", "image-truncated", [user("a", image("half.png"))], fine
    yield "a role that the template does not know", "chat-template", [{"role": "nobody", "content": "a"}], fine
    yield "an empty target", "row-target", [user("a")], ""


def refused_images():
    small = png(Image.fromarray(picture(64, 64, 30)))
    return {
        "small.png": small,
        "half.png": small[: len(small) // 2],
        "aspect-201.png": png(Image.fromarray(picture(4, 804, 31))),
        "cmyk.jpg": jpeg(Image.fromarray(picture(32, 32, 32)).convert("CMYK")),
        "sixteen-bit.png": png_16_bit(32, 32),
    }


def write_episode(folder, lines, files):
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    written = [{"task_id": name, "step": n, "family": "Navigation", "messages": messages, "target": target} for n, (name, messages, target) in enumerate(lines)]
    # Both ways that JSON has of writing what is not ASCII; half a surrogate pair can be written in one only.
    plain = lambda n, line: n % 2 == 0 and folder.parent.name == "rows"
    (folder / "rows.jsonl").write_text("".join(json.dumps(line, ensure_ascii=not plain(n, line)) + "\n" for n, line in enumerate(written)), encoding="utf-8")
    return written


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
    assert_torchvision_processor(type(images))
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
        "pixels": hashlib.sha256(full["pixel_values"].contiguous().numpy().tobytes()).hexdigest() if pictures else None,
    }


def attempt(*arguments):
    """What the reference makes of a row that we refuse."""
    try:
        encode(*arguments)
    except Exception as error:  # noqa: BLE001 -- whatever it is
        return type(error).__name__
    return "encodes it"


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
    folder, refusals = output / "processor", list(refused())
    for part in ("rows", "refused", "processor"):
        shutil.rmtree(output / part, ignore_errors=True)
    folder.mkdir(parents=True)
    cases = list(rows())
    names = [name for name, *_ in cases]
    assert len(set(names)) == len(names)
    assert {name for rows_of in TRAPS.values() for name in rows_of} <= set(names)
    lines = write_episode(output / "rows" / "hard", cases, IMAGES)
    write_episode(output / "refused" / "hard", [(name, *row) for name, _, *row in refusals], refused_images())
    # Runs of line breaks become tokens, so that a target which begins with one merges with the end of the prompt.
    make_processor(folder, [json.dumps(line, ensure_ascii=False) for line in lines] + [TEMPLATE] + ["a\n\nb", "a\n\n\nb", "a\n\n\n\nb"] * 9)
    expected, python_says = {}, []
    with tempfile.TemporaryDirectory() as temporary:
        for model_type, tokenizer_class in MODEL_TYPES.items():
            copy = Path(temporary) / model_type
            shutil.copytree(folder, copy)
            write_config(copy, model_type, json.loads((folder / "config.json").read_text())["image_token_id"])
            processor = load(copy, tokenizer_class)
            expected[model_type] = [{"name": name, **encode(processor, output / "rows" / "hard", *row)} for name, *row in cases]
            python_says.append([attempt(processor, output / "refused" / "hard", *row) for _, _, *row in refusals])
    assert python_says[0] == python_says[1]
    about = {
        "versions": {"python": platform.python_version(), "transformers": transformers.__version__, "tokenizers": tokenizers.__version__, "torch": torch.__version__,
                     "torchvision": torchvision.__version__, "pillow": PIL.__version__},
        "image_processor": type(processor.image_processor).__name__,
        "traps": TRAPS,
        "refused": [{"name": name, "code": code, "python": says} for (name, code, *_), says in zip(refusals, python_says[0])],
    }  # fmt: skip
    parts = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in about.items()]
    parts += [f'"{name}": [\n' + ",\n".join(json.dumps(row, ensure_ascii=False) for row in results) + "\n]" for name, results in expected.items()]
    (output / "expected.json").write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    differ = sum(a != b for a, b in zip(*expected.values()))
    print(f"{len(cases)} rows, {len(TRAPS)} traps, {differ} rows encoded differently by the two architectures; {about['versions']}")
    print("\n".join(f"{line['name']}: {line['python']}" for line in about["refused"]))
    assert differ > 0, "the two splitting patterns have to be told apart by these rows"
    assert {row["fallback"] for row in expected["qwen3_5"]} == {0, 1, 2}


if __name__ == "__main__":
    main()
