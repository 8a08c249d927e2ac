#include "io/safetensors.hpp"

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "check.hpp"
#include "io/atomic_file.hpp"
#include "temporary_folder.hpp"

using namespace ws;

namespace {

std::string file_of(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + data;
}

void round_trip(const test::TemporaryFolder& folder) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  const std::string path = folder / "a.safetensors";
  io::write_safetensors(path,
                        {{"b", {io::DType::f32, {2, 3}, bytes, 24}},
                         {"a\"q", {io::DType::u8, {0}, bytes, 0}},
                         {"scalar", {io::DType::f32, {}, bytes, 4}}},
                        {{"format", "pt"}, {"note", "line\n"}});
  const io::SafeTensors file(path);
  CHECK_EQUAL(file.all().size(), 3u);
  CHECK_EQUAL(file.at("b").elements(), 6);
  CHECK(file.at("b").aligned());
  CHECK(std::memcmp(file.at("b").data, values.data(), 24) == 0);
  CHECK_EQUAL(file.at("scalar").bytes, 4u);
  CHECK_EQUAL(file.metadata().at("note"), "line\n");
  CHECK_THROWS(file.at("c"), "a.safetensors: there is no tensor c");
  CHECK_THROWS(io::write_safetensors(path, {{"b", {io::DType::f32, {2, 4}, bytes, 24}}}), "not what its shape says");
  io::write_safetensors(path, {});
  CHECK_EQUAL(io::SafeTensors(path).all().size(), 0u);
}

void bad(const test::TemporaryFolder& folder) {
  const std::string path = folder / "bad.safetensors";
  const auto refuses = [&](const std::string& bytes, const std::string& message) {
    io::write_file_atomically(path, bytes);
    CHECK_THROWS(io::SafeTensors{path}, message);
  };
  const std::string data(24, 'x');
  const auto entry = [&](const std::string& what) { return file_of("{\"t\":{" + what + "}}", data); };
  refuses("", "only 0 bytes long");
  refuses("1234567", "only 7 bytes long");
  refuses(std::string(8, '\xff'), "at most 100000000 are allowed");
  refuses(std::string("\x10\0\0\0\0\0\0\0{}", 10), "its header is longer than the file");
  refuses(file_of("", ""), "not valid JSON");
  refuses(file_of("[1]", ""), "its header is no object");
  refuses(file_of("{\"t\":1}", ""), "tensor t is described by no object");
  refuses(entry("\"shape\":[6],\"data_offsets\":[0,24]"), "tensor t: \"dtype\" is missing");
  refuses(entry("\"dtype\":\"F32\",\"data_offsets\":[0,24]"), "tensor t: \"shape\" is missing");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[6]"), "tensor t: \"data_offsets\" is missing");
  refuses(entry("\"dtype\":\"F8_E4M3\",\"shape\":[6],\"data_offsets\":[0,24]"), "tensor t has the dtype F8_E4M3");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0]"), "data_offsets must be two numbers");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,28]"), "its data lies outside the file");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[24,0]"), "its data lies outside the file");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[-4,20]"), "its data lies outside the file");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,24]"), "does not have the length that shape and dtype say");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[-6],\"data_offsets\":[0,24]"), "negative dimension");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,24]"), "expected a whole number");
  refuses(entry("\"dtype\":\"F32\",\"shape\":\"6\",\"data_offsets\":[0,24]"), "expected a list");
  refuses(entry("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]"),
          "does not have the length");  // the product would wrap to 0
  refuses(entry("\"dtype\":\"F32\",\"shape\":[1e30],\"data_offsets\":[0,24]"), "expected a whole number");
  refuses(file_of("{\"__metadata__\":{\"a\":1}}", ""), "__metadata__: a is no string");
  refuses(file_of("{\"__metadata__\":[]}", ""), "__metadata__ is no object");
  CHECK_THROWS(io::SafeTensors{folder / "none"}, "none: No such file");
  CHECK_THROWS(io::SafeTensors{folder.path()}, "not a regular file");

  // Cut at every length: refused (a tensor's data is then outside), never read beyond the end.
  const std::string whole = entry("\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]");
  for (size_t n = 0; n < whole.size(); ++n) {
    io::write_file_atomically(path, whole.substr(0, n));
    CHECK_THROWS(io::SafeTensors{path}, "bad.safetensors");
  }
  // What the format's own library takes too: a header that is not padded. The data is then not aligned.
  io::write_file_atomically(path, file_of("{\"t\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]}} ", data));
  const io::SafeTensors file(path);
  CHECK_EQUAL(file.at("t").aligned(), (reinterpret_cast<uintptr_t>(file.at("t").data) % 4) == 0);
}

}  // namespace

int main() {
  const test::TemporaryFolder folder;
  round_trip(folder);
  bad(folder);
  return test::finish();
}
