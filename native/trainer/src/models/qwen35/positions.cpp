#include <algorithm>
#include <stdexcept>

#include "core/segment.hpp"

namespace ws {

RowPositions row_positions(const int64_t* ids, int64_t length, int64_t image_token, const std::vector<Grid>& grids, int64_t merge,
                           int64_t first) {
  RowPositions out{at::empty({3, length}, at::kLong), first};
  int64_t* t = out.positions.data_ptr<int64_t>();
  int64_t* h = t + length;
  int64_t* w = h + length;
  size_t image = 0;
  for (int64_t i = 0; i < length;) {
    if (ids[i] != image_token) {
      t[i] = h[i] = w[i] = out.next++;
      ++i;
      continue;
    }
    if (image == grids.size()) throw std::runtime_error("more image placeholders than images");
    const Grid& g = grids[image++];
    const int64_t rows = g[1] / merge, columns = g[2] / merge, base = out.next;
    for (int64_t a = 0; a < g[0]; ++a)
      for (int64_t b = 0; b < rows; ++b)
        for (int64_t c = 0; c < columns; ++c, ++i) {
          if (i == length || ids[i] != image_token) throw std::runtime_error("fewer image placeholders than the grid has features");
          t[i] = base + a;
          h[i] = base + b;
          w[i] = base + c;
        }
    out.next = base + std::max(rows, columns);
  }
  if (image != grids.size()) throw std::runtime_error("more images than image placeholders");
  return out;
}

}  // namespace ws
