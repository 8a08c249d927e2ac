// The causal depthwise convolution in front of the delta rule, with its SiLU.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace ws {

struct ConvolutionOutput {
  at::Tensor y;     // [T, channels], in x's dtype
  at::Tensor tail;  // the last taps - 1 inputs of the last row, [taps - 1, channels]; undefined unless asked for
};

// x [T, channels], weight [channels, taps]: y_t = silu(sum_j weight[:, j] * x_{t - taps + 1 + j}) in every row of `cu`, each
// behind taps - 1 zeros, or behind `before` [taps - 1, channels] (the tail of the rows' parent).
ConvolutionOutput causal_convolution(const at::Tensor& x, const at::Tensor& weight, const std::vector<int64_t>& cu,
                                     const at::Tensor& before, bool want_tail);

}  // namespace ws
