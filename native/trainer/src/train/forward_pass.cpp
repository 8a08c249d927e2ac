#include "train/forward_pass.hpp"

#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "terms/terms.hpp"
#include "train/stopwatch.hpp"
#include "train/visit_error.hpp"

namespace ws {
namespace {

std::string names_of(const PreparedForward& forward) {
  std::string out;
  for (const PreparedRow& row : forward.rows)
    out += (out.empty() ? "" : ", ") + row.example.name + " (" + std::to_string(row.input.ids.size()) + " tokens)";
  return out;
}

// Turns the ways in which memory runs out into one Error that names the rows.
template <class F>
auto with_memory_fault(const PreparedForward& forward, const Model& model, F run) {
  std::string why;
  try {
    return run();
  } catch (const c10::OutOfMemoryError& e) {
    why = e.what_without_backtrace();
  } catch (const c10::Error& e) {
    why = e.what_without_backtrace();
    if (why.find("can't allocate memory") == std::string::npos) throw;
  } catch (const std::bad_alloc&) {
    why = "the allocation failed";
  }
  std::vector<int64_t> ordinals;
  for (const PreparedRow& row : forward.rows)
    if (row.visit.role != kNoRole) ordinals.push_back(row.visit.ordinal);
  const std::string where = model.info().device.is_cuda() ? "GPU memory" : "memory";
  throw VisitError(Fault::device, "out-of-memory",
                   where + " ran out at " + names_of(forward) + ": " + why.substr(0, why.find('\n')),
                   "Switch execution.recompute on, pack fewer rows into a forward, leave the longest rows out, or use a card "
                   "with more memory. "
                   "`whetstone-trainer try` measures the longest rows beforehand.",
                   std::move(ordinals));
}

}  // namespace

// The targets of all rows, packed one row after the other.
struct ForwardPass::Batch {
  Segment segment;
  at::Tensor positions, targets;    // int64 [n], on the device
  at::Tensor weights;               // fp32 [n], on the device
  std::vector<int64_t> offsets{0};  // [rows + 1] into the targets
  int64_t count(size_t row) const { return offsets[row + 1] - offsets[row]; }
};

ForwardPass::ForwardPass(const io::Plan& plan, const Model& model, const AdapterSet& adapters, size_t fields)
    : plan_(plan), model_(model), adapters_(adapters), fields_(fields) {}

const io::PlanRole& ForwardPass::role_of(const PreparedRow& row) const {
  return plan_.roles[static_cast<size_t>(row.visit.role)];
}

const io::ColumnView* ForwardPass::weights_of(const PreparedRow& row) const {
  if (row.visit.role == kNoRole || !role_of(row).weights) return nullptr;
  return &row.example.column(*role_of(row).weights);
}

ForwardPass::Batch ForwardPass::batch_of(const PreparedForward& forward) const {
  Batch out;
  std::vector<RowInput> inputs;
  std::vector<int64_t> positions, targets;
  std::vector<float> weights;
  for (const PreparedRow& row : forward.rows) inputs.push_back(row.input);
  out.segment = model_.pack(inputs);
  for (size_t r = 0; r < forward.rows.size(); ++r) {
    const io::Example& example = forward.rows[r].example;
    const int64_t start = out.segment.start(static_cast<int64_t>(r));
    for (const int32_t p : example.target_positions) positions.push_back(start + p);
    targets.insert(targets.end(), example.target_ids.begin(), example.target_ids.end());
    const io::ColumnView* view = weights_of(forward.rows[r]);
    for (size_t i = 0; i < example.target_ids.size(); ++i) weights.push_back(view ? (*view)[i] : 1.0f);
    out.offsets.push_back(static_cast<int64_t>(targets.size()));
  }
  const at::Device device = model_.info().device;
  out.positions = at::tensor(positions, at::kLong).to(device);
  out.targets = at::tensor(targets, at::kLong).to(device);
  out.weights = at::tensor(weights, at::kFloat).to(device);
  return out;
}

// fp32 [n]: log-probabilities under each row's reference, 0 for rows whose term has none; undefined when no row has one.
at::Tensor ForwardPass::reference_log_probs(const PreparedForward& forward, const Batch& batch) const {
  struct Group {
    const Adapter* adapter;
    std::vector<size_t> rows;
  };
  std::vector<Group> groups;
  for (size_t r = 0; r < forward.rows.size(); ++r) {
    const io::PlanRole& role = role_of(forward.rows[r]);
    if (role.term != io::TermKind::k3) continue;
    const Adapter* adapter = role.reference ? &adapters_.at(*role.reference) : nullptr;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.adapter == adapter; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{adapter, {}});
    group->rows.push_back(r);
  }
  if (groups.empty()) return {};
  at::NoGradGuard no_grad;
  const auto score = [&](const Batch& part, const Adapter* adapter) {
    const at::Tensor hidden = model_.forward(part.segment, {.adapter = adapter, .dropout = {}});
    return score_targets(model_.logits(hidden, part.positions), part.targets).log_probs.to(at::kFloat);
  };
  if (groups.size() == 1 && groups[0].rows.size() == forward.rows.size()) return score(batch, groups[0].adapter);
  const at::Tensor out = at::zeros_like(batch.weights);
  for (const Group& group : groups) {
    PreparedForward some;
    for (const size_t r : group.rows) some.rows.push_back(forward.rows[r]);
    const at::Tensor scores = score(batch_of(some), group.adapter);
    int64_t at = 0;
    for (const size_t r : group.rows) {
      out.narrow(0, batch.offsets[r], batch.count(r)).copy_(scores.narrow(0, at, batch.count(r)));
      at += batch.count(r);
    }
  }
  return out;
}

