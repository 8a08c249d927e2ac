// Operations that need no golden files: the delta rule against its definition in fp64, dropout, loss terms.
#include <ATen/Parallel.h>

#include <cmath>
#include <cstdio>

#include "core/dropout.hpp"
#include "model_cases.hpp"
#include "models/ops/delta_rule.hpp"
#include "test_support/torch_check.hpp"

namespace {

using namespace ws;
using namespace ws::test;

void delta_rule() {
  at::manual_seed(3);
  const auto options = at::TensorOptions().dtype(at::kDouble);
  const std::vector<int64_t> cu{0, 1, 64, 193, 200};
  const int64_t n = cu.back();
  std::vector<at::Tensor> in{at::randn({n, 2, 16}, options), at::randn({n, 2, 16}, options), at::randn({n, 4, 24}, options),
                             -at::rand({n, 4}, options) * 3, at::rand({n, 4}, options),      at::randn({4, 16, 24}, options)};
  for (at::Tensor& t : in) t.set_requires_grad(true);
  // Outputs and all six gradients.
  const auto results = [&](int64_t chunk) {
    const DeltaInput d{in[0], in[1], in[2], in[3], in[4]};
    const DeltaOutput y = chunk ? delta_rule_chunked(d, cu, in[5], chunk) : delta_rule_recurrent(d, cu, in[5]);
    at::manual_seed(4);
    const at::Tensor loss = (y.o * at::randn_like(y.o)).sum() + (y.state * at::randn_like(y.state)).sum();
    auto out = torch::autograd::grad({loss}, in);
    out.push_back(y.o.detach());
    out.push_back(y.state.detach());
    return out;
  };
  const auto slow = results(0);
  for (const int64_t chunk : {64, 16}) {
    const double error = worst(results(chunk), slow);
    std::printf("delta rule, fp64, 4 packed rows from a state, chunks of %ld against token by token: %.1e\n",
                static_cast<long>(chunk), error);
    CHECK(error <= 1e-12);
  }
}

Segment rows_of(std::vector<int64_t> cu, std::vector<int64_t> ordinals) {
  Segment s;
  s.ids = at::zeros({cu.back()}, at::kLong);
  s.cu = std::move(cu);
  s.ordinals = std::move(ordinals);
  return s;
}

void dropout_masks() {
  const double p = 0.1;
  const int64_t tokens = 1000, features = 512;
  const Segment s = rows_of({0, 400, 1000}, {5, 6});
  const uint32_t q = dropout_module_key("x.q_proj"), k = dropout_module_key("x.k_proj");
  const at::Tensor ones = at::ones({tokens, features}), keys = dropout_token_keys(1, s);
  const at::Tensor a = dropout(ones, p, keys, q), b = dropout(ones, p, keys, k),
                   other = dropout(ones, p, dropout_token_keys(2, s), q);
  const auto dropped = [](const at::Tensor& t) { return t.eq(0).to(at::kDouble); };
  const double n = static_cast<double>(tokens * features), deviation = std::sqrt(p * (1 - p) / n);

  // Rate and scale.
  CHECK_NEAR(dropped(a).mean().item<double>(), p, 4 * deviation);
  CHECK(at::logical_or(a.eq(0), a.eq(static_cast<float>(1 / 0.9))).all().item<bool>());
  // Independence: correlations of single elements, and of products of four at the corners of a rectangle (a hash that combines
  // token and feature too simply fails that one). Each has a standard deviation of about 1 / sqrt(n).
  const auto d = [&](const at::Tensor& t) { return (dropped(t) - p) / std::sqrt(p * (1 - p)); };
  const auto mean = [](const at::Tensor& t) { return t.mean().item<double>(); };
  const at::Tensor x = d(a);
  const double limit = 5 / std::sqrt(n);
  CHECK_NEAR(mean(x.narrow(1, 0, features - 1) * x.narrow(1, 1, features - 1)), 0, limit);  // next feature
  CHECK_NEAR(mean(x.narrow(0, 0, tokens - 1) * x.narrow(0, 1, tokens - 1)), 0, limit);      // next token
  CHECK_NEAR(mean(x * d(b)), 0, limit);                                                     // another module
  CHECK_NEAR(mean(x * d(other)), 0, limit);                                                 // another seed
  CHECK_NEAR(mean(x.narrow(0, 0, 400) * x.narrow(0, 400, 400)), 0, 2 * limit);              // the same tokens of another ordinal
  for (const int64_t step : {1, 16, 256}) {
    const at::Tensor left = x.narrow(1, 0, features - step) * x.narrow(1, step, features - step);
    CHECK_NEAR(mean(left.narrow(0, 0, tokens - 1) * left.narrow(0, 1, tokens - 1)), 0, 2 * limit);
  }
  // Rates a token and a feature: the largest of so many deviations stays below 5.
  CHECK((dropped(a).mean(1) - p).abs().max().item<double>() <= 5 * std::sqrt(p * (1 - p) / static_cast<double>(features)));
  CHECK((dropped(a).mean(0) - p).abs().max().item<double>() <= 5 * std::sqrt(p * (1 - p) / static_cast<double>(tokens)));

  // A row's mask is its own: alone, or as a continuation from its token 100, it is what it is in the packed segment.
  const at::Tensor alone = dropout(ones.narrow(0, 0, 600), p, dropout_token_keys(1, rows_of({0, 600}, {6})), q);
  CHECK(at::equal(alone, a.narrow(0, 400, 600)));
  const at::Tensor continued = dropout(ones.narrow(0, 0, 500), p, dropout_token_keys(1, rows_of({0, 500}, {6}), 100), q);
  CHECK(at::equal(continued, alone.narrow(0, 100, 500)));

  // The loop and the ATen form, which other devices take, agree bit for bit; the backward has the same mask.
  at::manual_seed(5);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble}) {
    const at::Tensor v = at::randn({tokens, features}, type).set_requires_grad(true);
    for (const double rate : {0.05, 0.1, 0.5, 0.9}) {
      const at::Tensor y = dropout(v, rate, keys, q);
      CHECK(at::equal(y.detach(), dropout_by_operators(v.detach(), rate, keys, q)));
      const at::Tensor g = at::randn_like(v);
      CHECK(at::equal(torch::autograd::grad({y}, {v}, {g})[0], dropout(g, rate, keys, q).detach()));
    }
  }
}

