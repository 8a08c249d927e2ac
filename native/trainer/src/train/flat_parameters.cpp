#include "train/flat_parameters.hpp"

#include <ATen/core/grad_mode.h>

namespace ws {

FlatParameters::FlatParameters(const NamedTensors& tensors) {
  at::NoGradGuard no_grad;
  std::vector<at::Tensor> flat;
  for (const auto& [name, tensor] : tensors) {
    TORCH_CHECK(tensor.scalar_type() == at::kFloat, name, " is not fp32");
    flat.push_back(tensor.detach().reshape({-1}));
  }
  values_ = at::cat(flat);
  gradients_ = at::zeros_like(values_);
  int64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto view = [&](const at::Tensor& buffer) { return buffer.narrow(0, offset, tensor.numel()).view(tensor.sizes()); };
    at::Tensor leaf = view(values_).detach();
    leaf.set_requires_grad(true);
    leaf.mutable_grad() = view(gradients_);
    leaves_.emplace_back(name, leaf);
    offset += tensor.numel();
  }
}

NamedTensors FlatParameters::parts(const at::Tensor& flat) const {
  NamedTensors out;
  int64_t offset = 0;
  for (const auto& [name, leaf] : leaves_) {
    out.emplace_back(name, flat.narrow(0, offset, leaf.numel()).view(leaf.sizes()));
    offset += leaf.numel();
  }
  return out;
}

std::vector<at::Tensor> FlatParameters::gradient_parts() const {
  std::vector<at::Tensor> out;
  for (const auto& [name, part] : parts(gradients_)) out.push_back(part);
  return out;
}

void FlatParameters::zero_gradients() { gradients_.zero_(); }

}  // namespace ws
