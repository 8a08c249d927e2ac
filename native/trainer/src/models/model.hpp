// What the trainer knows of a model. An architecture implements this in a folder of its own and stands in models/registry.cpp.
//
// Where families differ, and where each difference belongs: vision features for later layers (deepstack) are further fields of
// Segment that the architecture's own pack() fills and its forward() reads; a cap on the logits is part of logits(); mask rules
// are part of forward().
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/segment.hpp"
#include "lora/adapter.hpp"

namespace ws {

// How an image becomes rows of numbers: a patch is patch x patch pixels at temporal_patch times, merge x merge patches make one
// token.
struct ImageGeometry {
  int64_t patch = 0, temporal_patch = 0, merge = 0, channels = 0;
  int64_t values() const { return channels * temporal_patch * patch * patch; }  // of one patch
};

struct ModelInfo {
  std::string architecture;  // config.json's model_type
  int64_t vocab = 0, hidden = 0, layers = 0;
  std::optional<int64_t> image_token;  // none: the model takes text only
  std::optional<ImageGeometry> image;
  at::ScalarType dtype = at::kFloat;  // of the base weights
  at::Device device = at::kCPU;
  int64_t parameters = 0;            // of the base
  std::vector<std::string> ignored;  // tensors in the files that the model does not use, by rule
};

struct ForwardOptions {
  const Adapter* adapter = nullptr;      // null: the base model alone. Has to outlive the backward
  Dropout dropout{};                     // in the adapter's branch
  bool recompute = false;                // per layer: the backward runs the layer again instead of keeping its activations
  const SegmentState* parent = nullptr;  // every row of the segment continues this one
  SegmentState* state = nullptr;         // receives the state after the last token; the segment must have one row
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelInfo& info() const = 0;

  // Moves rows to the device and runs the vision tower (frozen, without a graph). `first_position` is where the rows' positions
  // start: 0, or a parent's next_position. Errors: row-image (placeholders and grids do not agree, pixels of a wrong shape).
  virtual Segment pack(const std::vector<RowInput>& rows, int64_t first_position = 0) const = 0;

  // Hidden states after the last layer, before the final norm: [T, hidden] in the model's dtype. The model, the adapter and the
  // parent have to stay as they are until the backward is done.
  virtual at::Tensor forward(const Segment& segment, const ForwardOptions& options) const = 0;

  // Logits [n, vocab] in the model's dtype at `positions` (int64 [n], packed indices): final norm and head run on these alone.
  virtual at::Tensor logits(const at::Tensor& hidden, const at::Tensor& positions) const = 0;

  // Every linear layer of the text model that an adapter can branch from, in named_modules() order of the reference.
  virtual std::vector<LoraTarget> linears() const = 0;

  // Those whose leaf name is listed, in the same order. A leaf that no layer has is an error (adapter-targets) that lists those
  // there are.
  std::vector<LoraTarget> lora_targets(const std::vector<std::string>& leaves) const;
};

}  // namespace ws
