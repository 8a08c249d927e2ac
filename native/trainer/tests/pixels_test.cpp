// Decoding and patching against what transformers computed from the same files (native/reference/make_pixels.py): bit for bit.
#include "core/pixels.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <cstdio>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/read_file.hpp"
#include "base/sha256.hpp"
#include "check.hpp"
#include "io/decode_image.hpp"

namespace {

using ws::json::Value;

ws::io::ImageProcessor processor_of(const Value& v) {
  ws::io::ImageProcessor p{v.at("patch").integer(), v.at("temporal_patch").integer(), v.at("merge").integer(), {}, {},
                           v.at("rescale").number()};
  for (size_t i = 0; i < 3; ++i) {
    p.mean[i] = v.at("mean").array()[i].number();
    p.std[i] = v.at("std").array()[i].number();
  }
  return p;
}

std::string hash_of(const at::Tensor& t) { return ws::hex(ws::sha256(t.const_data_ptr(), t.nbytes())); }

ws::io::DecodedImage decode(const std::string& path) {
  const std::string bytes = ws::read_file(path);
  return ws::io::decode_image(std::as_bytes(std::span(bytes)), path);
}

void check_golden(const std::string& folder, const Value& image) {
  const std::string& name = image.at("file").string();
  const ws::io::DecodedImage decoded = decode(folder + "/" + name);
  CHECK_EQUAL(decoded.height, image.at("height").integer());
  CHECK_EQUAL(decoded.width, image.at("width").integer());
  std::array<int32_t, 3> grid{};
  for (size_t i = 0; i < 3; ++i) grid[i] = static_cast<int32_t>(image.at("grid").array()[i].integer());
  const at::Tensor rows = ws::pixel_rows(decoded, grid, processor_of(image.at("processor")));
  CHECK_EQUAL(rows.size(0), image.at("shape").array()[0].integer());
  CHECK_EQUAL(rows.size(1), image.at("shape").array()[1].integer());
  CHECK(rows.scalar_type() == at::kFloat);
  CHECK_EQUAL(name + " " + hash_of(rows), name + " " + image.at("sha256").string());
}

// An image as the dataset refers to it, and what load_pixel_rows says when it is another one by now.
void check_references(const std::string& folder, const Value& image) {
  const std::string path = folder + "/" + image.at("file").string();
  const std::string bytes = ws::read_file(path);
  ws::io::ImageReference reference;
  for (size_t i = 0; i < 3; ++i) reference.grid[i] = static_cast<int32_t>(image.at("grid").array()[i].integer());
  reference.height = static_cast<int32_t>(image.at("height").integer());
  reference.width = static_cast<int32_t>(image.at("width").integer());
  reference.bytes = static_cast<int64_t>(bytes.size());
  reference.sha256 = ws::sha256(bytes);
  reference.path = path;
  const ws::io::ImageProcessor p = processor_of(image.at("processor"));
  CHECK_EQUAL(hash_of(ws::load_pixel_rows(reference, p, "a row")), image.at("sha256").string());

  ws::io::ImageReference other = reference;
  other.height += 1;
  CHECK_THROWS(ws::load_pixel_rows(other, p, "a row"), "but the row was encoded with");
  other = reference;
  other.bytes += 1;
  CHECK_THROWS(ws::load_pixel_rows(other, p, "a row"), "has changed since the row was encoded: it has");
  other = reference;
  other.sha256[0] ^= 1;
  CHECK_THROWS(ws::load_pixel_rows(other, p, "a row"), "its content (SHA-256) is another");
  other = reference;
  other.path += ".gone";
  CHECK_THROWS(ws::load_pixel_rows(other, p, "a row"), "a row: the image " + other.path + " is not there");
  other = reference;
  other.grid[1] += 1;
  CHECK_THROWS(ws::load_pixel_rows(other, p, "a row"), "cannot have the grid");
}

void print_time() {
  ws::io::DecodedImage image{720, 1280, std::vector<uint8_t>(720 * 1280 * 3, 100)};
  const auto start = std::chrono::steady_clock::now();
  ws::pixel_rows(image, {1, 44, 80}, {});
  std::printf("1280x720 resized and patched: %.1f ms\n",
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

int main(int count, char** values) {
  const std::string folder = std::string(count > 1 ? values[1] : "golden") + "/pixels";
  const Value about = ws::json::parse_file(folder + "/pixels.json");
  CHECK(about.at("images").array().size() >= 8);
  if (ws::io::can_decode_images()) {
    for (const Value& image : about.at("images").array()) check_golden(folder, image);
    for (const Value& file : about.at("refused").array())
      CHECK_THROWS(decode(folder + "/" + file.at("file").string()), file.at("message").string());
    check_references(folder, about.at("images").array()[0]);
  } else {
    std::printf("built without libvips: only the refusal is tested\n");
    CHECK_THROWS(decode(folder + "/gray.png"), "built without libvips");
  }
  print_time();
  return ws::test::finish();
}
