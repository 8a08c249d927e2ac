#include "terms/terms.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include "core/cast.hpp"

namespace ws {
namespace {

constexpr int64_t kBlock = 32;  // rows of logits that are widened at once

struct Score : torch::autograd::Function<Score> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* ctx, const at::Tensor& logits,
                                                const at::Tensor& targets) {
    ctx->save_for_backward({logits, targets});
    std::vector<at::Tensor> scores, best;
    for (int64_t i = 0; i < logits.size(0); i += kBlock) {
      const int64_t n = std::min(kBlock, logits.size(0) - i);
      const at::Tensor wide = widened(logits.narrow(0, i, n)), index = targets.narrow(0, i, n);
      scores.push_back(at::log_softmax(wide, -1).gather(-1, index.unsqueeze(-1)).squeeze(-1));
      best.push_back(wide.argmax(-1).eq(index));
    }
    const at::Tensor hit = at::cat(best);
    ctx->mark_non_differentiable({hit});
    return {at::cat(scores), hit};
  }

  // d log p(target) / d logits = onehot(target) - softmax.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &logits = saved[0], &targets = saved[1];
    if (!grads[0].defined()) return {at::Tensor(), at::Tensor()};
    at::Tensor out = at::empty_like(logits);
    for (int64_t i = 0; i < logits.size(0); i += kBlock) {
      const int64_t n = std::min(kBlock, logits.size(0) - i);
      const at::Tensor g = grads[0].narrow(0, i, n).unsqueeze(-1);
      at::Tensor block = at::softmax(widened(logits.narrow(0, i, n)), -1).mul_(-g);
      block.scatter_add_(-1, targets.narrow(0, i, n).unsqueeze(-1), g);
      out.narrow(0, i, n).copy_(block);
    }
    return {out, at::Tensor()};
  }
};

}  // namespace

TargetScores score_targets(const at::Tensor& logits, const at::Tensor& targets) {
  const auto out = Score::apply(logits, targets);
  return {out[0], out[1]};
}

at::Tensor cross_entropy(const at::Tensor& log_probs, const at::Tensor& weights) { return -(log_probs * weights).sum(); }

K3 k3(const at::Tensor& log_probs, const at::Tensor& reference, const at::Tensor& weights, double low, double high) {
  const at::Tensor raw = reference - log_probs, d = raw.clamp(low, high);
  const at::Tensor outside = raw.detach().lt(low).logical_or(raw.detach().gt(high)).logical_and(weights.ne(0));
  return {((d.exp() - d - 1) * weights).sum(), outside.sum()};
}

}  // namespace ws
