#include "train/evaluator.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include "train/example_source.hpp"
#include "train/visit_error.hpp"

namespace ws {
namespace {

struct Moments {
  double mean = 0, error = 0;
};

// Mean and its standard error: NaN and 0 without values, 0 for a single one.
Moments moments_of(const std::vector<double>& values) {
  Moments out;
  const auto n = static_cast<double>(values.size());
  if (values.empty()) return {std::numeric_limits<double>::quiet_NaN(), 0};
  for (const double v : values) out.mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - out.mean) * (v - out.mean);
  if (values.size() > 1) out.error = std::sqrt(squares / (n - 1) / n);
  return out;
}

}  // namespace

std::optional<Evaluation> Evaluator::run(const std::string& name, const std::function<bool()>& stop) {
  const io::PlanEvaluation& set = *plan_.find_evaluation(name);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::vector<Visit>> missing;
  for (const int32_t row : set.rows)
    if (!known_.contains(row)) missing.push_back({Visit{.row = row, .role = kNoRole}});
  {
    ExampleSource source(reader_, missing);
    for (size_t i = 0; i < missing.size(); ++i) {
      if (stop()) return std::nullopt;
      const PreparedForward forward = source.next();
      RowRecord record = pass_.score(forward).rows.at(0);
      if (!std::isfinite(record.sum))
        throw VisitError(
            Fault::non_finite, "non-finite",
            "evaluation " + name + ": the loss of row " + forward.rows[0].example.name + " is not finite",
            "The weights have diverged or the model holds values that are not finite; checkpoints before this point are kept.",
            {});
      known_[record.visit.row] = std::move(record);
    }
  }
  Evaluation out = summary(set);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

Evaluation Evaluator::summary(const io::PlanEvaluation& set) const {
  Evaluation out;
  out.set = set.name;
  out.hash = set.hash;
  std::vector<double> means;
  std::map<int32_t, std::vector<double>> by_group;
  struct Field {
    double sum = 0;
    int64_t count = 0, exact = 0, rows = 0;
  };
  std::vector<Field> fields(fields_.size());
  for (const int32_t row : set.rows) {
    const RowRecord& record = known_.at(row);
    out.sums.push_back(record.sum);
    out.counts.push_back(static_cast<int64_t>(record.log_probs.size()));
    means.push_back(record.mean());
    if (const int32_t group = plan_.rows.group[static_cast<size_t>(row)]; group >= 0) by_group[group].push_back(record.mean());
    for (size_t f = 0; f < record.fields.size(); ++f) {
      fields[f].sum += record.fields[f].sum;
      fields[f].count += record.fields[f].count;
      fields[f].exact += record.fields[f].exact ? 1 : 0;
      fields[f].rows += record.fields[f].count > 0 ? 1 : 0;
    }
  }
  const Moments all = moments_of(means);
  out.n = static_cast<int64_t>(means.size());
  out.mean = all.mean;
  out.stderr_of_mean = all.error;
  for (const auto& [group, values] : by_group) {
    const Moments m = moments_of(values);
    out.groups.push_back(json::Object{
        {"name", plan_.groups[static_cast<size_t>(group)]}, {"n", values.size()}, {"mean", m.mean}, {"stderr", m.error}});
  }
  for (size_t f = 0; f < fields.size(); ++f)
    if (fields[f].rows > 0)
      out.fields.push_back(json::Object{{"name", fields_[f]},
                                        {"sum", fields[f].sum},
                                        {"count", fields[f].count},
                                        {"exact", fields[f].exact},
                                        {"rows", fields[f].rows}});
  return out;
}

json::Object Evaluation::to_json() const {
  return json::Object{
      {"set", set},         {"n", n},           {"mean", mean},     {"stderr", stderr_of_mean}, {"hash", hash},
      {"seconds", seconds}, {"groups", groups}, {"fields", fields}, {"sums", json::list(sums)}, {"counts", json::list(counts)}};
}

}  // namespace ws
