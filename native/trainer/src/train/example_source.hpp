// Prepares the next forwards on a thread of its own, in their order and a few ahead, so that disk and decoding cost the device
// nothing.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "train/row_reader.hpp"

namespace ws {

class ExampleSource {
 public:
  // `reader` has to outlive it. At most `ahead` forwards wait, and no more than about `byte_limit` bytes of them (one always
  // may).
  ExampleSource(const RowReader& reader, std::vector<std::vector<Visit>> forwards, size_t ahead = 4,
                size_t byte_limit = size_t{1} << 30);
  ~ExampleSource();  // stops the thread; what waits is dropped
  ExampleSource(const ExampleSource&) = delete;
  ExampleSource& operator=(const ExampleSource&) = delete;

  // The next forward. What its preparation threw is thrown here, at its turn, so that all before it is still trained.
  PreparedForward next();

 private:
  struct Item {
    PreparedForward forward;
    std::exception_ptr fault;
    size_t bytes = 0;
  };
  void work();

  const RowReader& reader_;
  std::vector<std::vector<Visit>> forwards_;
  size_t ahead_, byte_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> ready_;
  size_t bytes_ = 0;
  size_t served_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ws
