#include "io/encoded_dataset.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/error.hpp"
#include "base/json.hpp"

namespace ws::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void invalid(const std::string& where, const std::string& what) {
  throw Error(Fault::data, "dataset-invalid", where + ": " + what,
              "Encode the rows again, or see docs/formats/encoded-dataset.md for what the file has to hold.");
}

std::string describe(DType dtype, const std::vector<int64_t>& shape) {
  std::string out = std::string(name_of(dtype)) + " [";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

bool is_column_name(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

struct Column {
  std::string name;
  DType dtype;
  std::span<const uint8_t> bytes;
  std::span<const float> floats;
};

}  // namespace

struct EncodedDataset::Content {
  explicit Content(const std::string& path) : file(path), where(path), folder(fs::absolute(path).parent_path()) {}

  SafeTensors file;
  std::string where;  // the path, for messages
  fs::path folder;
  std::vector<std::vector<uint64_t>> copies;  // of tensors that are not aligned in the file

  int64_t rows = 0;
  Processor processor;
  std::vector<std::string> fields;

  std::span<const int32_t> ids, target_positions, target_ids, image_grid, image_size;
  std::span<const int64_t> ids_offsets, target_offsets, image_offsets, image_bytes, image_path_offsets, row_name_offsets;
  std::span<const uint8_t> image_sha256, image_path, row_name;
  std::vector<Column> columns;

  void open();
  void read_metadata();
  void read_processor(const json::Value& value);
  void read_columns();

  // A tensor of that dtype and shape; -1 stands for any length.
  template <class T>
  std::span<const T> tensor(const std::string& name, DType dtype, const std::vector<int64_t>& shape);
  // Offsets of `parts` parts of something of `length` elements.
  std::span<const int64_t> offsets(const std::string& name, int64_t parts, size_t length);

  std::string row_title(int64_t i) const;
  void check_row(const Example& row, const std::string& title) const;
  void check_images(const Example& row, const std::string& title) const;
  ImageReference image(int64_t m, const std::string& title) const;
};

template <class T>
std::span<const T> EncodedDataset::Content::tensor(const std::string& name, DType dtype, const std::vector<int64_t>& shape) {
  if (!file.has(name)) invalid(where, "the tensor " + name + " is missing");
  const TensorRef& t = file.at(name);
  bool fits = t.dtype == dtype && t.shape.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || t.shape[i] == shape[i];
  if (!fits) {
    std::string wanted = describe(dtype, shape);
    for (size_t at; (at = wanted.find("-1")) != std::string::npos;) wanted.replace(at, 2, "any");
    invalid(where, "the tensor " + name + " is " + describe(t.dtype, t.shape) + ", but has to be " + wanted);
  }
  const auto count = static_cast<size_t>(t.elements());
  if (count == 0) return {};
  if (t.aligned()) return {reinterpret_cast<const T*>(t.data), count};
  std::vector<uint64_t>& copy = copies.emplace_back((t.bytes + 7) / 8);
  std::memcpy(copy.data(), t.data, t.bytes);
  return {reinterpret_cast<const T*>(copy.data()), count};
}

std::span<const int64_t> EncodedDataset::Content::offsets(const std::string& name, int64_t parts, size_t length) {
  const auto out = tensor<int64_t>(name, DType::i64, {parts + 1});
  if (out.front() != 0) invalid(where, name + "[0] is " + std::to_string(out.front()) + ", but has to be 0");
  for (size_t i = 1; i < out.size(); ++i)
    if (out[i] < out[i - 1])
      invalid(where,
              name + "[" + std::to_string(i) + "] is " + std::to_string(out[i]) + ", which is less than the one before it");
  if (static_cast<uint64_t>(out.back()) != length)
    invalid(where, name + " ends at " + std::to_string(out.back()) + ", but there are " + std::to_string(length) + " elements");
  return out;
}

void EncodedDataset::Content::read_processor(const json::Value& value) {
  const auto number = [&](const json::Value& in, const char* key, double least, double most) {
    const double v = in.at(key).number();
    if (!(v >= least && v <= most))
      invalid(where, std::string("processor: ") + key + " is " + json::write(in.at(key)) + ", which cannot be");
    return v;
  };
  const auto whole = [&](const json::Value& in, const char* key, int64_t least, int64_t most) {
    in.at(key).integer();  // throws where it is not whole
    return static_cast<int64_t>(number(in, key, static_cast<double>(least), static_cast<double>(most)));
  };
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

  processor.id = value.at("id").string();
  processor.vocab = whole(value, "vocab", 1, kMost);
  if (!value.find("image_token").null())
    processor.image_token = static_cast<int32_t>(whole(value, "image_token", 0, processor.vocab - 1));
  const json::Value& image = value.find("image");
  if (image.null()) return;
  ImageProcessor p;
  p.patch = whole(image, "patch", 1, 1024);
  p.temporal_patch = whole(image, "temporal_patch", 1, 64);
  p.merge = whole(image, "merge", 1, 64);
  p.rescale = number(image, "rescale", 1e-9, 1e9);
  for (const char* key : {"mean", "std"}) {
    const json::Array& list = image.at(key).array();
    if (list.size() != 3) invalid(where, std::string("processor: image.") + key + " has to be three numbers");
    for (size_t i = 0; i < 3; ++i) (key[0] == 'm' ? p.mean : p.std)[i] = list[i].number();
  }
  for (const double s : p.std)
    if (s == 0) invalid(where, "processor: image.std must not be 0");
  processor.image = p;
}

void EncodedDataset::Content::read_metadata() {
  const auto found = file.metadata().find("whetstone");
  if (found == file.metadata().end()) invalid(where, "this is no encoded dataset: the metadata has no key \"whetstone\"");
  try {
    const json::Value about = json::parse(found->second);
    if (!about.is_object()) invalid(where, "the metadata \"whetstone\" is no object");
    if (about.at("format").string() != "encoded-dataset")
      invalid(where, "the format is \"" + about.at("format").string() + "\", but has to be \"encoded-dataset\"");
    if (about.at("version").integer() != 1)
      invalid(where, "the version is " + json::write(about.at("version")) + "; this trainer reads version 1");
    rows = about.at("rows").integer();
    if (rows < 0 || rows > std::numeric_limits<int32_t>::max())
      invalid(where, "rows is " + std::to_string(rows) + ", which cannot be");
    read_processor(about.at("processor"));
    if (!about.find("fields").null())
      for (const json::Value& f : about.at("fields").array()) fields.push_back(f.string());
  } catch (const Error& e) {
    if (e.code() == "json") invalid(where, std::string("the metadata \"whetstone\": ") + e.what());
    throw;
  }
}

void EncodedDataset::Content::read_columns() {
  const auto k = static_cast<int64_t>(target_positions.size());
  for (const auto& [tensor_name, t] : file.all()) {
    constexpr std::string_view kPrefix = "column.";
    if (!tensor_name.starts_with(kPrefix)) continue;
    Column c;
    c.name = tensor_name.substr(kPrefix.size());
    if (!is_column_name(c.name)) invalid(where, "the tensor " + tensor_name + ": a column's name has to match [a-z][a-z0-9_]*");
    const bool fixed = c.name == "action" || c.name == "field";
    c.dtype = t.dtype;
    if (t.dtype == DType::f32 && !fixed) {
      c.floats = tensor<float>(tensor_name, DType::f32, {k});
    } else if (t.dtype == DType::u8) {
      c.bytes = tensor<uint8_t>(tensor_name, DType::u8, {k});
    } else {
      invalid(where, "the tensor " + tensor_name + " is " + describe(t.dtype, t.shape) + ", but has to be U8" +
                         (fixed ? "" : " or F32"));
    }
    if (c.name == "field" && fields.empty()) invalid(where, "there is a column \"field\", but the metadata names no fields");
    columns.push_back(std::move(c));
  }
  if (fields.size() > 256) invalid(where, "there are more than 256 fields");
}

void EncodedDataset::Content::open() {
  read_metadata();
  ids = tensor<int32_t>("ids", DType::i32, {-1});
  ids_offsets = offsets("ids.offsets", rows, ids.size());
  target_positions = tensor<int32_t>("target.positions", DType::i32, {-1});
  const auto k = static_cast<int64_t>(target_positions.size());
  target_ids = tensor<int32_t>("target.ids", DType::i32, {k});
  target_offsets = offsets("target.offsets", rows, target_positions.size());
  read_columns();

  image_grid = tensor<int32_t>("image.grid", DType::i32, {-1, 3});
  const auto m = static_cast<int64_t>(image_grid.size() / 3);
  image_offsets = offsets("image.offsets", rows, static_cast<size_t>(m));
  image_size = tensor<int32_t>("image.size", DType::i32, {m, 2});
  image_bytes = tensor<int64_t>("image.bytes", DType::i64, {m});
  image_sha256 = tensor<uint8_t>("image.sha256", DType::u8, {m, 32});
  image_path = tensor<uint8_t>("image.path", DType::u8, {-1});
  image_path_offsets = offsets("image.path.offsets", m, image_path.size());
  if (m > 0 && (!processor.image_token || !processor.image))
    invalid(where, "there are images, but the processor has no " + std::string(processor.image ? "image_token" : "image"));

  if (file.has("row.key")) tensor<uint8_t>("row.key", DType::u8, {rows, 32});
  if (file.has("row.fallback")) tensor<uint8_t>("row.fallback", DType::u8, {rows});
  if (file.has("row.name")) {
    row_name = tensor<uint8_t>("row.name", DType::u8, {-1});
    row_name_offsets = offsets("row.name.offsets", rows, row_name.size());
  }
}

std::string EncodedDataset::Content::row_title(int64_t i) const {
  if (!row_name_offsets.empty()) {
    const auto at = static_cast<size_t>(i);
    const auto begin = static_cast<size_t>(row_name_offsets[at]), end = static_cast<size_t>(row_name_offsets[at + 1]);
    if (end > begin) return std::string(reinterpret_cast<const char*>(row_name.data()) + begin, end - begin);
  }
  return "row " + std::to_string(i) + " of " + where;
}

ImageReference EncodedDataset::Content::image(int64_t m, const std::string& title) const {
  const auto i = static_cast<size_t>(m);
  ImageReference out;
  std::copy_n(image_grid.data() + 3 * i, 3, out.grid.begin());
  out.height = image_size[2 * i];
  out.width = image_size[2 * i + 1];
  out.bytes = image_bytes[i];
  std::copy_n(image_sha256.data() + 32 * i, 32, out.sha256.begin());
  const auto begin = static_cast<size_t>(image_path_offsets[i]), end = static_cast<size_t>(image_path_offsets[i + 1]);
  if (begin == end) invalid(title, "the path of an image is empty");
  const std::string path(reinterpret_cast<const char*>(image_path.data()) + begin, end - begin);
  if (path.find('\0') != std::string::npos) invalid(title, "the path of an image holds a zero byte");
  out.path = (folder / path).string();  // an absolute one stays as it is

  constexpr int32_t kMostPatches = 1 << 16;  // along one side: a million pixels
  const auto merge = static_cast<int32_t>(processor.image->merge);
  const auto [t, h, w] = out.grid;
  if (t != 1 || h < 1 || w < 1 || h > kMostPatches || w > kMostPatches || h % merge != 0 || w % merge != 0)
    invalid(title, "an image has the grid (" + std::to_string(t) + ", " + std::to_string(h) + ", " + std::to_string(w) +
                       "): it has to be 1, and two multiples of " + std::to_string(merge));
  if (out.height < 1 || out.width < 1 || out.bytes < 1) invalid(title, "an image has no pixels or no bytes");
  return out;
}

void EncodedDataset::Content::check_images(const Example& row, const std::string& title) const {
  const int64_t merged = processor.image ? processor.image->merge * processor.image->merge : 1;
  std::vector<int64_t> runs;  // lengths of the runs of placeholders
  int64_t placeholders = 0, needed = 0;
  if (processor.image_token) {
    bool inside = false;
    for (const int32_t id : row.ids) {
      const bool is = id == *processor.image_token;
      if (is && !inside) runs.push_back(0);
      if (is) ++runs.back();
      inside = is;
      placeholders += is;
    }
  }
  for (const ImageReference& i : row.images) needed += i.patches() / merged;
  if (placeholders != needed)
    invalid(title, "there are " + std::to_string(placeholders) + " image placeholders, but the grids of its " +
                       std::to_string(row.images.size()) + " images need " + std::to_string(needed));
  if (runs.size() < row.images.size()) invalid(title, "two images stand without a token between them");
  for (size_t i = 0; i < runs.size(); ++i)
    if (i >= row.images.size() || runs[i] != row.images[i].patches() / merged)
      invalid(title, "image " + std::to_string(i) + " has " + std::to_string(runs[i]) +
                         " placeholders in one piece, which is not what its grid needs");
}

void EncodedDataset::Content::check_row(const Example& row, const std::string& title) const {
  const auto in_vocabulary = [&](std::span<const int32_t> tokens, const char* what) {
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i] < 0 || tokens[i] >= processor.vocab)
        invalid(title, std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(tokens[i]) +
                           ", but ids go from 0 to " + std::to_string(processor.vocab - 1));
  };
  in_vocabulary(row.ids, "ids");
  in_vocabulary(row.target_ids, "target.ids");
  const auto tokens = static_cast<int64_t>(row.ids.size());
  for (size_t i = 0; i < row.target_positions.size(); ++i) {
    const int32_t p = row.target_positions[i];
    if (p < 0 || p >= tokens)
      invalid(title, "target.positions[" + std::to_string(i) + "] is " + std::to_string(p) + ", but the row has " +
                         std::to_string(tokens) + " tokens");
    if (i > 0 && p <= row.target_positions[i - 1]) invalid(title, "target.positions[" + std::to_string(i) + "] does not ascend");
  }
  for (const auto& [name, view] : row.columns) {
    const size_t limit = name == "action" ? 2 : name == "field" ? fields.size() : 256;
    for (size_t i = 0; i < view.bytes.size(); ++i)
      if (view.bytes[i] >= limit)
        invalid(title, "column." + std::string(name) + "[" + std::to_string(i) + "] is " + std::to_string(view.bytes[i]) +
                           ", but has to be less than " + std::to_string(limit));
  }
  check_images(row, title);
}

