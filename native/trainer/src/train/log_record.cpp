#include "train/log_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "io/append_file.hpp"
#include "io/atomic_file.hpp"

namespace ws {

void LogRecord::add(const RowRecord& row) {
  const auto role = static_cast<size_t>(row.visit.role);
  sums_[role] += row.mean();
  ++counts_[role];
}

json::Object LogRecord::take(const Now& now) {
  const double seconds = std::max(now.seconds, 1e-9);
  json::Object out{{"rows", now.rows}, {"of", now.of}, {"epoch", now.epoch}};
  for (size_t i = 0; i < sums_.size(); ++i)
    out.set(plan_.roles[i].name, counts_[i] ? sums_[i] / static_cast<double>(counts_[i]) : 0.0);
  out.set("lr", now.lr)
      .set("rows_per_s", static_cast<double>(now.rows) / seconds)
      .set("tokens_per_s", static_cast<double>(now.tokens) / seconds)
      .set("gpu_gb", now.gpu_gib);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(counts_.begin(), counts_.end(), 0);
  return out;
}

json::Value LogRecord::state() const { return json::Object{{"sums", json::list(sums_)}, {"counts", json::list(counts_)}}; }

void LogRecord::restore(const json::Value& state) {
  for (size_t i = 0; i < sums_.size(); ++i) {
    sums_[i] = state.at("sums").array().at(i).number();
    counts_[i] = state.at("counts").array().at(i).integer();
  }
}

void append_line(const std::string& path, const std::string& line) {
  const std::string text = line + "\n";
  const int file = io::open_for_append(path);
  try {
    io::append_record(file, path, text.data(), text.size());
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);
}

void cut_log(const std::string& path, int64_t rows) {
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_file(path);
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // a torn line
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    bool behind = false;
    try {
      behind = json::parse(line).at("rows").number() > static_cast<double>(rows);
    } catch (const Error&) {
    }
    if (!behind) kept += line + "\n";
  }
  if (kept != text) io::write_file_atomically(path, kept);
}

}  // namespace ws
