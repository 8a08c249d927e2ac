#include "base/log.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

namespace ws {
namespace {
int log_rank = 0;
}

void set_log_rank(int rank) { log_rank = rank; }

void log_line(std::string_view message) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const int milliseconds =
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char head[64];
  std::snprintf(head, sizeof head, "%02d:%02d:%02d.%03d [%d] ", parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds,
                log_rank);
  std::string line = head;
  line.append(message).push_back('\n');
  // A log line that cannot be written (disk full) must not end a run, so the result is looked at and passed over.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace ws
