// Held-out rows under the trained adapter: no dropout, no graph. The figure is the mean over rows of the mean of -log p over all
// of a row's targets, whatever the roles weigh.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "io/plan.hpp"
#include "train/forward_pass.hpp"

namespace ws {

struct Evaluation {
  std::string set, hash;
  int64_t n = 0;
  double mean = 0, stderr_of_mean = 0, seconds = 0;
  json::Object to_json() const;  // the keys of the `evaluation` event without rows and checkpoint
  json::Array groups, fields;
  std::vector<double> sums;
  std::vector<int64_t> counts;
};

class Evaluator {
 public:
  // All have to outlive it. `fields`: the datasets' names of them.
  Evaluator(const io::Plan& plan, const RowReader& reader, const ForwardPass& pass, const std::vector<std::string>& fields)
      : plan_(plan), reader_(reader), pass_(pass), fields_(fields) {}

  // Nothing when `stop` says so between two rows. Rows that were scored since the last forget() are not run again. Throws
  // VisitError (non_finite) that names a row whose log-probability is not finite.
  std::optional<Evaluation> run(
      const std::string& set, const std::function<bool()>& stop = [] { return false; });
  void forget() { known_.clear(); }  // the weights have changed

 private:
  Evaluation summary(const io::PlanEvaluation& set) const;

  const io::Plan& plan_;
  const RowReader& reader_;
  const ForwardPass& pass_;
  const std::vector<std::string>& fields_;
  std::map<int32_t, RowRecord> known_;  // by plan row
};

}  // namespace ws
