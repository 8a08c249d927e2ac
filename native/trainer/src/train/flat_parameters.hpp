// The trained tensors, their gradients and AdamW's moments, each in one flat fp32 buffer. One buffer means one all-reduce, one
// zeroing and a handful of kernels for the whole optimizer step, however many modules the adapter has. The named tensors are
// views: a backward adds to the flat gradient in place, so it is zeroed and never reset to undefined.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ws {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

class FlatParameters {
 public:
  // Copies `tensors` (fp32, one device, leaves) into one buffer, in their order.
  explicit FlatParameters(const NamedTensors& tensors);

  // Leaves [shape of the i-th tensor] that view the buffer and require a gradient; the caller puts them where the model reads
  // them.
  const NamedTensors& leaves() const { return leaves_; }
  const at::Tensor& values() const { return values_; }        // fp32 [total]
  const at::Tensor& gradients() const { return gradients_; }  // fp32 [total]
  int64_t total() const { return values_.numel(); }

  // Parts of any flat [total] buffer, shaped and named as the leaves are.
  NamedTensors parts(const at::Tensor& flat) const;
  // The gradients one by one, as torch's clipping sees them.
  std::vector<at::Tensor> gradient_parts() const;
  void zero_gradients();

 private:
  at::Tensor values_, gradients_;
  NamedTensors leaves_;
};

}  // namespace ws
