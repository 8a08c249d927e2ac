// From a visit to what the model takes: ids, targets and pixels of a row. Runs on the loader's thread.
#pragma once
#include <memory>
#include <vector>

#include "core/segment.hpp"
#include "io/encoded_dataset.hpp"
#include "io/plan.hpp"
#include "train/course.hpp"

namespace ws {

using Datasets = std::vector<std::unique_ptr<io::EncodedDataset>>;

struct PreparedRow {
  Visit visit;
  io::Example example;  // views into the dataset; its name is the plan's
  RowInput input;
};

struct PreparedForward {
  std::vector<PreparedRow> rows;
  int64_t tokens() const;
  size_t bytes() const;  // of ids and pixels: what a queue of them holds
};

class RowReader {
 public:
  // Both have to outlive it.
  RowReader(const io::Plan& plan, const Datasets& datasets) : plan_(plan), datasets_(datasets) {}

  // Reads and checks the row and its images. Thread-safe. Throws ws::Error (data) that names the row.
  PreparedRow read(const Visit& visit) const;
  PreparedForward read(const std::vector<Visit>& visits) const;

 private:
  const io::Plan& plan_;
  const Datasets& datasets_;
};

}  // namespace ws
