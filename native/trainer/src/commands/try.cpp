// `try`: the plan's longest rows, forward and backward on the real device: whether they fit, and how long they take. Writes
// nothing to the run or its output folder.
#include <chrono>
#include <cstdio>
#include <optional>

#include "commands/command.hpp"
#include "train/session.hpp"

namespace ws::commands {
namespace {

// The visit with the most tokens among those of a term; the first of them.
std::optional<Visit> longest(const Session& session, io::TermKind term) {
  std::optional<Visit> out;
  int64_t most = 0;
  for (const io::PlanPhase& phase : session.plan.phases)
    for (size_t i = 0; i < phase.order.size(); ++i) {
      if (session.plan.roles[static_cast<size_t>(phase.order.role[i])].term != term) continue;
      const auto row = static_cast<size_t>(phase.order.row[i]);
      const int64_t tokens =
          session.datasets[static_cast<size_t>(session.plan.rows.dataset[row])]->tokens(session.plan.rows.row[row]);
      if (tokens <= most) continue;
      most = tokens;
      out = Visit{static_cast<int64_t>(i), phase.order.step[i],  phase.order.row[i],
                  phase.order.role[i],     phase.order.epoch[i], phase.order.coefficient[i]};
    }
  return out;
}

double peak(at::Device device) { return device.is_cuda() ? device_peak_gib(device) : process_peak_gib(); }

}  // namespace

// try --plan plan.json. Each row runs once unmeasured (the first call of a kernel is slow), then once measured. On the CPU the
// peak is the whole process's so far.
int try_rows(Arguments arguments) {
  const Options options(arguments, {"plan"});
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<Session> session = open_session(io::read_plan(options.at("plan")));
  FlatParameters parameters = flatten(session->adapters.trained());
  const at::Device device = session->device.device;
  json::Array rows;
  double most = 0;
  for (const io::TermKind term : {io::TermKind::cross_entropy, io::TermKind::k3}) {
    const std::optional<Visit> visit = longest(*session, term);
    if (!visit) continue;
    const PreparedForward forward = session->reader->read(std::vector<Visit>{*visit});
    session->pass->train(forward);
    reset_device_peak(device);
    const ForwardOutcome outcome = session->pass->train(forward);
    const RowRecord& row = outcome.rows.at(0);
    most = std::max(most, peak(device));
    rows.push_back(json::Object{{"role", session->plan.roles[static_cast<size_t>(visit->role)].name},
                                {"name", forward.rows[0].example.name},
                                {"tokens", row.tokens},
                                {"targets", row.log_probs.size()},
                                {"forward_s", outcome.seconds.forward},
                                {"backward_s", outcome.seconds.backward},
                                {"reference_s", outcome.seconds.reference},
                                {"peak_gib", peak(device)}});
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const json::Object answer{{"device", json::Object{{"kind", device.is_cuda() ? "cuda" : "cpu"},
                                                    {"name", session->device.name},
                                                    {"memory_gib", session->device.memory_gib}}},
                            {"rows", std::move(rows)},
                            {"peak_gib", most},
                            {"seconds", seconds}};
  std::printf("%s\n", json::write(answer).c_str());
  return 0;
}

}  // namespace ws::commands
