// The record that the Python trainer printed and wrote to train_log.jsonl, with its keys: means of row means since the last one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "io/plan.hpp"
#include "train/row_record.hpp"

namespace ws {

class LogRecord {
 public:
  explicit LogRecord(const io::Plan& plan) : plan_(plan), sums_(plan.roles.size()), counts_(plan.roles.size()) {}

  void add(const RowRecord& row);

  struct Now {
    int64_t rows = 0, of = 0, epoch = 0;
    double lr = 0;       // of the next step
    double seconds = 0;  // since training began, over all segments
    int64_t tokens = 0;  // the same
    double gpu_gib = 0;
  };
  // The record, and starts anew.
  json::Object take(const Now& now);

  json::Value state() const;  // for the resume state
  void restore(const json::Value& state);

 private:
  const io::Plan& plan_;
  std::vector<double> sums_;
  std::vector<int64_t> counts_;  // by role
};

// Appends one line to PATH, flushed. Throws ws::Error (file_system).
void append_line(const std::string& path, const std::string& line);

// Cuts the records behind `rows` off: a resumed run writes them again. Lines that cannot be read stay.
void cut_log(const std::string& path, int64_t rows);

}  // namespace ws
