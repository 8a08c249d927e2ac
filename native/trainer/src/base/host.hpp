// Who this process is, in a way that stays true after it has ended: a process id alone may be somebody else's by then.
#pragma once
#include <cstdint>
#include <string>

namespace ws {

struct ProcessIdentity {
  std::string host;     // host name
  std::string boot_id;  // of this boot of the machine; "" where the system has none
  int64_t pid = 0;
  int64_t process_start = 0;  // clock ticks since boot (/proc/self/stat, field 22); 0 where unknown
};
ProcessIdentity process_identity();

double seconds_since_1970();

}  // namespace ws
