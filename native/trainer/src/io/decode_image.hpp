// PNG, JPEG and WebP to RGB bytes, by libvips from sharp's packages. Equal to Pillow's convert("RGB"): alpha is dropped, not
// blended; EXIF rotation and ICC profiles are not applied; palettes and gray are expanded. What Pillow would read otherwise is
// refused: CMYK, 16 bits a channel. A build without libvips has the function too; it throws an Error that says how to build with
// it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ws::io {

struct DecodedImage {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;  // [height, width, 3]
};

bool can_decode_images();

// `name` (path, and the row where known) is for messages. Throws ws::Error (data): "image-unreadable", "image-unsupported",
// "image-too-large". Thread-safe.
DecodedImage decode_image(std::span<const std::byte> file, const std::string& name);

}  // namespace ws::io
