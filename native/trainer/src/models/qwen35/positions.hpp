// M-RoPE positions of a row.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/segment.hpp"

namespace ws::qwen35 {

struct RowPositions {
  at::Tensor positions;  // int64 [3, L]
  int64_t next = 0;      // where a continuation of the row starts
};

// A text token takes the next number on all three axes. An image of R x C merged features starts at the next number and counts
// its frames, rows and columns from there; what follows starts max(R, C) later. `grids` are the row's images in order. Errors
// (row-image): placeholders and grids differ in number, a grid that merge does not divide, two images with no token between them
// (the reference takes them for one).
RowPositions row_positions(const std::vector<int64_t>& ids, int64_t image_token, const std::vector<Grid>& grids, int64_t merge,
                           int64_t first);

}  // namespace ws::qwen35