void terms() {
  at::manual_seed(6);
  const at::Tensor logits = (at::randn({70, 333}) * 4).set_requires_grad(true);
  at::Tensor targets = at::randint(0, 333, {70}, at::kLong);
  targets.narrow(0, 0, 20).copy_(logits.detach().narrow(0, 0, 20).argmax(-1));
  const at::Tensor weights = at::rand({70}), reference = at::randn({70}) - 6;

  const TargetScores got = score_targets(logits, targets);
  const at::Tensor plain = at::log_softmax(logits, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1);
  CHECK(at::equal(got.log_probs.detach(), plain.detach()));
  CHECK(at::equal(got.best, logits.detach().argmax(-1).eq(targets)));
  CHECK(got.best.narrow(0, 0, 20).all().item<bool>());
  CHECK(relative(torch::autograd::grad({cross_entropy(got.log_probs, weights)}, {logits})[0],
                 torch::autograd::grad({-(plain * weights).sum()}, {logits})[0]) <= 1e-6);

  // k3: value, count and gradient by hand; where it is clamped, and where the weight is 0, the gradient is 0.
  at::Tensor lp = at::tensor({-1.0f, -30.0f, -2.0f, -40.0f}).set_requires_grad(true);
  const at::Tensor ref = at::tensor({-1.5f, -1.0f, -30.0f, -1.0f}), w = at::tensor({0.5f, 0.25f, 1.0f, 0.0f});
  const K3 kl = k3(lp, ref, w, -20, 8);
  const double want = 0.5 * (std::exp(-0.5) + 0.5 - 1) + 0.25 * (std::exp(8.0) - 9) + (std::exp(-20.0) + 20 - 1);
  CHECK_NEAR(kl.sum.item<double>() / want, 1, 1e-6);
  CHECK_EQUAL(kl.clamped.item<int64_t>(), 2);
  const at::Tensor g = torch::autograd::grad({kl.sum}, {lp})[0];
  CHECK_NEAR(g[0].item<double>(), 0.5 * (1 - std::exp(-0.5)), 1e-6);
  CHECK(g.narrow(0, 1, 3).eq(0).all().item<bool>());
}

}  // namespace

int main() {
  at::set_num_threads(2);
  delta_rule();
  dropout_masks();
  terms();
  return finish();
}
