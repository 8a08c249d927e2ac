#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ws {

double Schedule::factor(int64_t step) const {
  if (kind == Kind::constant) return 1.0;
  const double s = static_cast<double>(step);
  const double warm = std::min(1.0, (s + 1) / static_cast<double>(warmup_steps));
  return warm * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, s / static_cast<double>(total_steps))));
}

}  // namespace ws
