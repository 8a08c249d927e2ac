#include "models/qwen35/vision.hpp"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "core/cast.hpp"
#include "models/ops/rotary.hpp"

namespace ws::qwen35 {
namespace {

// (row, column) of every patch, int64 [N, 2], in merge-block order.
at::Tensor patch_coordinates(const std::vector<Grid>& grids, int64_t m) {
  std::vector<int64_t> out;
  for (const Grid& g : grids)
    for (int64_t t = 0; t < g[0]; ++t)
      for (int64_t by = 0; by < g[1] / m; ++by)
        for (int64_t bx = 0; bx < g[2] / m; ++bx)
          for (int64_t y = 0; y < m; ++y)
            for (int64_t x = 0; x < m; ++x) out.insert(out.end(), {by * m + y, bx * m + x});
  return at::tensor(out, at::kLong).view({-1, 2});
}

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, eps);
}

}  // namespace

Vision::Vision(const VisionConfig& c, int64_t out_hidden, Weights& w) : config_(c) {
  const std::string root = "model.visual.";
  const auto dense = [&](const std::string& name, int64_t out, int64_t in) {
    return Dense{w.take(root + name + ".weight", {out, in}), w.take(root + name + ".bias", {out})};
  };
  const auto norm = [&](const std::string& name, int64_t n) {
    return Dense{w.take(root + name + ".weight", {n}), w.take(root + name + ".bias", {n})};
  };
  patch_ = {w.take(root + "patch_embed.proj.weight", {c.hidden, c.channels, c.temporal_patch, c.patch, c.patch}),
            w.take(root + "patch_embed.proj.bias", {c.hidden})};
  positions_ = w.take(root + "pos_embed.weight", {c.positions, c.hidden});
  const int64_t merged = c.hidden * c.merge * c.merge;
  merger_norm_ = norm("merger.norm", c.hidden);
  merger_fc1_ = dense("merger.linear_fc1", merged, merged);
  merger_fc2_ = dense("merger.linear_fc2", out_hidden, merged);
  for (int64_t i = 0; i < c.depth; ++i) {
    const std::string b = "blocks." + std::to_string(i) + ".";
    blocks_.push_back({norm(b + "norm1", c.hidden), norm(b + "norm2", c.hidden), dense(b + "attn.qkv", 3 * c.hidden, c.hidden),
                       dense(b + "attn.proj", c.hidden, c.hidden), dense(b + "mlp.linear_fc1", c.intermediate, c.hidden),
                       dense(b + "mlp.linear_fc2", c.hidden, c.intermediate)});
  }
}

// The learned square grid, resampled bilinearly with aligned corners to each image's grid; all in fp32.
at::Tensor Vision::position_embeddings(const std::vector<Grid>& grids, const at::Tensor& patches, at::ScalarType dtype) const {
  const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(config_.positions)));
  std::vector<int64_t> index;
  std::vector<float> weight;
  const auto* p = patches.const_data_ptr<int64_t>();
  for (const Grid& g : grids) {
    struct Tap {
      int64_t at[2];
      float w[2];
    };
    const auto taps = [side](int64_t i, int64_t size) {
      const float source =
          static_cast<float>(i) * static_cast<float>(side - 1) / static_cast<float>(std::max<int64_t>(size - 1, 1));
      const float low = std::floor(source);
      Tap t{};
      for (int k = 0; k < 2; ++k) {
        t.at[k] = std::min(static_cast<int64_t>(low) + k, side - 1);
        t.w[k] = std::max(0.0f, 1.0f - std::fabs(source - low - static_cast<float>(k)));
      }
      return t;
    };
    for (int64_t n = 0; n < g[0] * g[1] * g[2]; ++n, p += 2) {
      const Tap y = taps(p[0], g[1]), x = taps(p[1], g[2]);
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
          index.push_back(y.at[a] * side + x.at[b]);
          weight.push_back(y.w[a] * x.w[b]);
        }
    }
  }
  const at::Device device = positions_.device();
  const at::Tensor i = at::tensor(index, at::kLong).to(device), w = at::tensor(weight, at::kFloat).to(device);
  return (positions_.index_select(0, i) * w.unsqueeze(1)).view({-1, 4, config_.hidden}).sum(1).to(dtype);
}

at::Tensor Vision::forward(const at::Tensor& pixels, const std::vector<Grid>& grids) const {
  at::NoGradGuard no_grad;
  const at::ScalarType dtype = patch_.weight.scalar_type();
  const int64_t heads = config_.heads, dim = config_.hidden / heads;
  const at::Tensor patches = patch_coordinates(grids, config_.merge);
  // Its stride is its kernel, so this equals a linear over the flattened patch (channel, time, y, x), up to rounding: 1.3e-4 in
  // fp32.
  const at::IntArrayRef kernel = patch_.weight.sizes().slice(2);
  at::Tensor x =
      at::conv3d(pixels.to(patch_.weight.device(), dtype).view({-1, config_.channels, kernel[0], kernel[1], kernel[2]}),
                 patch_.weight, patch_.bias, kernel)
          .view({-1, config_.hidden});
  x = x + position_embeddings(grids, patches, dtype);
  const CosSin rotary = vision_rotary(patches.to(x.device()), config_.rope_theta, dim);

  for (const Block& b : blocks_) {
    const at::Tensor qkv = at::linear(layer_norm(x, b.norm1.weight, b.norm1.bias, config_.eps), b.qkv.weight, b.qkv.bias);
    const at::Tensor parts = qkv.view({-1, 3, heads, dim});
    const at::Tensor q = rotate(widened(parts.select(1, 0)), rotary).to(dtype);
    const at::Tensor k = rotate(widened(parts.select(1, 1)), rotary).to(dtype);
    const at::Tensor v = parts.select(1, 2);
    std::vector<at::Tensor> frames;
    int64_t begin = 0;
    for (const Grid& g : grids)
      for (int64_t t = 0; t < g[0]; ++t) {  // every frame attends to itself only
        const int64_t n = g[1] * g[2];
        const auto part = [&](const at::Tensor& y) { return y.narrow(0, begin, n).transpose(0, 1).unsqueeze(0); };
        frames.push_back(at::scaled_dot_product_attention(part(q), part(k), part(v)).squeeze(0).transpose(0, 1).flatten(1));
        begin += n;
      }
    x = x + at::linear(at::cat(frames), b.proj.weight, b.proj.bias);
    const at::Tensor up = at::linear(layer_norm(x, b.norm2.weight, b.norm2.bias, config_.eps), b.fc1.weight, b.fc1.bias);
    x = x + at::linear(at::gelu(up, "tanh"), b.fc2.weight, b.fc2.bias);
  }
  const at::Tensor merged =
      layer_norm(x, merger_norm_.weight, merger_norm_.bias, config_.eps).view({-1, merger_fc1_.weight.size(1)});
  // The blocks use the tanh form of GELU, the merger the exact one.
  return at::linear(at::gelu(at::linear(merged, merger_fc1_.weight, merger_fc1_.bias), "none"), merger_fc2_.weight,
                    merger_fc2_.bias);
}

}  // namespace ws::qwen35
