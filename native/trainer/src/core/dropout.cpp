#include "core/dropout.hpp"

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <vector>

namespace ws {
namespace {

uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// ATen has no unsigned 32-bit arithmetic on every device, so the hash is defined in int32 with wrapping products and *arithmetic*
// shifts.
constexpr int32_t kFirst = static_cast<int32_t>(0x85EBCA6Bu), kSecond = static_cast<int32_t>(0xC2B2AE35u);
constexpr int32_t kThird = static_cast<int32_t>(0x9E3779B1u), kFourth = static_cast<int32_t>(0x2C1B3C6Du);

int32_t times(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b)); }

// A full hash of one index; tokens and features have it once each, not once an element.
int32_t spread(int32_t x) {
  x = times(x ^ (x >> 16), kFirst);
  x = times(x ^ (x >> 13), kSecond);
  return x ^ (x >> 16);
}
at::Tensor spread(const at::Tensor& x) {
  at::Tensor y = at::bitwise_xor(x, at::bitwise_right_shift(x, 16)).mul_(kFirst);
  y = at::bitwise_xor(y, at::bitwise_right_shift(y, 13)).mul_(kSecond);
  return at::bitwise_xor(y, at::bitwise_right_shift(y, 16));
}

// What an element does with its token's and its feature's hash: dropped when the result lies below the threshold.
int32_t combine(int32_t token, int32_t feature) {
  const int32_t x = times(token ^ feature, kThird);
  return times(x ^ (x >> 15), kFourth);
}

int32_t threshold(double p) { return static_cast<int32_t>(std::llround(p * 4294967296.0) - 2147483648ll); }

at::Tensor on_cpu(const at::Tensor& x, double p, const at::Tensor& token_keys, uint32_t module_key) {
  const at::Tensor in = x.contiguous();
  at::Tensor out = at::empty_like(in);
  const int64_t tokens = in.size(0), features = in.size(1);
  const int32_t cut = threshold(p), module = static_cast<int32_t>(module_key);
  std::vector<int32_t> columns(static_cast<size_t>(features));
  for (int64_t f = 0; f < features; ++f) columns[static_cast<size_t>(f)] = spread(static_cast<int32_t>(f));
  const int32_t* keys = token_keys.const_data_ptr<int32_t>();
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, in.scalar_type(), "dropout", [&] {
    using compute = at::opmath_type<scalar_t>;
    const auto scale = static_cast<compute>(1.0 / (1.0 - p));
    const scalar_t* from = in.const_data_ptr<scalar_t>();
    scalar_t* to = out.data_ptr<scalar_t>();
    at::parallel_for(0, tokens, std::max<int64_t>(1, 16384 / std::max<int64_t>(features, 1)), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int32_t token = spread(keys[t] ^ module);
        const scalar_t* a = from + t * features;
        scalar_t* b = to + t * features;
        for (int64_t f = 0; f < features; ++f)
          b[f] = combine(token, columns[static_cast<size_t>(f)]) >= cut
                     ? static_cast<scalar_t>(static_cast<compute>(a[f]) * scale)
                     : static_cast<scalar_t>(0);
      }
    });
  });
  return out;
}

at::Tensor masked(const at::Tensor& x, double p, const at::Tensor& token_keys, uint32_t module_key) {
  return x.is_cpu() ? on_cpu(x, p, token_keys, module_key) : dropout_by_operators(x, p, token_keys, module_key);
}

// The mask is linear in x, so the backward is the same operation on the gradient; it saves the token keys alone.
struct Dropped : torch::autograd::Function<Dropped> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x, double p, const at::Tensor& keys,
                            int64_t module) {
    ctx->saved_data["p"] = p;
    ctx->saved_data["keys"] = keys;
    ctx->saved_data["module"] = module;
    return masked(x, p, keys, static_cast<uint32_t>(module));
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 const torch::autograd::variable_list& grads) {
    const at::Tensor keys = ctx->saved_data["keys"].toTensor();
    const auto module = static_cast<uint32_t>(ctx->saved_data["module"].toInt());
    return {masked(grads[0], ctx->saved_data["p"].toDouble(), keys, module), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor dropout_token_keys(uint64_t seed, const Segment& segment, int64_t first_token) {
  std::vector<int32_t> keys(static_cast<size_t>(segment.tokens()));
  for (int64_t r = 0; r < segment.rows(); ++r) {
    const uint64_t row = splitmix(seed ^ splitmix(static_cast<uint64_t>(segment.ordinals.at(static_cast<size_t>(r)))));
    for (int64_t i = 0; i < segment.length(r); ++i)
      keys[static_cast<size_t>(segment.start(r) + i)] =
          static_cast<int32_t>(static_cast<uint32_t>(splitmix(row ^ static_cast<uint64_t>(first_token + i))));
  }
  return at::tensor(keys, at::kInt).to(segment.ids.device());
}

uint32_t dropout_module_key(std::string_view path) {
  uint64_t h = 0xCBF29CE484222325ull;  // FNV-1a
  for (const char c : path) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return static_cast<uint32_t>(splitmix(h));
}

at::Tensor dropout_by_operators(const at::Tensor& x, double p, const at::Tensor& token_keys, uint32_t module_key) {
  const at::Tensor rows = spread(at::bitwise_xor(token_keys, static_cast<int32_t>(module_key))).unsqueeze(1);
  const at::Tensor columns = spread(at::arange(x.size(1), token_keys.options())).unsqueeze(0);
  at::Tensor h = at::bitwise_xor(rows, columns).mul_(kThird);
  h = at::bitwise_xor(h, at::bitwise_right_shift(h, 15)).mul_(kFourth);
  return x.mul(1.0 / (1.0 - p)).masked_fill_(at::lt(h, threshold(p)), 0);
}

at::Tensor dropout(const at::Tensor& x, double p, const at::Tensor& token_keys, uint32_t module_key) {
  if (p <= 0) return x;
  return Dropped::apply(x, p, token_keys, static_cast<int64_t>(module_key));
}

}  // namespace ws
