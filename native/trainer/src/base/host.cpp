#include "base/host.hpp"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace ws {
namespace {

std::string first_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Field 22. The second field, the program's name in parentheses, may itself hold blanks and parentheses: count from the last ')'.
int64_t start_ticks() {
  const std::string line = first_line("/proc/self/stat");
  const size_t close = line.rfind(')');
  if (close == std::string::npos) return 0;
  std::istringstream fields(line.substr(close + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  int64_t ticks = 0;
  return fields >> ticks ? ticks : 0;
}

}  // namespace

ProcessIdentity process_identity() {
  ProcessIdentity out;
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0) out.host = name;
  out.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  out.pid = ::getpid();
  out.process_start = start_ticks();
  return out;
}

double seconds_since_1970() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

}  // namespace ws
