// Seconds between marks on the device's own time line: a card works behind the host's back, so its marks are events in its stream
// and cost no wait. They are read after the one transfer that ends a forward.
#pragma once
#include <c10/core/Event.h>

#include <chrono>
#include <vector>

namespace ws {

class Stopwatch {
 public:
  explicit Stopwatch(c10::Device device);  // marks the start
  void mark();
  // Seconds between mark i and mark i + 1 (0 is the start). The device has to be done with mark i + 1.
  double seconds(size_t i) const;

 private:
  c10::Device device_;
  std::vector<std::chrono::steady_clock::time_point> times_;
  std::vector<c10::Event> events_;
};

}  // namespace ws
