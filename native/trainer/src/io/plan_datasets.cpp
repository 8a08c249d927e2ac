// The checks of a plan that need its datasets.
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "io/plan.hpp"

namespace ws::io {
namespace {

[[noreturn]] void invalid(const std::string& what, const std::string& hint) {
  throw Error(Fault::plan, "plan-invalid", what, hint);
}

constexpr const char* kEncodeAgain = "Encode the rows again with one model, then make the plan again.";

void check_agreement(const EncodedDataset& first, const EncodedDataset& other) {
  const Processor &a = first.processor(), &b = other.processor();
  const auto differ = [&](const char* what) {
    invalid(other.path() + " and " + first.path() + " differ in " + what, kEncodeAgain);
  };
  if (a.id != b.id) differ("their processor (id)");
  if (a.vocab != b.vocab || a.image_token != b.image_token || a.image != b.image)
    differ("their processor, though its id is the same");
  if (first.fields() != other.fields()) differ("the names of their fields");
}

}  // namespace

std::vector<std::unique_ptr<EncodedDataset>> open_datasets(const Plan& plan) {
  std::vector<std::unique_ptr<EncodedDataset>> datasets;
  for (const std::string& path : plan.datasets) {
    datasets.push_back(std::make_unique<EncodedDataset>(path));
    check_agreement(*datasets.front(), *datasets.back());
  }
  for (size_t i = 0; i < plan.rows.size(); ++i) {
    const EncodedDataset& dataset = *datasets[static_cast<size_t>(plan.rows.dataset[i])];
    if (plan.rows.row[i] >= dataset.rows())
      invalid(plan.file + ": rows.row[" + std::to_string(i) + "] is " + std::to_string(plan.rows.row[i]) + ", but " +
                  dataset.path() + " has " + std::to_string(dataset.rows()) + " rows",
              "The dataset was encoded again since: make the plan again.");
  }
  std::set<std::pair<int32_t, int32_t>> pairs;  // which role meets which dataset
  for (const PlanPhase& phase : plan.phases)
    for (size_t i = 0; i < phase.order.size(); ++i)
      pairs.emplace(phase.order.role[i], plan.rows.dataset[static_cast<size_t>(phase.order.row[i])]);
  for (const auto& [r, d] : pairs) {
    const PlanRole& role = plan.roles[static_cast<size_t>(r)];
    const EncodedDataset& dataset = *datasets[static_cast<size_t>(d)];
    if (role.weights && !dataset.has_column(*role.weights))
      invalid(plan.file + ": roles[" + std::to_string(r) + "].weights is \"" + *role.weights + "\", but " + dataset.path() +
                  " has no such column",
              "Encode the rows with that column, or name another one.");
  }
  return datasets;
}

}  // namespace ws::io
