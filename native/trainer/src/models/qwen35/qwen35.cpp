#include "models/qwen35/qwen35.hpp"

#include "base/error.hpp"
#include "models/qwen35/config.hpp"
#include "models/qwen35/positions.hpp"
#include "models/qwen35/text.hpp"
#include "models/qwen35/vision.hpp"

namespace ws::qwen35 {
namespace {

class Qwen35 : public Model {
 public:
  Qwen35(const Config& config, std::unique_ptr<Weights> weights)
      : config_(config),
        weights_(std::move(weights)),
        text_(config.text, *weights_),
        vision_(config.vision, config.text.hidden, *weights_) {
    const VisionConfig& v = config.vision;
    info_.architecture = "qwen3_5";
    info_.vocab = config.text.vocab;
    info_.hidden = config.text.hidden;
    info_.layers = config.text.layers;
    info_.image_token = config.image_token;
    info_.image = ImageGeometry{v.patch, v.temporal_patch, v.merge, v.channels};
    info_.dtype = weights_->options().dtype;
    info_.device = weights_->options().device;
    info_.ignored = weights_->finish({"mtp."});  // the multi-token predictor: the reference does not load it either
    info_.parameters = weights_->parameters();
  }

  const ModelInfo& info() const override { return info_; }
  Segment pack(const std::vector<RowInput>& rows, int64_t first_position) const override;
  at::Tensor forward(const Segment& s, const ForwardOptions& o) const override { return text_.forward(s, o); }
  at::Tensor logits(const at::Tensor& hidden, const at::Tensor& positions) const override {
    return text_.logits(hidden, positions);
  }
  std::vector<LoraTarget> linears() const override { return text_.linears(); }

 private:
  Config config_;
  ModelInfo info_;
  std::unique_ptr<Weights> weights_;  // keeps the maps alive
  Text text_;
  Vision vision_;
};

Segment Qwen35::pack(const std::vector<RowInput>& rows, int64_t first_position) const {
  Segment s;
  std::vector<int64_t> ids, slots;
  std::vector<at::Tensor> positions, pixels;
  std::vector<Grid> grids;
  for (const RowInput& r : rows) {
    const RowPositions p = row_positions(r.ids, config_.image_token, r.grids, config_.vision.merge, first_position);
    positions.push_back(p.positions);
    s.next_position = p.next;
    int64_t patches = 0;
    for (const Grid& g : r.grids) patches += g[0] * g[1] * g[2];
    const at::IntArrayRef found = r.pixels.defined() ? r.pixels.sizes() : at::IntArrayRef();
    if (patches > 0 ? found != at::IntArrayRef{patches, info_.image->values()} : r.pixels.defined() && r.pixels.numel() > 0)
      throw Error(Fault::data, "row-image",
                  "a row's pixels do not have the shape that its grids ask for: " + std::to_string(patches) + " patches of " +
                      std::to_string(info_.image->values()) + " values",
                  "Encode the rows again with this model's processor.");
    for (size_t i = 0; i < r.ids.size(); ++i)
      if (r.ids[i] == config_.image_token) slots.push_back(s.tokens() + static_cast<int64_t>(i));
    ids.insert(ids.end(), r.ids.begin(), r.ids.end());
    if (patches > 0) pixels.push_back(r.pixels);
    grids.insert(grids.end(), r.grids.begin(), r.grids.end());
    s.cu.push_back(s.tokens() + static_cast<int64_t>(r.ids.size()));
    s.ordinals.push_back(r.ordinal);
  }
  s.ids = at::tensor(ids, at::kLong).to(info_.device);
  s.positions = at::cat(positions, 1).to(info_.device);
  if (!grids.empty()) {
    s.image_features = vision_.forward(at::cat(pixels), grids);
    s.image_slots = at::tensor(slots, at::kLong).to(info_.device);
  }
  return s;
}

}  // namespace

std::unique_ptr<Model> make(const json::Value& config, const std::string& config_file, std::unique_ptr<Weights> weights) {
  return std::make_unique<Qwen35>(read_config(config, config_file), std::move(weights));
}

}  // namespace ws::qwen35
