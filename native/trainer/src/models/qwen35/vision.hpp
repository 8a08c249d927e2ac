// The frozen vision tower: patches of all images to features in the text model's width.
#pragma once
#include <ATen/ATen.h>

#include <vector>

#include "core/segment.hpp"
#include "models/qwen35/config.hpp"
#include "models/weights.hpp"

namespace ws::qwen35 {

class Vision {
 public:
  Vision(const VisionConfig& c, int64_t out_hidden, Weights& w);

  // pixels: [N, channels * temporal_patch * patch^2] of all images, one after the other, patches in merge-block order (block row,
  // block column, row in block, column in block). Returns [N / merge^2, out_hidden] on the model's device. Runs without a graph.
  at::Tensor forward(const at::Tensor& pixels, const std::vector<Grid>& grids) const;

 private:
  struct Dense {
    at::Tensor weight, bias;
  };
  struct Block {
    Dense norm1, norm2, qkv, proj, fc1, fc2;
  };
  at::Tensor position_embeddings(const std::vector<Grid>& grids, const at::Tensor& patches, at::ScalarType dtype) const;

  VisionConfig config_;
  Dense patch_, merger_norm_, merger_fc1_, merger_fc2_;
  at::Tensor positions_;
  std::vector<Block> blocks_;
};

}  // namespace ws::qwen35
