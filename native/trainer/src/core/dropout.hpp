// Dropout without a generator: whether an element is kept is a hash of (seed, ordinal of the row visit, token in its row, module,
// feature). So the mask does not depend on packing, recompute, ranks or a resume, and nothing of it is stored: the backward
// hashes again.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <string_view>

#include "core/segment.hpp"

namespace ws {

struct Dropout {
  double p = 0;       // probability that an element is dropped, in [0, 1); 0 is no dropout
  uint64_t seed = 0;  // of the run
};

// int32 [T] on the segment's device: a hash of (seed, ordinal, token in its row). Once a forward. `first_token` is where the
// rows' tokens start to count: a continuation goes on from its parent's tokens.
at::Tensor dropout_token_keys(uint64_t seed, const Segment& segment, int64_t first_token = 0);

// 32-bit hash of a module's path, so that a module's mask does not depend on which other modules have an adapter.
uint32_t dropout_module_key(std::string_view path);

// x [T, features] (fp32, bf16 or fp64) -> x * keep / (1 - p), in x's dtype. Differentiable in x.
at::Tensor dropout(const at::Tensor& x, double p, const at::Tensor& token_keys, uint32_t module_key);

// The same by ATen operations on any device; `dropout` takes it wherever the tensors are not on the CPU. Here for the test that
// both agree bit for bit. Not differentiable.
at::Tensor dropout_by_operators(const at::Tensor& x, double p, const at::Tensor& token_keys, uint32_t module_key);

}  // namespace ws
