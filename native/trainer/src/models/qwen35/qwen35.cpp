#include "models/qwen35/qwen35.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/cast.hpp"
#include "models/ops/delta_rule.hpp"
#include "core/recompute.hpp"

namespace ws {
namespace {

constexpr const char* kText = "model.language_model.";

}  // namespace

struct Qwen35::Context {
  Pass pass;
  CosSin rotary;
  bool recurrent = false;
};

Qwen35::Qwen35(const std::string& folder, at::ScalarType dtype, std::optional<at::ScalarType> round_through)
    : config_(read_config(folder + "/config.json")), weights_(std::make_unique<Weights>(folder, round_through)) {
  Weights& w = *weights_;
  const TextConfig& c = config_.text;
  const std::string root = kText;
  embed_ = w.take(root + "embed_tokens.weight", {c.vocab, c.hidden}, dtype);
  head_ = c.tied ? embed_ : w.take("lm_head.weight", {c.vocab, c.hidden}, dtype);
  norm_ = w.take(root + "norm.weight", {c.hidden}, dtype);
  const int64_t keys = c.key_heads * c.key_dim, values = c.value_heads * c.value_dim;
  for (int64_t i = 0; i < c.layers; ++i) {
    Layer l;
    l.path = root + "layers." + std::to_string(i) + ".";
    const auto vec = [&](const std::string& name, int64_t n) { return w.take(l.path + name, {n}, dtype); };
    const auto lin = [&](const std::string& name, int64_t out, int64_t in) {
      return Linear{l.path + name, w.take(l.path + name + ".weight", {out, in}, dtype), {}};
    };
    l.input_norm = vec("input_layernorm.weight", c.hidden);
    l.post_norm = vec("post_attention_layernorm.weight", c.hidden);
    if (c.kinds[static_cast<size_t>(i)] == LayerKind::linear) {
      DeltaNet m;
      m.qkv = lin("linear_attn.in_proj_qkv", 2 * keys + values, c.hidden);
      m.z = lin("linear_attn.in_proj_z", values, c.hidden);
      m.b = lin("linear_attn.in_proj_b", c.value_heads, c.hidden);
      m.a = lin("linear_attn.in_proj_a", c.value_heads, c.hidden);
      m.out = lin("linear_attn.out_proj", c.hidden, values);
      m.conv = w.take(l.path + "linear_attn.conv1d.weight", {2 * keys + values, 1, c.conv}, dtype).squeeze(1);
      m.dt_bias = vec("linear_attn.dt_bias", c.value_heads);
      m.a_log = vec("linear_attn.A_log", c.value_heads);
      m.norm = vec("linear_attn.norm.weight", c.value_dim);
      l.mixer = std::move(m);
    } else {
      Attention m;
      m.q = lin("self_attn.q_proj", 2 * c.heads * c.head_dim, c.hidden);
      m.k = lin("self_attn.k_proj", c.kv_heads * c.head_dim, c.hidden);
      m.v = lin("self_attn.v_proj", c.kv_heads * c.head_dim, c.hidden);
      m.o = lin("self_attn.o_proj", c.hidden, c.heads * c.head_dim);
      m.q_norm = vec("self_attn.q_norm.weight", c.head_dim);
      m.k_norm = vec("self_attn.k_norm.weight", c.head_dim);
      l.mixer = std::move(m);
    }
    l.mlp = {lin("mlp.gate_proj", c.intermediate, c.hidden), lin("mlp.up_proj", c.intermediate, c.hidden),
             lin("mlp.down_proj", c.hidden, c.intermediate)};
    layers_.push_back(std::move(l));
  }
  vision_ = std::make_unique<Vision>(config_.vision, c.hidden, w, dtype);
  for (const std::string& name : w.untaken()) {
    if (name.rfind("mtp.", 0) != 0) throw std::runtime_error("unexpected tensor " + name);
    ignored_.push_back(name);
  }
}

// named_modules() order is the order of definition in the reference's constructors: in a linear layer out_proj comes before the in_projs.
template <class F>
void Qwen35::each_linear(const Layer& l, F f) {
  if (const auto* m = std::get_if<DeltaNet>(&l.mixer)) {
    for (const Linear* x : {&m->out, &m->qkv, &m->z, &m->b, &m->a}) f(*x);
  } else {
    const auto& a = std::get<Attention>(l.mixer);
    for (const Linear* x : {&a.q, &a.k, &a.v, &a.o}) f(*x);
  }
  for (const Linear* x : {&l.mlp.gate, &l.mlp.up, &l.mlp.down}) f(*x);
}

std::vector<LoraTarget> Qwen35::lora_targets(const std::vector<std::string>& leaves) const {
  std::vector<LoraTarget> out;
  for (const Layer& l : layers_)
    each_linear(l, [&](const Linear& x) {
      if (std::find(leaves.begin(), leaves.end(), x.path.substr(x.path.rfind('.') + 1)) != leaves.end())
        out.push_back({x.path, x.weight.size(1), x.weight.size(0)});
    });
  return out;
}

Segment Qwen35::pack(const std::vector<RowInput>& rows, int64_t first_position) const {
  Segment s;
  std::vector<int64_t> ids, slots;
  std::vector<at::Tensor> positions, pixels;
  std::vector<Grid> grids;
  for (const RowInput& r : rows) {
    const auto length = static_cast<int64_t>(r.ids.size());
    positions.push_back(row_positions(r.ids.data(), length, config_.image_token, r.grids, config_.vision.merge, first_position).positions);
    for (int64_t i = 0; i < length; ++i)
      if (r.ids[static_cast<size_t>(i)] == config_.image_token) slots.push_back(s.cu.back() + i);
    ids.insert(ids.end(), r.ids.begin(), r.ids.end());
    if (r.pixels.defined()) pixels.push_back(r.pixels);
    grids.insert(grids.end(), r.grids.begin(), r.grids.end());
    s.cu.push_back(s.cu.back() + length);
    s.ordinals.push_back(r.ordinal);
  }
  s.ids = at::tensor(ids, at::kLong);
  s.positions = at::cat(positions, 1);
  if (!grids.empty()) {
    s.image_features = vision_->forward(at::cat(pixels), grids);
    s.image_slots = at::tensor(slots, at::kLong);
    if (s.image_features.size(0) != s.image_slots.size(0)) throw std::runtime_error("image features and placeholders differ in number");
  }
  return s;
}

// Zero-centred: the weight is stored as an offset from 1.
at::Tensor Qwen35::rms_norm(const at::Tensor& x, const at::Tensor& weight) const {
  const at::Tensor y = widened(x);
  const at::Tensor scaled = y * at::rsqrt(y.pow(2).mean(-1, true) + config_.text.eps);
  return (scaled * (1.0 + widened(weight))).to(x.scalar_type());
}

at::Tensor Qwen35::mix(const DeltaNet& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& ctx) const {
  const TextConfig& c = config_.text;
  const Segment& s = ctx.pass.segment;
  const at::ScalarType dtype = x.scalar_type();
  const at::Tensor mixed = linear(m.qkv, x, ctx.pass);

  // Causal depthwise convolution, then SiLU: each row behind conv - 1 zeros, or behind its parent's last inputs. The calls and the
  // contiguous result are the reference's, which makes the forward equal to it bit for bit on a CPU.
  std::vector<at::Tensor> rows;
  for (int64_t r = 0; r < s.rows(); ++r) {
    const int64_t length = s.length(r), before = c.conv - 1;
    const at::Tensor row = mixed.narrow(0, s.start(r), length);
    const at::Tensor longer = in.defined() ? at::cat({in.first, row}) : row;
    const at::Tensor sum = at::conv1d(longer.t().unsqueeze(0), m.conv.unsqueeze(1), {}, /*stride=*/1,
                                      at::IntArrayRef{in.defined() ? 0 : before}, /*dilation=*/1, /*groups=*/m.conv.size(0));
    rows.push_back(at::silu(sum.narrow(2, 0, length)).squeeze(0).t().contiguous());
    if (out) out->first = at::constant_pad_nd(longer, {0, 0, std::max<int64_t>(before - longer.size(0), 0), 0}).slice(0, -before);
  }
  const at::Tensor y = rows.size() == 1 ? rows[0] : at::cat(rows);

  const int64_t keys = c.key_heads * c.key_dim, values = c.value_heads * c.value_dim;
  DeltaInput d;
  d.q = y.narrow(1, 0, keys).reshape({-1, c.key_heads, c.key_dim});
  d.k = y.narrow(1, keys, keys).reshape({-1, c.key_heads, c.key_dim});
  d.v = y.narrow(1, 2 * keys, values).reshape({-1, c.value_heads, c.value_dim});
  d.beta = at::sigmoid(linear(m.b, x, ctx.pass));
  d.g = -widened(m.a_log).exp() * at::softplus(widened(linear(m.a, x, ctx.pass)) + m.dt_bias);
  const DeltaOutput core = ctx.recurrent ? delta_rule_recurrent(d, s.cu, in.second) : delta_rule_chunked(d, s.cu, in.second);
  if (out) out->second = core.state;

  // Gated RMSNorm per head: plain weight (not zero-centred), norm before gate, gate in fp32.
  const at::Tensor o = widened(core.o.to(dtype));
  const at::Tensor normed = m.norm * (o * at::rsqrt(o.pow(2).mean(-1, true) + c.eps)).to(dtype);
  const at::Tensor z = linear(m.z, x, ctx.pass).view({-1, c.value_heads, c.value_dim});
  return linear(m.out, (normed * at::silu(widened(z))).to(dtype).flatten(1), ctx.pass);
}

at::Tensor Qwen35::mix(const Attention& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& ctx) const {
  const TextConfig& c = config_.text;
  const Segment& s = ctx.pass.segment;
  const at::Tensor both = linear(m.q, x, ctx.pass).view({-1, c.heads, 2 * c.head_dim});  // per head: query, then gate
  const at::Tensor gate = both.narrow(-1, c.head_dim, c.head_dim).flatten(1);
  const at::Tensor q = rotate(rms_norm(both.narrow(-1, 0, c.head_dim), m.q_norm), ctx.rotary);
  const at::Tensor k = rotate(rms_norm(linear(m.k, x, ctx.pass).view({-1, c.kv_heads, c.head_dim}), m.k_norm), ctx.rotary);
  const at::Tensor v = linear(m.v, x, ctx.pass).view({-1, c.kv_heads, c.head_dim});

  std::vector<at::Tensor> rows;
  for (int64_t r = 0; r < s.rows(); ++r) {
    const int64_t length = s.length(r);
    const auto row = [&](const at::Tensor& t) { return t.narrow(0, s.start(r), length); };
    at::Tensor kr = row(k), vr = row(v);
    std::optional<at::Tensor> mask;
    if (in.defined()) {
      kr = at::cat({in.first, kr});
      vr = at::cat({in.second, vr});
      // is_causal aligns the mask to the upper left corner, wrong as soon as there are more keys than queries.
      mask = at::ones({length, kr.size(0)}, at::TensorOptions().dtype(at::kBool).device(x.device())).tril(kr.size(0) - length);
    }
    const auto heads_first = [](const at::Tensor& t) { return t.transpose(0, 1).unsqueeze(0); };
    const at::Tensor y = at::scaled_dot_product_attention(heads_first(row(q)), heads_first(kr), heads_first(vr), mask, 0.0,
                                                          /*is_causal=*/!mask && length > 1, std::nullopt, /*enable_gqa=*/true);
    rows.push_back(y.squeeze(0).transpose(0, 1).flatten(1));
    if (out) *out = {kr, vr};
  }
  const at::Tensor y = rows.size() == 1 ? rows[0] : at::cat(rows);
  return linear(m.o, y * at::sigmoid(gate), ctx.pass);
}

at::Tensor Qwen35::run(const Layer& l, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& ctx) const {
  const at::Tensor h = x + std::visit([&](const auto& m) { return mix(m, rms_norm(x, l.input_norm), in, out, ctx); }, l.mixer);
  const at::Tensor y = rms_norm(h, l.post_norm);
  return h + linear(l.mlp.down, at::silu(linear(l.mlp.gate, y, ctx.pass)) * linear(l.mlp.up, y, ctx.pass), ctx.pass);
}

at::Tensor Qwen35::forward(const Segment& s, const ForwardOptions& o) const {
  if (o.state && s.rows() != 1) throw std::runtime_error("a state is handed on by a segment of one row");
  const auto ctx = std::make_shared<Context>();
  ctx->pass = {s, o.adapter, o.dropout, o.parent ? o.parent->tokens : 0};
  ctx->rotary = text_rotary(s.positions, config_.text, embed_.scalar_type());
  ctx->recurrent = o.recurrent_rule;

  at::Tensor x = embed_.index_select(0, s.ids);
  if (s.image_features.defined()) x = x.index_copy(0, s.image_slots, s.image_features.to(x.scalar_type()));
  if (o.state) o.state->layers.assign(layers_.size(), {});
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (o.trace) o.trace->push_back(x.detach());
    const Layer& l = layers_[i];
    const LayerState in = o.parent ? o.parent->layers[i] : LayerState{};
    LayerState out;
    if (o.recompute) {
      TensorList parameters;
      if (o.adapter)
        each_linear(l, [&](const Linear& m) {
          if (const LoraPair* p = o.adapter->find(m.path)) parameters.insert(parameters.end(), {p->a, p->b});
        });
      const bool want = o.state != nullptr;
      const TensorList y = recomputed(
          [this, &l, ctx, want](const TensorList& t) {
            LayerState made;
            const at::Tensor h = run(l, t[0], t.size() == 3 ? LayerState{t[1], t[2]} : LayerState{}, want ? &made : nullptr, *ctx);
            return want ? TensorList{h, made.first, made.second} : TensorList{h};
          },
          in.defined() ? TensorList{x, in.first, in.second} : TensorList{x}, parameters);
      x = y[0];
      if (want) out = {y[1], y[2]};
    } else {
      x = run(l, x, in, o.state ? &out : nullptr, *ctx);
    }
    if (o.state) o.state->layers[i] = out;
  }
  if (o.trace) o.trace->push_back(rms_norm(x, norm_).detach());
  if (o.state) {
    o.state->tokens = ctx->pass.parent_tokens + s.cu.back();
    o.state->next_position = s.positions.max().item<int64_t>() + 1;
  }
  return x;
}

at::Tensor Qwen35::logits(const at::Tensor& hidden, const at::Tensor& positions) const {
  return widened(at::linear(rms_norm(hidden.index_select(0, positions), norm_), head_));
}

}  // namespace ws
