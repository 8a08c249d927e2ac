// Causal attention inside each row of a segment.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace ws {

struct AttentionOutput {
  at::Tensor y;             // [T, heads * head_dim]
  at::Tensor keys, values;  // of the last row, the parent's included: [P + L, kv_heads, head_dim]
};

// q [T, heads, D], k and v [T, kv_heads, D]; query head j reads key head j / (heads / kv_heads); scale D ** -0.5. Every row of
// `cu` attends to itself and, if defined, to its parent's keys and values [P, kv_heads, D] in front of it.
AttentionOutput causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const std::vector<int64_t>& cu,
                                 const at::Tensor& parent_keys, const at::Tensor& parent_values);

}  // namespace ws
