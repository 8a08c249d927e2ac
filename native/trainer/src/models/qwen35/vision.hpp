#pragma once
#include <ATen/ATen.h>

#include <vector>

#include "models/qwen35/config.hpp"
#include "core/segment.hpp"
#include "models/weights.hpp"

namespace ws {

// The frozen vision tower. Patches come in merge-block order: block row, block column, row in block, column in block.
class Vision {
 public:
  Vision(const VisionConfig& c, int64_t out_hidden, Weights& w, at::ScalarType dtype);

  // pixels: [N, channels * temporal_patch * patch * patch] of all images, one after the other.
  // Returns [N / merge^2, out_hidden]. Runs without a graph.
  at::Tensor forward(const at::Tensor& pixels, const std::vector<Grid>& grids, at::Tensor* before_merger = nullptr) const;

 private:
  struct Dense { at::Tensor weight, bias; };
  struct Block { Dense norm1, norm2, qkv, proj, fc1, fc2; };
  at::Tensor position_embeddings(const std::vector<Grid>& grids, const at::Tensor& patches, at::ScalarType dtype) const;

  VisionConfig config_;
  Dense patch_, merger_norm_, merger_fc1_, merger_fc2_;
  at::Tensor positions_;
  std::vector<Block> blocks_;
};

}  // namespace ws
