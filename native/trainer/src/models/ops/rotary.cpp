#include "models/ops/rotary.hpp"

namespace ws {
namespace {

at::Tensor inverse_frequencies(double theta, int64_t dim) {
  // In fp32 throughout, as the reference: 1 / theta ** (2i / dim). In double it differs in the last bit.
  return at::reciprocal(at::pow(theta, at::arange(0, dim, 2, at::kFloat) / static_cast<double>(dim)));
}

}  // namespace

CosSin text_rotary(const at::Tensor& positions, double theta, int64_t rotary_dim, const std::vector<int64_t>& section,
                   at::ScalarType dtype) {
  const at::Tensor inverse = inverse_frequencies(theta, rotary_dim).to(positions.device());
  const int64_t n = rotary_dim / 2;
  std::vector<int64_t> axis(static_cast<size_t>(n), 0);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t a = i % 3;
    if (a != 0 && i < 3 * section[static_cast<size_t>(a)]) axis[static_cast<size_t>(i)] = a;
  }
  const at::Tensor choice = at::tensor(axis, at::kLong).to(positions.device());
  const at::Tensor chosen = positions.index_select(0, choice).to(at::kFloat).t();  // [T, n]
  const at::Tensor angle = chosen * inverse;
  const at::Tensor both = at::cat({angle, angle}, -1);
  return {both.cos().to(dtype), both.sin().to(dtype)};
}

CosSin vision_rotary(const at::Tensor& patches, double theta, int64_t head_dim) {
  const at::Tensor inverse = inverse_frequencies(theta, head_dim / 2).to(patches.device());
  const at::Tensor angle = (patches.to(at::kFloat).unsqueeze(-1) * inverse).flatten(1);  // [N, head_dim / 2]
  const at::Tensor both = at::cat({angle, angle}, -1);
  return {both.cos(), both.sin()};
}

at::Tensor rotate(const at::Tensor& x, const CosSin& r) {
  const int64_t dim = r.cos.size(-1);
  const at::Tensor turned = x.narrow(-1, 0, dim);
  const at::Tensor cos = r.cos.unsqueeze(1), sin = r.sin.unsqueeze(1);
  const at::Tensor quarter = at::cat({turned.narrow(-1, dim / 2, dim / 2).neg(), turned.narrow(-1, 0, dim / 2)}, -1);
  const at::Tensor out = turned * cos + quarter * sin;
  if (dim == x.size(-1)) return out;
  return at::cat({out, x.narrow(-1, dim, x.size(-1) - dim)}, -1);
}

}  // namespace ws
