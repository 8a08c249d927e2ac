#include "train/row_reader.hpp"

#include "base/error.hpp"
#include "core/pixels.hpp"
#include "train/visit_error.hpp"

namespace ws {

int64_t PreparedForward::tokens() const {
  int64_t out = 0;
  for (const PreparedRow& row : rows) out += static_cast<int64_t>(row.input.ids.size());
  return out;
}

size_t PreparedForward::bytes() const {
  size_t out = 0;
  for (const PreparedRow& row : rows)
    out += row.input.ids.size() * sizeof(int64_t) + (row.input.pixels.defined() ? row.input.pixels.nbytes() : 0);
  return out;
}

PreparedRow RowReader::read(const Visit& visit) const {
  const auto row = static_cast<size_t>(visit.row);
  const io::EncodedDataset& dataset = *datasets_[static_cast<size_t>(plan_.rows.dataset[row])];
  PreparedRow out{visit, dataset.row(plan_.rows.row[row]), {}};
  out.example.name = plan_.rows.name[row];
  out.input.ids.assign(out.example.ids.begin(), out.example.ids.end());
  out.input.ordinal = visit.ordinal;
  std::vector<at::Tensor> pixels;
  for (const io::ImageReference& image : out.example.images) {
    pixels.push_back(load_pixel_rows(image, *dataset.processor().image, out.example.name));
    out.input.grids.push_back({image.grid[0], image.grid[1], image.grid[2]});
  }
  if (pixels.size() == 1) out.input.pixels = pixels[0];
  if (pixels.size() > 1) out.input.pixels = at::cat(pixels);
  return out;
}

PreparedForward RowReader::read(const std::vector<Visit>& visits) const {
  PreparedForward out;
  for (const Visit& visit : visits) {
    try {
      out.rows.push_back(read(visit));
    } catch (const Error& e) {
      if (visit.role == kNoRole) throw;  // an evaluation's row is no visit
      throw VisitError(e.fault(), e.code(), e.what(), e.hint(), {visit.ordinal});
    }
  }
  return out;
}

}  // namespace ws
