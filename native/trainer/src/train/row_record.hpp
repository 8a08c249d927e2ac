// What is kept of one row visit: sums and counts, before any coefficient, so that every mean can be made from them later.
#pragma once
#include <cstdint>
#include <vector>

#include "base/json.hpp"
#include "train/course.hpp"

namespace ws {

struct FieldScore {
  double sum = 0;  // of -log p
  int64_t count = 0;
  bool exact = false;  // every target of the field is the argmax; false without targets
};

struct RowRecord {
  Visit visit;
  int64_t tokens = 0;
  double sum = 0;     // of weight * term
  double weight = 0;  // of the weights
  int64_t clamped = 0;
  std::vector<FieldScore> fields;  // as the dataset names them; empty without a field column
  std::vector<float> log_probs;    // of the targets, in their order

  double mean() const { return weight == 0 ? 0 : sum / weight; }
  json::Object to_json() const;  // a visit of the step event
};

}  // namespace ws
