#include "models/ops/convolution.hpp"

#include <algorithm>

namespace ws {

// The calls and the contiguous result are the reference's: on a CPU the forward is then equal to it bit for bit (a sum of shifted
// products, or an L2 norm over a strided tensor, differ in the last bits).
ConvolutionOutput causal_convolution(const at::Tensor& x, const at::Tensor& weight, const std::vector<int64_t>& cu,
                                     const at::Tensor& before, bool want_tail) {
  const int64_t history = weight.size(1) - 1;
  std::vector<at::Tensor> rows;
  at::Tensor tail;
  for (size_t r = 0; r + 1 < cu.size(); ++r) {
    const int64_t length = cu[r + 1] - cu[r];
    const at::Tensor row = x.narrow(0, cu[r], length);
    const at::Tensor longer = before.defined() ? at::cat({before, row}) : row;
    const at::Tensor sum = at::conv1d(longer.t().unsqueeze(0), weight.unsqueeze(1), {}, /*stride=*/1,
                                      at::IntArrayRef{before.defined() ? 0 : history}, /*dilation=*/1, /*groups=*/weight.size(0));
    rows.push_back(at::silu(sum.narrow(2, 0, length)).squeeze(0).t().contiguous());
    if (want_tail)
      tail = at::constant_pad_nd(longer, {0, 0, std::max<int64_t>(history - longer.size(0), 0), 0}).slice(0, -history);
  }
  return {rows.size() == 1 ? rows[0] : at::cat(rows), tail};
}

}  // namespace ws
