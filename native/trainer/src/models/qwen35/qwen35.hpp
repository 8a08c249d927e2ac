// Qwen3.5: text model and vision tower, with LoRA branches on any linear of the text model.
#pragma once
#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lora/adapter.hpp"
#include "lora/init.hpp"
#include "models/qwen35/config.hpp"
#include "models/ops/rotary.hpp"
#include "core/segment.hpp"
#include "models/qwen35/vision.hpp"
#include "models/weights.hpp"

namespace ws {

struct ForwardOptions {
  const Adapter* adapter = nullptr;
  Dropout dropout;
  bool recompute = false;
  bool recurrent_rule = false;          // token by token, for tests
  const SegmentState* parent = nullptr;  // every row continues this one
  SegmentState* state = nullptr;         // receives the state after the last row; one row only
  std::vector<at::Tensor>* trace = nullptr;
};

struct RowInput {
  std::vector<int64_t> ids;
  std::vector<Grid> grids;
  at::Tensor pixels;  // undefined without images
  int64_t ordinal = 0;
};

class Qwen35 {
 public:
  Qwen35(const std::string& folder, at::ScalarType dtype, std::optional<at::ScalarType> round_through = {});

  // `first_position` is where the rows' positions start: 0, or a parent's next_position.
  Segment pack(const std::vector<RowInput>& rows, int64_t first_position = 0) const;
  // Hidden states after the last layer, before the final norm: [T, hidden].
  at::Tensor forward(const Segment& s, const ForwardOptions& o) const;
  // fp32 logits [n, vocab] of the given packed positions: final norm and head run on these alone.
  at::Tensor logits(const at::Tensor& hidden, const at::Tensor& positions) const;

  const ModelConfig& config() const { return config_; }
  const Vision& vision() const { return *vision_; }
  std::vector<std::string> ignored() const { return ignored_; }
  // The modules of the text model whose leaf name is listed, in named_modules() order.
  std::vector<LoraTarget> lora_targets(const std::vector<std::string>& leaves) const;

 private:
  struct Mlp { Linear gate, up, down; };
  struct Attention { Linear q, k, v, o; at::Tensor q_norm, k_norm; };
  struct DeltaNet { Linear qkv, z, b, a, out; at::Tensor conv, dt_bias, a_log, norm; };
  struct Layer {
    std::string path;
    at::Tensor input_norm, post_norm;
    std::variant<DeltaNet, Attention> mixer;
    Mlp mlp;
  };
  struct Context;  // of one forward

  at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight) const;
  at::Tensor mix(const DeltaNet& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& c) const;
  at::Tensor mix(const Attention& m, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& c) const;
  at::Tensor run(const Layer& l, const at::Tensor& x, const LayerState& in, LayerState* out, const Context& c) const;
  template <class F>
  static void each_linear(const Layer& l, F f);

  ModelConfig config_;
  std::unique_ptr<Weights> weights_;  // keeps the maps alive
  std::unique_ptr<Vision> vision_;
  at::Tensor embed_, head_, norm_;
  std::vector<Layer> layers_;
  std::vector<std::string> ignored_;
};

}  // namespace ws
