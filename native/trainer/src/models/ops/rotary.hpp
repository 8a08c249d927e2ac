// Rotary position embeddings.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace ws {

struct CosSin {
  at::Tensor cos, sin;  // [T, rotary_dim]
};

// Interleaved M-RoPE: frequency i uses the height position if i % 3 == 1 and i < 3 * section[1], the width position if
// i % 3 == 2 and i < 3 * section[2], else the temporal one. Both halves of the rotary dims share the frequencies.
// positions: int64 [3, T]; `section` has three entries that sum to rotary_dim / 2. Computed in fp32, rounded to `dtype`.
CosSin text_rotary(const at::Tensor& positions, double theta, int64_t rotary_dim, const std::vector<int64_t>& section,
                   at::ScalarType dtype);

// 2D rotary over all of head_dim: frequencies of the row, then of the column, twice. patches: int64 [N, 2]. fp32.
CosSin vision_rotary(const at::Tensor& patches, double theta, int64_t head_dim);

// x: [T, heads, head_dim]; the first rotary_dim dims are turned, the rest passes.
at::Tensor rotate(const at::Tensor& x, const CosSin& r);

}  // namespace ws
