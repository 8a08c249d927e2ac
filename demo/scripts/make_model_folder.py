"""Writes everything of demo/model but the weights and the chat template: tokenizer, processor settings, config.

    python demo/scripts/make_model_folder.py

Reads demo/rows and demo/build/corpus.jsonl (make-rows.ts, make-corpus.ts). The tokenizer is a byte-level BPE of our own with the
splitting rule of the Qwen3.5 tokenizer: a digit is a token, combining marks stay with their letters, text is NFC.
"""
import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import Qwen3_5Config

DEMO = Path(__file__).resolve().parent.parent
MODEL = DEMO / "model"

VOCABULARY = 2560
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
         r"|\s*[\r\n]+|\s+(?!\S)|\s+")
# (text, special): the ones that are not special survive decoding with skip_special_tokens.
ADDED = [("<|endoftext|>", True), ("<|im_start|>", True), ("<|im_end|>", True), ("<|vision_start|>", True),
         ("<|vision_end|>", True), ("<|vision_pad|>", True), ("<|image_pad|>", True), ("<|video_pad|>", True),
         ("<tool_call>", False), ("</tool_call>", False), ("<tool_response>", False), ("</tool_response>", False),
         ("<think>", False), ("</think>", False),
         ("<|slot|>", True), ("<|slot_1|>", True), ("<|slot_2|>", True), ("<|slot_3|>", True)]
# English of user interfaces that neither the rows nor the corpus need to hold, so that other rows are not all bytes.
GENERAL = """Please enter a valid address. Your changes have been saved. Are you sure you want to delete this item? This cannot be undone.
Welcome back! You have new messages. Select all, copy, paste, undo, redo. Show more results. Sort by price, date or name. Filter by
brand, rating and availability. Add to wish list. Continue to payment. Forgot your password? Create an account. Accept cookies. Learn more.
The requested page could not be found. Try again later. Loading, please wait. Click here to download the attached document. Subscribe to
our newsletter. Terms of service and privacy policy. Language, region, currency, time zone. Share this page with your friends. Previous and
next month. Check in, check out, guests, rooms. First name, last name, e-mail address, telephone number, postal code, street, house number.
The user wants me to find the right button, then fill the form and submit it. I should verify that the dialog closed before I go on.
"""


def texts():
    for path in sorted((DEMO / "rows").glob("*/rows.jsonl")):
        if path.parent.name.startswith("_"):
            continue
        for line in path.read_text("utf-8").splitlines():
            yield from row_texts(json.loads(line))
    with (DEMO / "build" / "corpus.jsonl").open(encoding="utf-8") as lines:
        for number, line in zip(range(6000), lines):
            yield from row_texts(json.loads(line))
    for _ in range(40):
        yield GENERAL
        # Three line breaks are one token, as in the large tokenizers: so an answer that begins with one melts into the prompt's end.
        yield "a\n\n\nb\n\n\n" * 10


def row_texts(row):
    for message in row["messages"]:
        content = message["content"]
        yield from [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
    yield row["target"]


def make_tokenizer():
    tokenizer = Tokenizer(BPE(unk_token=None, fuse_unk=False, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    tokenizer.train_from_iterator(texts(), BpeTrainer(
        vocab_size=VOCABULARY - len(ADDED), min_frequency=3, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_tokens([AddedToken(text, special=special, normalized=False) for text, special in ADDED])
    return tokenizer


def write(name, value):
    (MODEL / name).write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    MODEL.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer()
    tokenizer.save(str(MODEL / "tokenizer.json"))
    token = {text: tokenizer.token_to_id(text) for text, _ in ADDED}
    write("tokenizer_config.json", {
        "tokenizer_class": "Qwen2Tokenizer", "processor_class": "Qwen3VLProcessor", "add_bos_token": False, "add_prefix_space": False,
        "added_tokens_decoder": {
            str(token[text]): {"content": text, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": special}
            for text, special in ADDED},
        "additional_special_tokens": [text for text, special in ADDED if special and text != "<|endoftext|>"],
        "bos_token": None, "clean_up_tokenization_spaces": False, "eos_token": "<|im_end|>", "errors": "replace",
        "image_token": "<|image_pad|>", "video_token": "<|video_pad|>", "vision_bos_token": "<|vision_start|>",
        "vision_eos_token": "<|vision_end|>", "model_max_length": 4096, "pad_token": "<|endoftext|>", "split_special_tokens": False,
        "unk_token": None})
    # A 1280x800 screenshot becomes 384x224 pixels and 84 tokens; what is below 32,768 pixels is scaled up.
    pixels = {"shortest_edge": 32768, "longest_edge": 98304}
    common = {"size": pixels, "patch_size": 16, "temporal_patch_size": 2, "merge_size": 2, "image_mean": [0.5] * 3,
              "image_std": [0.5] * 3, "processor_class": "Qwen3VLProcessor"}
    write("preprocessor_config.json", {**common, "image_processor_type": "Qwen2VLImageProcessorFast"})
    write("video_preprocessor_config.json", {**common, "video_processor_type": "Qwen3VLVideoProcessor"})
    write("generation_config.json", {"eos_token_id": [token["<|im_end|>"], token["<|endoftext|>"]],
                                     "pad_token_id": token["<|endoftext|>"], "do_sample": False})
    text = dict(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=192, intermediate_size=384, num_hidden_layers=8, num_attention_heads=4,
        num_key_value_heads=2, head_dim=64, linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=32,
        linear_value_head_dim=32, linear_conv_kernel_dim=4, max_position_embeddings=4096, tie_word_embeddings=True,
        eos_token_id=token["<|im_end|>"], pad_token_id=token["<|endoftext|>"],
        rope_parameters=dict(rope_type="default", rope_theta=100000, partial_rotary_factor=0.25, mrope_section=[3, 3, 2],
                             mrope_interleaved=True))
    vision = dict(depth=2, hidden_size=96, intermediate_size=192, num_heads=3, num_position_embeddings=256, out_hidden_size=192,
                  patch_size=16, temporal_patch_size=2, spatial_merge_size=2)
    config = Qwen3_5Config(
        text_config=text, vision_config=vision, tie_word_embeddings=True, image_token_id=token["<|image_pad|>"],
        video_token_id=token["<|video_pad|>"], vision_start_token_id=token["<|vision_start|>"],
        vision_end_token_id=token["<|vision_end|>"], architectures=["Qwen3_5ForConditionalGeneration"], dtype="bfloat16")
    config.save_pretrained(MODEL)
    print("vocabulary", tokenizer.get_vocab_size(), token)


if __name__ == "__main__":
    main()
