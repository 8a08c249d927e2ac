#pragma once
#include <ATen/ATen.h>

#include "models/qwen35/config.hpp"

namespace ws {

struct CosSin {
  at::Tensor cos, sin;  // [T, rotary_dim]
};

// Interleaved M-RoPE: frequency i uses the height position if i % 3 == 1 and i < 3 * section[1], the width position if
// i % 3 == 2 and i < 3 * section[2], else the temporal one. Both halves of the rotary dims share the frequencies.
CosSin text_rotary(const at::Tensor& positions, const TextConfig& c, at::ScalarType dtype);

// 2D rotary over all of head_dim: frequencies of the row, then of the column, twice. patches: int64 [N, 2].
CosSin vision_rotary(const at::Tensor& patches, const VisionConfig& c);

// x: [T, heads, head_dim]; the first rotary_dim dims are turned, the rest passes.
at::Tensor rotate(const at::Tensor& x, const CosSin& r);

}  // namespace ws
