#include "train/stopwatch.hpp"

#include <ATen/DeviceAccelerator.h>

namespace ws {

Stopwatch::Stopwatch(c10::Device device) : device_(device) { mark(); }

void Stopwatch::mark() {
  if (device_.is_cpu()) {
    times_.push_back(std::chrono::steady_clock::now());
    return;
  }
  events_.emplace_back(device_.type(), c10::EventFlag::BACKEND_DEFAULT);  // this flag keeps times
  events_.back().record(at::accelerator::getCurrentStream(device_.index()));
}

double Stopwatch::seconds(size_t i) const {
  if (device_.is_cpu()) return std::chrono::duration<double>(times_[i + 1] - times_[i]).count();
  return events_[i].elapsedTime(events_[i + 1]) / 1000.0;
}

}  // namespace ws
