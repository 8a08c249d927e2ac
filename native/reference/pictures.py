"""Image files in every form that rows have, as bytes, made from numbers: for the fixtures of pixel values and of encoded rows."""

import io
import struct
import zlib

import numpy
from PIL import Image, ImageCms


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


def screen(height, width, seed):
    """The same without gradient and noise: packs into a few kilobytes at 1280x720."""
    random = numpy.random.default_rng(seed)
    out = numpy.full((height, width, 3), 240, numpy.uint8)
    for _ in range(20):
        top, left = random.integers(0, height), random.integers(0, width)
        bottom, right = top + random.integers(1, height // 3 + 2), left + random.integers(1, width // 3 + 2)
        out[top:bottom, left:right] = random.integers(0, 256, 3)
    for line in range(5, height, 37):
        out[line : line + 1, width // 9 : width // 2] = 20
    return out


def png(image, **options):
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True, **options)
    return file.getvalue()


def jpeg(image, **options):
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


def webp(image, **options):
    file = io.BytesIO()
    image.save(file, "WEBP", **options)
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


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(width, height, bits, colour, rows):
    """A PNG of raw rows, for forms that Pillow does not write."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def png_16_bit(height, width):
    return png_of(width, height, 16, 2, [bytes(6 * width)] * height)


def png_gray_bits(height, width, bits):
    """Gray with 2 or 4 bits a pixel; the width is a multiple of four."""
    levels = numpy.random.default_rng(bits).integers(0, 2**bits, (height, width))
    each = 8 // bits
    rows = [bytes(sum(int(v) << (bits * (each - 1 - i)) for i, v in enumerate(row[x : x + each])) for x in range(0, width, each)) for row in levels]
    return png_of(width, height, bits, 0, rows)


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def wide_gamut_profile():
    """An ICC profile with the primaries of Display P3 and a plain gamma: whoever applies it changes colours by dozens of levels."""
    xyz = lambda *values: b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in values)
    name = b"wide"
    tags = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(name) + 1) + name + b"\0" + bytes(78),
        b"cprt": b"text\0\0\0\0none\0",
        b"wtpt": xyz(0.9642, 1.0, 0.8249),
        b"rXYZ": xyz(0.5151, 0.2412, -0.0011),
        b"gXYZ": xyz(0.2919, 0.6922, 0.0419),
        b"bXYZ": xyz(0.1572, 0.0666, 0.7841),
    }
    for tag in (b"rTRC", b"gTRC", b"bTRC"):
        tags[tag] = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(1.8 * 256))
    table, body, at = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    for tag, data in tags.items():
        table += tag + struct.pack(">II", at + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    header = struct.pack(">I4sI4s4s4s", at + len(body), b"none", 0x02400000, b"mntr", b"RGB ", b"XYZ ") + bytes(12) + b"acsp" + bytes(28)
    header += fixed(0.9642) + fixed(1.0) + fixed(0.8249)
    profile = header.ljust(128, b"\0") + table + body
    colours = Image.fromarray(picture(32, 32, 1))
    applied = ImageCms.profileToProfile(colours, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB"))
    change = numpy.abs(numpy.asarray(applied).astype(int) - numpy.asarray(colours).astype(int)).max()
    assert change > 30, change
    return profile