// On the host, in double: at small differences k3 in fp32 is mostly cancellation (exp(d) - d - 1).
RowRecord ForwardPass::record_of(const PreparedRow& row, const float* log_probs, const float* best,
                                 const float* reference) const {
  RowRecord out;
  out.visit = row.visit;
  out.tokens = static_cast<int64_t>(row.input.ids.size());
  const size_t n = row.example.target_ids.size();
  out.log_probs.assign(log_probs, log_probs + n);
  const io::ColumnView* weights = weights_of(row);
  const io::ColumnView* field = fields_ ? row.example.find_column("field") : nullptr;
  if (field) out.fields.resize(fields_);
  for (size_t i = 0; i < n; ++i) {
    const double weight = weights ? static_cast<double>((*weights)[i]) : 1.0;
    const double lp = static_cast<double>(log_probs[i]);
    out.weight += weight;
    if (reference) {
      const double raw = static_cast<double>(reference[i]) - lp;
      const auto& clamp = role_of(row).clamp;
      const double d = std::isnan(raw) ? raw : std::clamp(raw, clamp[0], clamp[1]);
      out.clamped += d != raw && weight != 0;
      out.sum += weight * (std::expm1(d) - d);
    } else {
      out.sum += weight * -lp;
    }
    if (!field) continue;
    const auto place = static_cast<size_t>((*field)[i]);
    if (place >= fields_)
      throw Error(Fault::data, "dataset-invalid",
                  row.example.name + ": column.field holds " + std::to_string(place) + ", but only " + std::to_string(fields_) +
                      " fields have a name");
    FieldScore& f = out.fields[place];
    f.exact = (f.count == 0 || f.exact) && best[i] != 0;
    f.sum -= lp;
    ++f.count;
  }
  return out;
}

ForwardOutcome ForwardPass::train(const PreparedForward& forward) const {
  return with_memory_fault(forward, model_, [&] {
    const io::PlanAdapter& settings = *plan_.find_adapter("default");
    Stopwatch watch(model_.info().device);
    const Batch batch = batch_of(forward);
    watch.mark();
    const at::Tensor reference = reference_log_probs(forward, batch);
    watch.mark();
    const at::Tensor hidden = model_.forward(batch.segment, {.adapter = &adapters_.trained(),
                                                             .dropout = {settings.dropout, plan_.execution.dropout_seed},
                                                             .recompute = plan_.execution.recompute});
    const TargetScores scores = score_targets(model_.logits(hidden, batch.positions), batch.targets);
    at::Tensor loss;
    for (size_t r = 0; r < forward.rows.size(); ++r) {
      const io::PlanRole& role = role_of(forward.rows[r]);
      const auto part = [&](const at::Tensor& t) { return t.narrow(0, batch.offsets[r], batch.count(r)); };
      const at::Tensor term =
          role.term == io::TermKind::cross_entropy
              ? cross_entropy(part(scores.log_probs), part(batch.weights))
              : k3(part(scores.log_probs), part(reference), part(batch.weights), role.clamp[0], role.clamp[1]).sum;
      const at::Tensor weighted = term * forward.rows[r].visit.coefficient;
      loss = loss.defined() ? loss + weighted : weighted;
    }
    watch.mark();
    torch::autograd::backward({loss}, {});
    watch.mark();

    std::vector<at::Tensor> numbers{scores.log_probs.detach().to(at::kFloat), scores.best.to(at::kFloat)};
    if (reference.defined()) numbers.push_back(reference);
    const at::Tensor host = at::stack(numbers).to(at::kCPU);  // the only wait
    ForwardOutcome out;
    for (size_t r = 0; r < forward.rows.size(); ++r) {
      const auto column = [&](int64_t i) { return host[i].const_data_ptr<float>() + batch.offsets[r]; };
      const bool compared = role_of(forward.rows[r]).term == io::TermKind::k3;
      out.rows.push_back(record_of(forward.rows[r], column(0), column(1), compared ? column(2) : nullptr));
    }
    out.seconds = {watch.seconds(0) + watch.seconds(2), watch.seconds(3), watch.seconds(1)};
    return out;
  });
}

ForwardOutcome ForwardPass::score(const PreparedForward& forward) const {
  return with_memory_fault(forward, model_, [&] {
    at::NoGradGuard no_grad;
    Stopwatch watch(model_.info().device);
    const Batch batch = batch_of(forward);
    const at::Tensor hidden = model_.forward(batch.segment, {.adapter = &adapters_.trained(), .dropout = {}});
    const TargetScores scores = score_targets(model_.logits(hidden, batch.positions), batch.targets);
    watch.mark();
    const at::Tensor host = at::stack({scores.log_probs.to(at::kFloat), scores.best.to(at::kFloat)}).to(at::kCPU);
    ForwardOutcome out;
    for (size_t r = 0; r < forward.rows.size(); ++r)
      out.rows.push_back(record_of(forward.rows[r], host[0].const_data_ptr<float>() + batch.offsets[r],
                                   host[1].const_data_ptr<float>() + batch.offsets[r], nullptr));
    out.seconds.forward = watch.seconds(0);
    return out;
  });
}

}  // namespace ws
