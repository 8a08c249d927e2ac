// Lines for people on stderr: `12:03:44.120 [0] message`. The number is the rank. One write() a line, so ranks that share a file
// do not mix.
#pragma once
#include <string_view>

namespace ws {

void set_log_rank(int rank);  // before threads start
void log_line(std::string_view message);

}  // namespace ws
