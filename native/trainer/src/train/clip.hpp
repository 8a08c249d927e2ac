// Gradient clipping as torch.nn.utils.clip_grad_norm_ does it.
#pragma once
#include <ATen/ATen.h>

#include <vector>

namespace ws {

// The 2-norm over all of `gradients`: the norm of their norms, which is torch's order of adding. A 0-d tensor on their device;
// reading it is a host sync, so the caller reads it once.
at::Tensor gradient_norm(const std::vector<at::Tensor>& gradients);

// Scales `flat` (all gradients) by min(1, limit / (norm + 1e-6)).
void scale_to_norm(const at::Tensor& flat, const at::Tensor& norm, double limit);

}  // namespace ws
