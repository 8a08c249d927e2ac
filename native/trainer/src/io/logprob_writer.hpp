// Appends per-token log-probabilities to logprobs.rank<r>.bin (docs/formats/events.md): a header, then a record a visit.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ws::io {

class LogprobWriter {
 public:
  // Opens or makes the file; cuts a torn record at the end. Throws ws::Error (file_system; data when it is another kind of file).
  explicit LogprobWriter(std::string path);
  ~LogprobWriter();
  LogprobWriter(const LogprobWriter&) = delete;
  LogprobWriter& operator=(const LogprobWriter&) = delete;

  // One record, in one write(). `log_probs` in the order of the row's targets. Throws ws::Error (file_system).
  void write(uint32_t ordinal, std::span<const float> log_probs);

 private:
  std::string path_;
  int descriptor_ = -1;
  std::vector<std::byte> record_;
};

}  // namespace ws::io
