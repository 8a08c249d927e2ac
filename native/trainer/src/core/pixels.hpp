// From RGB bytes to the rows that the vision tower takes, bit for bit what transformers' fast Qwen2-VL image processor computes.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>

#include "io/decode_image.hpp"
#include "io/encoded_dataset.hpp"

namespace ws {

// [t*h*w, 3 * temporal_patch * patch * patch] float32 on the CPU: one row a patch in merge-block order (block row, block column,
// row, column); a row's values in order (channel, time, y, x), a still image repeated over time. The image is resized
// (antialiased bicubic on bytes) to (h*patch, w*patch) where its size differs. `grid` is (t, h, w) in patches; t must be 1, h and
// w multiples of merge. Throws ws::Error (data).
at::Tensor pixel_rows(const io::DecodedImage& image, std::array<int32_t, 3> grid, const io::ImageProcessor& processor);

// Reads, checks (size, SHA-256, decoded height and width), decodes and patches an image of a row. Throws ws::Error (data);
// messages name the file and `row_name`. Thread-safe, so that a loader can prepare the next row.
at::Tensor load_pixel_rows(const io::ImageReference& image, const io::ImageProcessor& processor, const std::string& row_name);

}  // namespace ws
