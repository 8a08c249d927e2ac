#include "train/example_source.hpp"

#include <ATen/core/grad_mode.h>

#include <stdexcept>

namespace ws {

ExampleSource::ExampleSource(const RowReader& reader, std::vector<std::vector<Visit>> forwards, size_t ahead, size_t byte_limit)
    : reader_(reader), forwards_(std::move(forwards)), ahead_(ahead), byte_limit_(byte_limit), thread_([this] { work(); }) {}

ExampleSource::~ExampleSource() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ExampleSource::work() {
  at::NoGradGuard no_grad;
  for (const std::vector<Visit>& visits : forwards_) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ready_.empty() || (ready_.size() < ahead_ && bytes_ < byte_limit_); });
      if (stop_) return;
    }
    Item item;
    try {
      item.forward = reader_.read(visits);
      item.bytes = item.forward.bytes();
    } catch (...) {
      item.fault = std::current_exception();
    }
    const bool last = item.fault != nullptr;
    {
      const std::lock_guard lock(mutex_);
      bytes_ += item.bytes;
      ready_.push_back(std::move(item));
    }
    changed_.notify_all();
    if (last) return;
  }
}

PreparedForward ExampleSource::next() {
  std::unique_lock lock(mutex_);
  if (served_ == forwards_.size()) throw std::logic_error("the example source is at its end");
  changed_.wait(lock, [&] { return !ready_.empty(); });
  if (ready_.front().fault) std::rethrow_exception(ready_.front().fault);  // stays there: every later call throws it again
  Item item = std::move(ready_.front());
  ready_.pop_front();
  ++served_;
  bytes_ -= item.bytes;
  lock.unlock();
  changed_.notify_all();
  return std::move(item.forward);
}

}  // namespace ws
