#include "io/logprob_writer.hpp"

#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "io/append_file.hpp"

namespace ws::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");
struct Header {
  char magic[4] = {'W', 'S', 'L', 'P'};
  uint32_t version = 1;
};
struct RecordHead {
  uint32_t ordinal = 0;
  uint32_t count = 0;
};

// Where the last whole record ends.
int64_t end_of_last_record(int descriptor, const std::string& path, int64_t size) {
  int64_t at = sizeof(Header);
  for (;;) {
    RecordHead head;
    if (read_at(descriptor, path, &head, sizeof head, at) < sizeof head) return at;
    const int64_t next = at + static_cast<int64_t>(sizeof head) + int64_t{4} * head.count;
    if (next > size) return at;
    at = next;
  }
}

}  // namespace

LogprobWriter::LogprobWriter(std::string path) : path_(std::move(path)), descriptor_(open_for_append(path_)) {
  try {
    const int64_t size = file_size(descriptor_, path_);
    if (size < static_cast<int64_t>(sizeof(Header))) {  // new, or torn in its first write
      cut_file(descriptor_, path_, 0);
      const Header header;
      append_record(descriptor_, path_, &header, sizeof header);
      return;
    }
    Header found;
    const Header wanted;
    read_at(descriptor_, path_, &found, sizeof found, 0);
    if (std::memcmp(&found, &wanted, sizeof found) != 0)
      throw Error(Fault::data, "logprobs-invalid", path_ + " is no file of log-probabilities of version 1",
                  "Move it away, then start again.");
    const int64_t end = end_of_last_record(descriptor_, path_, size);
    if (end != size) cut_file(descriptor_, path_, end);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

LogprobWriter::~LogprobWriter() { ::close(descriptor_); }

void LogprobWriter::write(uint32_t ordinal, std::span<const float> log_probs) {
  const RecordHead head{ordinal, static_cast<uint32_t>(log_probs.size())};
  record_.resize(sizeof head + log_probs.size_bytes());
  std::memcpy(record_.data(), &head, sizeof head);
  if (!log_probs.empty()) std::memcpy(record_.data() + sizeof head, log_probs.data(), log_probs.size_bytes());
  append_record(descriptor_, path_, record_.data(), record_.size());
}

}  // namespace ws::io