const ColumnView* Example::find_column(std::string_view name) const {
  for (const auto& [known, view] : columns)
    if (known == name) return &view;
  return nullptr;
}
const ColumnView& Example::column(std::string_view name) const {
  if (const ColumnView* view = find_column(name)) return *view;
  invalid(this->name, "its dataset has no column \"" + std::string(name) + "\"");
}

EncodedDataset::EncodedDataset(const std::string& path) : content_(std::make_unique<Content>(path)) { content_->open(); }
EncodedDataset::~EncodedDataset() = default;

int64_t EncodedDataset::rows() const { return content_->rows; }
const std::string& EncodedDataset::path() const { return content_->where; }
const Processor& EncodedDataset::processor() const { return content_->processor; }
const std::vector<std::string>& EncodedDataset::fields() const { return content_->fields; }
bool EncodedDataset::has_column(std::string_view name) const {
  return std::any_of(content_->columns.begin(), content_->columns.end(), [&](const Column& c) { return c.name == name; });
}
int64_t EncodedDataset::tokens(int64_t row) const {
  const auto i = static_cast<size_t>(row);
  return content_->ids_offsets[i + 1] - content_->ids_offsets[i];
}
int64_t EncodedDataset::targets(int64_t row) const {
  const auto i = static_cast<size_t>(row);
  return content_->target_offsets[i + 1] - content_->target_offsets[i];
}

