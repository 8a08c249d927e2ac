"""Makes the golden images of tests/pixels_test.cpp and the SHA-256 of the pixel values that transformers computes from them.

usage: python make_pixels.py OUTPUT_FOLDER   (native/trainer/tests/golden/pixels)

Needs torch, torchvision (see with_torchvision.py), transformers and Pillow.
"""

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

from with_torchvision import assert_torchvision_processor  # before transformers

import torch
from PIL import Image
from pictures import (
    gray, gray_alpha, jpeg, palette, picture, png, png_16_bit, png_gray_bits, rotated_exif, screen, webp, wide_gamut_profile, with_alpha,
)
from transformers.models.qwen2_vl import image_processing_qwen2_vl as module

processor_class = getattr(module, "Qwen2VLImageProcessorFast", module.Qwen2VLImageProcessor)
assert_torchvision_processor(processor_class)

QWEN = {"patch": 16, "temporal_patch": 2, "merge": 2, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "rescale": 0.00392156862745098}
CLIP = QWEN | {"patch": 14, "mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711]}


# name, bytes, processor, bounds of the number of pixels after resizing (None: as they come, no bound reached)
SMALL = {"shortest_edge": 4 * 32 * 32, "longest_edge": 64 * 32 * 32}
CASES = [
    ("rgb-exact.png", png(Image.fromarray(picture(96, 128, 1))), QWEN, SMALL),  # no resizing
    ("rgb-half-even.png", png(Image.fromarray(picture(144, 272, 2))), QWEN, SMALL),  # 144/32 = 4.5 -> 4, 272/32 = 8.5 -> 8
    ("rgb-tiny.png", png(Image.fromarray(picture(23, 41, 3))), QWEN, SMALL),  # scaled up
    ("rgb-large.jpg", jpeg(Image.fromarray(picture(360, 640, 4)), quality=85), QWEN, SMALL),  # scaled down a lot, 4:2:0
    ("rgba.png", png(with_alpha(70, 90, 5)), QWEN, SMALL),
    ("palette.png", png(palette(90, 77, 6)), QWEN, SMALL),
    ("palette-transparent.png", png(palette(64, 96, 7), transparency=3), QWEN, SMALL),
    ("gray.png", png(gray(80, 100, 8)), QWEN, SMALL),
    ("gray-alpha.png", png(gray_alpha(81, 65, 9)), QWEN, SMALL),
    ("gray-transparent.png", png(gray(64, 64, 10), transparency=0), QWEN, SMALL),
    ("one-bit.png", png(gray(70, 70, 11).convert("1")), QWEN, SMALL),
    ("gray.jpg", jpeg(gray(99, 131, 12), quality=90), QWEN, SMALL),
    ("444-progressive.jpg", jpeg(Image.fromarray(picture(101, 67, 13)), quality=92, subsampling=0, progressive=True), QWEN, SMALL),
    ("rotated.jpg", jpeg(Image.fromarray(picture(64, 128, 14)), quality=80, exif=rotated_exif()), QWEN, SMALL),
    ("two-bit.png", png_gray_bits(65, 92, 2), QWEN, SMALL),
    ("four-bit.png", png_gray_bits(77, 64, 4), QWEN, SMALL),
    ("wide-gamut.png", png(Image.fromarray(picture(64, 70, 19)), icc_profile=wide_gamut_profile()), QWEN, SMALL),  # not applied
    ("lossy.webp", webp(Image.fromarray(picture(90, 111, 20)), quality=70), QWEN, SMALL),
    ("lossless.webp", webp(Image.fromarray(picture(71, 85, 21)), lossless=True), QWEN, SMALL),
    ("alpha.webp", webp(with_alpha(66, 75, 22), lossless=True, exact=True), QWEN, SMALL),
    ("720p.png", png(Image.fromarray(screen(720, 1280, 23))), QWEN, {"shortest_edge": 65536, "longest_edge": 16777216}),  # to 704 x 1280
    ("clip.png", png(Image.fromarray(picture(100, 140, 15))), CLIP, {"shortest_edge": 4 * 28 * 28, "longest_edge": 64 * 28 * 28}),
]


def refused():
    """Files that have to be refused, and what the message has to contain."""
    whole = png(Image.fromarray(picture(96, 128, 16)))
    whole_jpeg = jpeg(Image.fromarray(picture(96, 128, 17)), quality=85)
    return [
        ("truncated.png", whole[: len(whole) // 2], "damaged or not whole"),
        ("truncated.jpg", whole_jpeg[: len(whole_jpeg) // 2], "damaged or not whole"),
        ("cmyk.jpg", jpeg(Image.fromarray(picture(32, 32, 18)).convert("CMYK")), "CMYK"),
        ("sixteen-bit.png", png_16_bit(32, 32), "more than 8 bits"),
        ("text.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no PNG, JPEG or WebP"),
        ("empty.png", b"", "no PNG, JPEG or WebP"),
    ]


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    images = []
    for name, content, settings, size in CASES:
        (folder / name).write_bytes(content)
        processor = processor_class(
            patch_size=settings["patch"], temporal_patch_size=settings["temporal_patch"], merge_size=settings["merge"],
            image_mean=settings["mean"], image_std=settings["std"], rescale_factor=settings["rescale"], size=size,
        )  # fmt: skip
        opened = Image.open(folder / name)
        features = processor(images=[opened.convert("RGB")], return_tensors="pt")
        values = features["pixel_values"].contiguous()
        assert values.dtype == torch.float32
        images.append({
            "file": name, "height": opened.height, "width": opened.width, "grid": features["image_grid_thw"][0].tolist(),
            "processor": settings, "shape": list(values.shape), "sha256": hashlib.sha256(values.numpy().tobytes()).hexdigest(),
        })  # fmt: skip
    for name, content, _ in refused():
        (folder / name).write_bytes(content)
    about = {
        "made_by": "native/reference/make_pixels.py", "processor_class": processor_class.__name__,
        "versions": {name: version(name) for name in ("torch", "torchvision", "transformers", "pillow", "numpy")},
        "images": images, "refused": [{"file": name, "message": message} for name, _, message in refused()],
    }  # fmt: skip
    (folder / "pixels.json").write_text(json.dumps(about, indent=1) + "\n")
    print(sum(f.stat().st_size for f in folder.iterdir()), "bytes in", len(list(folder.iterdir())), "files;", processor_class.__name__)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
