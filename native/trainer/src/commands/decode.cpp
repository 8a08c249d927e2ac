// `decode`: pixel values without training. The main process asks it for their SHA-256, so that there is one implementation of
// what the model sees and it can be compared with the Python reference.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/read_file.hpp"
#include "base/sha256.hpp"
#include "commands/command.hpp"
#include "core/pixels.hpp"
#include "io/decode_image.hpp"
#include "io/encoded_dataset.hpp"

namespace ws::commands {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void wrong(const std::string& message) {
  throw Error(Fault::plan, "arguments", message, "decode --dataset FILE --row N | --image FILE --grid T,H,W | --stdin");
}

// Hash and shape of the pixel values of one or more images, in order, as the reference concatenates them.
class Answer {
 public:
  void add(const at::Tensor& rows) {
    hash_.add(rows.const_data_ptr(), rows.nbytes());
    rows_ += rows.size(0);
    values_ = rows.size(1);
  }
  json::Object finish() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return {{"sha256", hex(hash_.finish())}, {"shape", json::list(std::vector<int64_t>{rows_, values_})}, {"seconds", seconds}};
  }

 private:
  Clock::time_point start_ = Clock::now();
  Sha256 hash_;
  int64_t rows_ = 0;
  int64_t values_ = 0;
};

json::Object decode_row(const io::EncodedDataset& dataset, int64_t row) {
  Answer answer;
  const io::Example example = dataset.row(row);
  for (const io::ImageReference& image : example.images)
    answer.add(load_pixel_rows(image, *dataset.processor().image, example.name));
  return answer.finish();
}

at::Tensor decode_file(const std::string& path, std::array<int32_t, 3> grid, const io::ImageProcessor& processor) {
  const std::string bytes = read_file(path);
  return pixel_rows(io::decode_image(std::as_bytes(std::span(bytes)), path), grid, processor);
}

int32_t grid_part(int64_t value) {
  if (value < 1 || value > 1 << 16) wrong("a grid's numbers go from 1 to 65536, not " + std::to_string(value));
  return static_cast<int32_t>(value);
}

std::array<int32_t, 3> read_grid(const json::Value& value) {
  const json::Array& list = value.array();
  if (list.size() != 3) wrong("a grid has three numbers: t, h, w");
  return {grid_part(list[0].integer()), grid_part(list[1].integer()), grid_part(list[2].integer())};
}

// The fields of the format's processor.image; those that are not there are as Qwen's.
io::ImageProcessor read_processor(const json::Value& request) {
  io::ImageProcessor p;
  p.patch = request.integer_or("patch", p.patch);
  p.temporal_patch = request.integer_or("temporal_patch", p.temporal_patch);
  p.merge = request.integer_or("merge", p.merge);
  p.rescale = request.number_or("rescale", p.rescale);
  for (auto& [key, into] : {std::pair<const char*, std::array<double, 3>&>{"mean", p.mean}, {"std", p.std}}) {
    const json::Value& list = request.find(key);
    if (list.null()) continue;
    if (list.array().size() != 3) wrong(std::string(key) + " has three numbers");
    for (size_t i = 0; i < 3; ++i) into[i] = list.array()[i].number();
  }
  const auto side = [](int64_t v, int64_t most) { return v >= 1 && v <= most; };
  if (!side(p.patch, 1024) || !side(p.temporal_patch, 64) || !side(p.merge, 64) || !(p.rescale > 0))
    wrong("the image processor cannot be");
  return p;
}

// {"dataset", "row"}, {"image", "grid", ...processor}, or {"images": [{"image", "grid"}, ...], ...processor}.
json::Object answer_request(const json::Value& request) {
  if (!request.find("dataset").null())
    return decode_row(io::EncodedDataset(request.at("dataset").string()), request.at("row").integer());
  const io::ImageProcessor processor = read_processor(request);
  Answer answer;
  const auto add = [&](const json::Value& image) {
    answer.add(decode_file(image.at("image").string(), read_grid(image.at("grid")), processor));
  };
  if (request.find("images").null())
    add(request);
  else
    for (const json::Value& image : request.at("images").array()) add(image);
  return answer.finish();
}

void print_line(json::Object object) {
  const std::string line = json::write(std::move(object)) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fflush(stdout) != 0)
    throw system_error("cannot write the answer", errno);
}

// One answer a request, in order. A request that fails is answered with {"error": {...}}, and the next one is read.
int serve() {
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty()) continue;
    try {
      print_line(answer_request(json::parse(line)));
    } catch (const Error& e) {
      if (e.fault() == Fault::file_system && std::ferror(stdout)) throw;
      print_line({{"error", json::Object{{"code", e.code()}, {"message", e.what()}, {"hint", e.hint()}}}});
    }
  }
  return 0;
}

}  // namespace

int decode(Arguments arguments) {
  const Options options(arguments, {"dataset", "row", "image", "grid", "threads"}, {"stdin"});
  if (options.has("threads")) at::set_num_threads(static_cast<int>(std::clamp<int64_t>(options.integer("threads"), 1, 1024)));
  if (options.flag("stdin")) return serve();
  if (options.has("dataset")) {
    print_line(decode_row(io::EncodedDataset(options.at("dataset")), options.integer("row")));
    return 0;
  }
  if (!options.has("image")) wrong("say what to decode");
  json::Value grid;
  try {
    grid = json::parse("[" + options.at("grid") + "]");
    read_grid(grid);
  } catch (const Error&) {
    wrong("--grid has to be three whole numbers, as in 1,44,80, not \"" + options.at("grid") + "\"");
  }
  print_line(answer_request(json::Object{{"image", options.at("image")}, {"grid", grid}}));
  return 0;
}

}  // namespace ws::commands
