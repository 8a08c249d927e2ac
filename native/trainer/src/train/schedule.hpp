// The learning rate's factor as a function of the 0-based optimizer step. A pure function: the step that is logged, the one that
// is taken and the one after a resume cannot disagree.
#pragma once
#include <cstdint>

namespace ws {

struct Schedule {
  enum class Kind { constant, warmup_cosine };
  Kind kind = Kind::constant;
  int64_t warmup_steps = 1, total_steps = 1;

  // constant: 1. warmup_cosine: min(1, (step + 1) / warmup) * 0.5 * (1 + cos(pi * min(1, step / total))).
  double factor(int64_t step) const;
};

}  // namespace ws
