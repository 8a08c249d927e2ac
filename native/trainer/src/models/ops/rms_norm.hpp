// Root-mean-square norms. Both compute in fp32 and round where the reference rounds.
#pragma once
#include <ATen/ATen.h>

namespace ws {

// Zero-centred: the weight [d] is stored as an offset from 1. x [..., d] -> round(x * rsqrt(mean(x^2) + eps) * (1 + weight)).
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

// The delta rule's output norm, per head: o, gate [..., d]; weight [d] is plain, not an offset; norm first, then the gate in
// fp32. n = weight * round(o * rsqrt(mean(o^2) + eps)), result = round(n * silu(gate)), in o's dtype.
at::Tensor gated_rms_norm(const at::Tensor& o, const at::Tensor& gate, const at::Tensor& weight, double eps);

}  // namespace ws
