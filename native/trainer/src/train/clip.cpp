#include "train/clip.hpp"

#include <ATen/core/grad_mode.h>

namespace ws {

at::Tensor gradient_norm(const std::vector<at::Tensor>& gradients) {
  at::NoGradGuard no_grad;
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
}

void scale_to_norm(const at::Tensor& flat, const at::Tensor& norm, double limit) {
  at::NoGradGuard no_grad;
  flat.mul_((limit / (norm + 1e-6)).clamp_max(1.0));
}

}  // namespace ws
