// The plan's order as this rank walks it: forwards one after the other, and the points between them at which something is saved
// or evaluated. Ordinals, steps and points count over all phases.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/plan.hpp"

namespace ws {

constexpr int32_t kNoRole = -1;  // of an evaluation's rows

struct Visit {
  int64_t ordinal = 0;
  int64_t step = 0;
  int32_t row = 0;  // of the plan
  int32_t role = 0;
  int32_t epoch = 0;
  double coefficient = 0;
};

struct Forward {
  std::vector<Visit> visits;  // packed into one segment
  int64_t rows_after = 0;     // visits that are done once this one is
  bool ends_step = false;     // the optimizer steps after it
};

struct ActionPoint {
  int64_t after_rows = 0;
  std::optional<std::string> save;
  bool final = false;  // the end of the plan: its save goes into the output folder itself
  std::vector<std::string> evaluate;
};

struct Course {
  std::vector<Forward> forwards;
  std::vector<ActionPoint> actions;  // ascending
  int64_t visits = 0;
  int64_t steps = 0;
};

// Throws ws::Error (plan, "plan-invalid") when an action falls inside a forward.
Course course_of(const io::Plan& plan, int64_t rank);

}  // namespace ws