Example EncodedDataset::row(int64_t i) const {
  const Content& c = *content_;
  if (i < 0 || i >= c.rows)
    throw Error(Fault::data, "dataset-invalid",
                c.where + ": there is no row " + std::to_string(i) + "; it has " + std::to_string(c.rows));
  const auto at = static_cast<size_t>(i);
  Example out;
  out.row = i;
  out.name = c.row_title(i);
  const auto part = [at](auto all, std::span<const int64_t> offsets) {
    return all.subspan(static_cast<size_t>(offsets[at]), static_cast<size_t>(offsets[at + 1] - offsets[at]));
  };
  out.ids = part(c.ids, c.ids_offsets);
  out.target_positions = part(c.target_positions, c.target_offsets);
  out.target_ids = part(c.target_ids, c.target_offsets);
  for (const Column& column : c.columns) {
    ColumnView view{column.dtype, {}, {}};
    if (column.dtype == DType::u8)
      view.bytes = part(column.bytes, c.target_offsets);
    else
      view.floats = part(column.floats, c.target_offsets);
    out.columns.emplace_back(column.name, view);
  }
  // Messages name the file as well: a row's own name says where it came from, not where its encoded form lies.
  const std::string title = c.where + ": row " + std::to_string(i) + (c.row_name_offsets.empty() ? "" : " (" + out.name + ")");
  for (int64_t m = c.image_offsets[at]; m < c.image_offsets[at + 1]; ++m) out.images.push_back(c.image(m, title));
  c.check_row(out, title);
  return out;
}

}  // namespace ws::io
