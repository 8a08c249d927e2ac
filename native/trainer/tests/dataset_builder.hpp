// Small encoded datasets for tests: a valid one whose parts can be replaced.
#pragma once
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/safetensors.hpp"

namespace ws::test {

struct DatasetBuilder {
  struct Tensor {
    io::DType dtype;
    std::vector<int64_t> shape;
    std::string bytes;
  };
  std::string about =
      R"({"format":"encoded-dataset","version":1,"rows":3,"fields":["other","action"],"processor":{"id":"p","image_token":9,"vocab":100,)"
      R"("image":{"patch":16,"temporal_patch":2,"merge":2,"mean":[0.5,0.5,0.5],"std":[0.5,0.5,0.5],"rescale":0.00392156862745098}}})";
  std::map<std::string, Tensor> tensors;

  template <class T>
  void put(const std::string& name, io::DType dtype, const std::vector<T>& values, std::vector<int64_t> shape = {-1}) {
    if (shape == std::vector<int64_t>{-1}) shape = {static_cast<int64_t>(values.size())};
    tensors[name] = {dtype, shape, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
  }
  void ints(const std::string& name, const std::vector<int32_t>& values, std::vector<int64_t> shape = {-1}) {
    put(name, io::DType::i32, values, shape);
  }
  void longs(const std::string& name, const std::vector<int64_t>& values) { put(name, io::DType::i64, values); }
  void bytes(const std::string& name, const std::vector<uint8_t>& values, std::vector<int64_t> shape = {-1}) {
    put(name, io::DType::u8, values, shape);
  }
  void text(const std::string& name, const std::string& value) { bytes(name, std::vector<uint8_t>(value.begin(), value.end())); }
  void replace(const std::string& from, const std::string& to) {
    const size_t at = about.find(from);
    about.replace(at, from.size(), to);  // throws when the text is not there
  }

  // Three rows: text only; one image of 2x4 patches (2 placeholders); two images with a token between them.
  DatasetBuilder() {
    ints("ids", {1, 2, 3, 4, 5, 9, 9, 6, 7, 9, 8, 9, 9, 3});
    longs("ids.offsets", {0, 4, 9, 14});
    ints("target.positions", {1, 2, 3, 2, 3});
    ints("target.ids", {3, 4, 6, 9, 9});
    longs("target.offsets", {0, 2, 3, 5});
    bytes("column.action", {1, 0, 1, 1, 1});
    bytes("column.field", {0, 1, 1, 0, 1});
    put("column.weight", io::DType::f32, std::vector<float>{0.5f, 1, 2, 4, 8});
    longs("image.offsets", {0, 0, 1, 3});
    ints("image.grid", {1, 2, 4, 1, 2, 2, 1, 4, 2}, {3, 3});
    ints("image.size", {30, 60, 32, 32, 64, 32}, {3, 2});
    longs("image.bytes", {100, 200, 300});
    bytes("image.sha256", std::vector<uint8_t>(96, 7), {3, 32});
    text("image.path", "a.png/abs/b.pngc.png");
    longs("image.path.offsets", {0, 5, 15, 20});
  }

  // `shift` makes the header that much longer than its padding, so that nothing is aligned.
  void write(const std::string& path, size_t shift = 0) const {
    std::map<std::string, io::TensorRef> refs;
    for (const auto& [name, t] : tensors)
      refs[name] = {t.dtype, t.shape, reinterpret_cast<const std::byte*>(t.bytes.data()), t.bytes.size()};
    io::write_safetensors(path, refs, {{"whetstone", about}});
    if (shift == 0) return;
    std::string file = ws::read_file(path);
    uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    file.insert(8 + length, shift, ' ');
    length += shift;
    std::memcpy(file.data(), &length, 8);
    io::write_file_atomically(path, file);
  }
};

}  // namespace ws::test
