// The text model: layers of gated delta rule or gated full attention, each followed by a gated MLP; LoRA branches on any of their
// linears.
#pragma once
#include <ATen/ATen.h>

#include <string>
#include <variant>
#include <vector>

#include "lora/adapter.hpp"
#include "models/model.hpp"
#include "models/ops/rotary.hpp"
#include "models/qwen35/config.hpp"
#include "models/weights.hpp"

namespace ws::qwen35 {

class Text {
 public:
  Text(const TextConfig& c, Weights& w);
  Text(const Text&) = delete;  // a recomputed layer holds a pointer to it
  Text& operator=(const Text&) = delete;

  at::Tensor forward(const Segment& s, const ForwardOptions& o) const;             // as Model::forward
  at::Tensor logits(const at::Tensor& hidden, const at::Tensor& positions) const;  // as Model::logits
  std::vector<LoraTarget> linears() const;                                         // as Model::linears

 private:
  struct Mlp {
    Linear gate, up, down;
  };
  struct Attention {
    Linear q, k, v, o;
    at::Tensor q_norm, k_norm;
  };
  struct DeltaNet {
    Linear qkv, z, b, a, out;
    at::Tensor conv, dt_bias, a_log, norm;
  };
  struct Layer {
    at::Tensor input_norm, post_norm;
    std::variant<DeltaNet, Attention> mixer;
    Mlp mlp;
  };
  struct Context {  // of one forward
    Pass pass;
    CosSin rotary;
  };

  at::Tensor mix(const DeltaNet& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& c) const;
  at::Tensor mix(const Attention& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& c) const;
  at::Tensor run(const Layer& l, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& c) const;
  template <class F>
  static void each_linear(const Layer& l, F f);

  TextConfig config_;
  at::Tensor embed_, head_, norm_;
  std::vector<Layer> layers_;
};

}  // namespace ws::qwen35
