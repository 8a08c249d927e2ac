#include "models/qwen35/positions.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace ws::qwen35 {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Fault::data, "row-image", what, "Encode the rows again with this model's processor.");
}

std::string text_of(const Grid& g) {
  return "(" + std::to_string(g[0]) + ", " + std::to_string(g[1]) + ", " + std::to_string(g[2]) + ")";
}

}  // namespace

RowPositions row_positions(const std::vector<int64_t>& ids, int64_t image_token, const std::vector<Grid>& grids, int64_t merge,
                           int64_t first) {
  const auto length = static_cast<int64_t>(ids.size());
  RowPositions out{at::empty({3, length}, at::kLong), first};
  int64_t* t = out.positions.data_ptr<int64_t>();
  int64_t* h = t + length;
  int64_t* w = h + length;
  const auto is_image = [&](int64_t i) { return i < length && ids[static_cast<size_t>(i)] == image_token; };
  size_t image = 0;
  for (int64_t i = 0; i < length;) {
    if (!is_image(i)) {
      t[i] = h[i] = w[i] = out.next++;
      ++i;
      continue;
    }
    if (image == grids.size())
      refuse("a row has more image placeholders than its " + std::to_string(grids.size()) + " images have features");
    const Grid& g = grids[image++];
    if (g[0] < 1 || g[1] < merge || g[2] < merge || g[1] % merge || g[2] % merge)
      refuse("image grid " + text_of(g) + " is not made of blocks of " + std::to_string(merge) + " x " + std::to_string(merge) +
             " patches");
    const int64_t rows = g[1] / merge, columns = g[2] / merge, base = out.next;
    for (int64_t a = 0; a < g[0]; ++a)
      for (int64_t b = 0; b < rows; ++b)
        for (int64_t c = 0; c < columns; ++c, ++i) {
          if (!is_image(i)) refuse("a row has fewer image placeholders than its image of grid " + text_of(g) + " has features");
          t[i] = base + a;
          h[i] = base + b;
          w[i] = base + c;
        }
    if (is_image(i))
      refuse("an image of grid " + text_of(g) +
             " is followed by another placeholder: no token stands between two images, or there is one too many");
    out.next = base + std::max(rows, columns);
  }
  if (image != grids.size())
    refuse("a row has " + std::to_string(grids.size()) + " images but placeholders for " + std::to_string(image));
  return out;
}

}  // namespace ws::qwen35
