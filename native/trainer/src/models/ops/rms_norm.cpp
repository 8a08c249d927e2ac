#include "models/ops/rms_norm.hpp"

#include "core/cast.hpp"

namespace ws {
namespace {

at::Tensor scaled(const at::Tensor& wide, double eps) { return wide * at::rsqrt(wide.pow(2).mean(-1, true) + eps); }

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  return (scaled(widened(x), eps) * (1.0 + widened(weight))).to(x.scalar_type());
}

at::Tensor gated_rms_norm(const at::Tensor& o, const at::Tensor& gate, const at::Tensor& weight, double eps) {
  const at::Tensor normed = weight * scaled(widened(o), eps).to(o.scalar_type());
  return (normed * at::silu(widened(gate))).to(o.scalar_type());
}

}  // namespace ws
