// Reader of an encoded dataset (docs/formats/encoded-dataset.md): rows of token ids, targets, columns and image references,
// straight from the mapped file. What is said once a file (metadata, dtypes, shapes, offsets) is checked when it is opened; what
// a row holds (ids, positions, placeholders, paths) when that row is asked for, so that opening a large file stays quick.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/safetensors.hpp"

namespace ws::io {

// How pixels become patches. Values are normalised as (x * rescale - mean) / std, channel by channel.
struct ImageProcessor {
  int64_t patch = 16;
  int64_t temporal_patch = 2;
  int64_t merge = 2;
  std::array<double, 3> mean{0.5, 0.5, 0.5};
  std::array<double, 3> std{0.5, 0.5, 0.5};
  double rescale = 1.0 / 255;
  bool operator==(const ImageProcessor&) const = default;
};

// What the writer of the dataset and the trainer have to agree on.
struct Processor {
  std::string id;
  std::optional<int32_t> image_token;  // absent: text only
  int64_t vocab = 0;                   // no id reaches it
  std::optional<ImageProcessor> image;
};

// An image of a row, as it was when the row was encoded.
struct ImageReference {
  std::array<int32_t, 3> grid{};  // (t, h, w) in patches
  int32_t height = 0;             // of the decoded file, pixels
  int32_t width = 0;
  int64_t bytes = 0;  // of the file
  std::array<uint8_t, 32> sha256{};
  std::string path;  // absolute
  int64_t patches() const { return int64_t{grid[0]} * grid[1] * grid[2]; }
};

// A number a target of one row: masks, weights, recorded log-probabilities.
struct ColumnView {
  DType dtype = DType::u8;         // u8 or f32; the other span is empty
  std::span<const uint8_t> bytes;  // [targets]
  std::span<const float> floats;   // [targets]
  size_t size() const { return dtype == DType::u8 ? bytes.size() : floats.size(); }
  float operator[](size_t i) const { return dtype == DType::u8 ? static_cast<float>(bytes[i]) : floats[i]; }
};

// One row. The spans point into the dataset, which has to outlive it.
struct Example {
  int64_t row = 0;                            // in its file
  std::string name;                           // from row.name, else "row 17 of /path/x.safetensors"
  std::span<const int32_t> ids;               // [tokens], image placeholders included
  std::span<const int32_t> target_positions;  // [targets] index in ids whose next-token distribution is scored, ascending
  std::span<const int32_t> target_ids;        // [targets]
  std::vector<ImageReference> images;         // in the order of their placeholders
  std::vector<std::pair<std::string_view, ColumnView>> columns;

  const ColumnView* find_column(std::string_view name) const;  // null pointer when the dataset has no such column
  const ColumnView& column(std::string_view name) const;       // throws ws::Error (data)
};

class EncodedDataset {
 public:
  // Throws ws::Error (data, code "dataset-invalid"; file_system when it cannot be opened); every refusal of the format's page.
  explicit EncodedDataset(const std::string& path);
  ~EncodedDataset();
  EncodedDataset(const EncodedDataset&) = delete;
  EncodedDataset& operator=(const EncodedDataset&) = delete;

  int64_t rows() const;
  const std::string& path() const;
  const Processor& processor() const;
  const std::vector<std::string>& fields() const;  // names of the values of `column.field`; empty without that column
  bool has_column(std::string_view name) const;

  int64_t tokens(int64_t row) const;   // of that row; no checks of content
  int64_t targets(int64_t row) const;  // the same
  // Row i, checked. Thread-safe. Throws ws::Error (data, code "dataset-invalid") that names file and row.
  Example row(int64_t i) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace ws::io
