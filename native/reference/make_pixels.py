"""Makes the golden images of tests/pixels_test.cpp and the SHA-256 of the pixel values that transformers computes from them.

usage: python make_pixels.py OUTPUT_FOLDER   (native/trainer/tests/golden/pixels)

Needs torch, torchvision, transformers and Pillow. Where torchvision's binary part cannot be loaded (a build for another torch), its operators
are declared without bodies: the image processor only uses torchvision's Python part. Without a torchvision that loads, transformers quietly
takes another processor whose resizing differs by one level in places, so the class is asserted.
"""

import hashlib
import io
import json
import re
import struct
import sys
import zlib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy
import torch


def declare_missing_operators():
    """Declares what the Python part of torchvision registers meta functions for, where _C did not load."""
    folder = Path(find_spec("torchvision").origin).parent
    source = (folder / "_meta_registrations.py").read_text()
    names = set(re.findall(r"torchvision::(\w+)", source)) | set(re.findall(r'register_meta\("(\w+)"\)', source))
    library = torch.library.Library("torchvision", "DEF")
    for name in sorted(names):
        library.define(f"{name}(Tensor a) -> Tensor")
    return library


try:
    import torchvision  # noqa: F401
except RuntimeError as error:
    if "torchvision::" not in str(error):
        raise
    for module in [m for m in sys.modules if m.startswith("torchvision")]:
        del sys.modules[module]
    kept_alive = declare_missing_operators()
    import torchvision  # noqa: F401

from PIL import Image  # noqa: E402
from transformers.models.qwen2_vl import image_processing_qwen2_vl as module  # noqa: E402

processor_class = getattr(module, "Qwen2VLImageProcessorFast", module.Qwen2VLImageProcessor)
assert "Pil" not in processor_class.__name__, processor_class
assert any(base.__name__ in ("TorchvisionBackend", "BaseImageProcessorFast") for base in processor_class.__mro__), processor_class.__mro__

QWEN = {"patch": 16, "temporal_patch": 2, "merge": 2, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "rescale": 0.00392156862745098}
CLIP = QWEN | {"patch": 14, "mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711]}


def picture(height, width, seed):
    """[height, width, 3] bytes with what screenshots have: flat areas, hard edges, thin lines, a gradient, some noise."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:height, 0:width]
    out = numpy.stack([x * 255 // width, y * 255 // height, (x + y) * 255 // (width + height)], axis=2).astype(numpy.uint8)
    for _ in range(12):
        top, left = random.integers(0, height - 2), random.integers(0, width - 2)
        bottom, right = top + random.integers(1, height // 3 + 2), left + random.integers(1, width // 3 + 2)
        out[top:bottom, left:right] = random.integers(0, 256, 3)
    out[::7, : width // 2] = 0
    out[:, 3::11] = 255
    band = out[height // 2 : height // 2 + height // 8]
    band[:] = random.integers(0, 256, band.shape)
    return out


def png(image, **options):
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True, **options)
    return file.getvalue()


def jpeg(image, **options):
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


def with_alpha(height, width, seed):
    alpha = numpy.random.default_rng(seed).integers(0, 256, (height, width, 1), dtype=numpy.uint8)
    return Image.fromarray(numpy.concatenate([picture(height, width, seed), alpha], axis=2), "RGBA")


def gray(height, width, seed):
    return Image.fromarray(picture(height, width, seed)[:, :, 0], "L")


def gray_alpha(height, width, seed):
    return Image.fromarray(numpy.asarray(with_alpha(height, width, seed).convert("LA")), "LA")


def palette(height, width, seed):
    return Image.fromarray(picture(height, width, seed)).quantize(32)


def rotated_exif():
    exif = Image.Exif()
    exif[0x0112] = 6  # "turn by 90 degrees": neither side does
    return exif


def png_16_bit(height, width):
    """A PNG with 16 bits a channel, which Pillow cannot write."""
    rows = b"".join(b"\0" + bytes(6 * width) for _ in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


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
