#include "models/qwen35/text.hpp"

#include <memory>

#include "core/cast.hpp"
#include "core/recompute.hpp"
#include "models/ops/attention.hpp"
#include "models/ops/convolution.hpp"
#include "models/ops/delta_rule.hpp"
#include "models/ops/rms_norm.hpp"

namespace ws::qwen35 {

Text::Text(const TextConfig& c, Weights& w) : config_(c) {
  const std::string root = "model.language_model.";
  embed_ = w.take(root + "embed_tokens.weight", {c.vocab, c.hidden});
  head_ = c.tied ? embed_ : w.take("lm_head.weight", {c.vocab, c.hidden});
  norm_ = w.take(root + "norm.weight", {c.hidden});
  const int64_t keys = c.key_heads * c.key_dim, values = c.value_heads * c.value_dim;
  for (int64_t i = 0; i < c.layers; ++i) {
    const std::string path = root + "layers." + std::to_string(i) + ".";
    const auto vec = [&](const std::string& name, int64_t n) { return w.take(path + name, {n}); };
    const auto lin = [&](const std::string& name, int64_t out, int64_t in) {
      return Linear{path + name, w.take(path + name + ".weight", {out, in}), {}};
    };
    Layer l;
    l.input_norm = vec("input_layernorm.weight", c.hidden);
    l.post_norm = vec("post_attention_layernorm.weight", c.hidden);
    if (c.kinds[static_cast<size_t>(i)] == LayerKind::linear) {
      DeltaNet m;
      m.qkv = lin("linear_attn.in_proj_qkv", 2 * keys + values, c.hidden);
      m.z = lin("linear_attn.in_proj_z", values, c.hidden);
      m.b = lin("linear_attn.in_proj_b", c.value_heads, c.hidden);
      m.a = lin("linear_attn.in_proj_a", c.value_heads, c.hidden);
      m.out = lin("linear_attn.out_proj", c.hidden, values);
      m.conv = w.take(path + "linear_attn.conv1d.weight", {2 * keys + values, 1, c.conv}).squeeze(1);
      m.dt_bias = vec("linear_attn.dt_bias", c.value_heads);
      m.a_log = w.take_fp32(path + "linear_attn.A_log", {c.value_heads});
      m.norm = w.take_fp32(path + "linear_attn.norm.weight", {c.value_dim});
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
}

// named_modules() order is the order of definition in the reference's constructors: in a linear layer out_proj comes before the
// in_projs.
template <class F>
void Text::each_linear(const Layer& l, F f) {
  if (const auto* m = std::get_if<DeltaNet>(&l.mixer)) {
    for (const Linear* x : {&m->out, &m->qkv, &m->z, &m->b, &m->a}) f(*x);
  } else {
    const auto& a = std::get<Attention>(l.mixer);
    for (const Linear* x : {&a.q, &a.k, &a.v, &a.o}) f(*x);
  }
  for (const Linear* x : {&l.mlp.gate, &l.mlp.up, &l.mlp.down}) f(*x);
}

std::vector<LoraTarget> Text::linears() const {
  std::vector<LoraTarget> out;
  for (const Layer& l : layers_)
    each_linear(l, [&](const Linear& x) { out.push_back({x.path, x.weight.size(1), x.weight.size(0)}); });
  return out;
}

at::Tensor Text::mix(const DeltaNet& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& ctx) const {
  const TextConfig& c = config_;
  const std::vector<int64_t>& cu = ctx.pass.segment.cu;
  const ConvolutionOutput conv = causal_convolution(linear(m.qkv, x, ctx.pass), m.conv, cu, in.first, out != nullptr);

  const int64_t keys = c.key_heads * c.key_dim, values = c.value_heads * c.value_dim;
  DeltaInput d;
  d.q = conv.y.narrow(1, 0, keys).reshape({-1, c.key_heads, c.key_dim});
  d.k = conv.y.narrow(1, keys, keys).reshape({-1, c.key_heads, c.key_dim});
  d.v = conv.y.narrow(1, 2 * keys, values).reshape({-1, c.value_heads, c.value_dim});
  d.beta = at::sigmoid(linear(m.b, x, ctx.pass));
  d.g = -widened(m.a_log).exp() * at::softplus(widened(linear(m.a, x, ctx.pass)) + m.dt_bias);
  const DeltaOutput core = delta_rule_chunked(d, cu, in.second);
  if (out) *out = {conv.tail, core.state};

  const at::Tensor z = linear(m.z, x, ctx.pass).view({-1, c.value_heads, c.value_dim});
  return linear(m.out, gated_rms_norm(core.o.to(x.scalar_type()), z, m.norm, c.eps).flatten(1), ctx.pass);
}

at::Tensor Text::mix(const Attention& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& ctx) const {
  const TextConfig& c = config_;
  const at::Tensor both = linear(m.q, x, ctx.pass).view({-1, c.heads, 2 * c.head_dim});  // per head: query, then gate
  const at::Tensor gate = both.narrow(-1, c.head_dim, c.head_dim).flatten(1);
  const at::Tensor q = rotate(rms_norm(both.narrow(-1, 0, c.head_dim), m.q_norm, c.eps), ctx.rotary);
  const at::Tensor k = rotate(rms_norm(linear(m.k, x, ctx.pass).view({-1, c.kv_heads, c.head_dim}), m.k_norm, c.eps), ctx.rotary);
  const at::Tensor v = linear(m.v, x, ctx.pass).view({-1, c.kv_heads, c.head_dim});
  const AttentionOutput a = causal_attention(q, k, v, ctx.pass.segment.cu, in.first, in.second);
  if (out) *out = {a.keys, a.values};
  return linear(m.o, a.y * at::sigmoid(gate), ctx.pass);
}

at::Tensor Text::run(const Layer& l, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& ctx) const {
  const at::Tensor normed = rms_norm(x, l.input_norm, config_.eps);
  const at::Tensor h = x + std::visit([&](const auto& m) { return mix(m, normed, in, out, ctx); }, l.mixer);
  const at::Tensor y = rms_norm(h, l.post_norm, config_.eps);
  return h + linear(l.mlp.down, at::silu(linear(l.mlp.gate, y, ctx.pass)) * linear(l.mlp.up, y, ctx.pass), ctx.pass);
}

at::Tensor Text::forward(const Segment& s, const ForwardOptions& o) const {
  if (o.state && s.rows() != 1) throw std::logic_error("a state is handed on by a segment of one row");
  const int64_t before = o.parent ? o.parent->tokens : 0;
  const auto ctx = std::make_shared<Context>();
  ctx->pass = {s, o.adapter, 0, {}};
  if (o.adapter && o.dropout.p > 0) {
    ctx->pass.dropout = o.dropout.p;
    ctx->pass.dropout_keys = dropout_token_keys(o.dropout.seed, s, before);
  }
  ctx->rotary = text_rotary(s.positions, config_.rope_theta, config_.rotary_dim(), config_.mrope_section, embed_.scalar_type());

  at::Tensor x = embed_.index_select(0, s.ids);
  if (s.image_features.defined()) x = x.index_copy(0, s.image_slots, s.image_features.to(x.scalar_type()));
  if (o.state) o.state->layers.assign(layers_.size(), {});
  for (size_t i = 0; i < layers_.size(); ++i) {
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
            const at::Tensor h =
                run(l, t[0], t.size() == 3 ? LayerState{t[1], t[2]} : LayerState{}, want ? &made : nullptr, *ctx);
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
  if (o.state) {
    o.state->tokens = before + s.tokens();
    o.state->next_position = s.next_position;
  }
  return x;
}

at::Tensor Text::logits(const at::Tensor& hidden, const at::Tensor& positions) const {
  const at::Tensor kept = hidden.index_select(0, positions.to(hidden.device()));
  return at::linear(rms_norm(kept, norm_, config_.eps), head_);
}

}  // namespace ws::qwen35
