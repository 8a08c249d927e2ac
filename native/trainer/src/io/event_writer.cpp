#include "io/event_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/host.hpp"
#include "base/read_file.hpp"
#include "io/append_file.hpp"

namespace ws::io {
namespace {

// Where the last whole line ends.
int64_t end_of_last_line(int descriptor, const std::string& path) {
  constexpr int64_t kPart = 1 << 16;
  std::vector<char> part(kPart);
  for (int64_t end = file_size(descriptor, path); end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - kPart);
    const size_t got = read_at(descriptor, path, part.data(), static_cast<size_t>(end - begin), begin);
    for (size_t i = got; i > 0; --i)
      if (part[i - 1] == '\n') return begin + static_cast<int64_t>(i);
    end = begin;
  }
  return 0;
}

}  // namespace

EventWriter::EventWriter(std::string path, int64_t next_seq)
    : path_(std::move(path)), descriptor_(open_for_append(path_)), next_seq_(next_seq) {
  try {
    const int64_t end = end_of_last_line(descriptor_, path_);
    if (end != file_size(descriptor_, path_)) cut_file(descriptor_, path_, end);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

EventWriter::~EventWriter() { ::close(descriptor_); }

int64_t EventWriter::write(std::string_view kind, const json::Object& fields) {
  line_.clear();
  json::write_to(line_, json::Object{{"v", 1}, {"seq", next_seq_}, {"time", seconds_since_1970()}, {"kind", kind}});
  line_.pop_back();  // the closing brace: the fields follow in the same object
  for (const auto& [key, value] : fields) {
    line_.push_back(',');
    json::write_to(line_, key);
    line_.push_back(':');
    json::write_to(line_, value);
  }
  line_ += "}\n";
  append_record(descriptor_, path_, line_.data(), line_.size());
  return next_seq_++;
}

int64_t next_event_seq(const std::string& path) {
  if (!std::filesystem::exists(path)) return 0;
  const std::string text = read_file(path);
  // From the end: the last line that can be read has the largest number, since numbers only rise.
  for (size_t end = text.rfind('\n'); end != std::string::npos && end > 0;) {
    const size_t before = text.rfind('\n', end - 1);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    try {
      return json::parse(std::string_view(text).substr(begin, end - begin)).at("seq").integer() + 1;
    } catch (const Error&) {
      end = before;  // an unreadable line
    }
  }
  return 0;
}

}  // namespace ws::io
