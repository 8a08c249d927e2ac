// `probe`: single visits of a plan through the training path, each by itself: log-probabilities, the term, and the gradient of
// every LoRA tensor, for comparing with another implementation. No dropout, no optimizer; the run and its output are not touched.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "commands/command.hpp"
#include "core/tensor_io.hpp"
#include "lora/files.hpp"
#include "train/session.hpp"

namespace ws::commands {
namespace {

std::vector<int64_t> parse_visits(const std::string& text, int64_t count) {
  std::vector<int64_t> out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (stop != end && *stop != ',') || value < 0 || value >= count)
      throw Error(Fault::plan, "arguments", "--visits cannot be \"" + text + "\"",
                  "Ordinals of the plan, 0 to " + std::to_string(count - 1) + ", with commas between them.");
    out.push_back(value);
    at = stop == end ? end : stop + 1;
  }
  return out;
}

Visit visit_at(const io::Plan& plan, int64_t ordinal) {
  int64_t first = 0;
  for (const io::PlanPhase& phase : plan.phases) {
    const auto i = static_cast<size_t>(ordinal - first);
    if (i < phase.order.size())
      // Coefficient 1: the gradient of the term's sum itself.
      return {ordinal, phase.order.step[i], phase.order.row[i], phase.order.role[i], phase.order.epoch[i], 1.0};
    first += static_cast<int64_t>(phase.order.size());
  }
  throw Error(Fault::plan, "arguments", "the plan has no visit " + std::to_string(ordinal), "");
}

}  // namespace

// probe --plan plan.json --visits 0,3,17 --out FOLDER [--adapter FOLDER]. Writes FOLDER/visit-<ordinal>.safetensors, one after
// the other: `log_probs` fp32 [targets], and `gradient.<PEFT's key>` fp32 of sum over targets of weight * term. Prints a JSON
// line a visit: ordinal, name, role, tokens, sum, weight. Without --adapter: the adapter as the plan begins with it (whose B is
// 0).
int probe(Arguments arguments) {
  const Options options(arguments, {"plan", "visits", "out", "adapter"});
  const std::string out = options.at("out");
  io::Plan plan = io::read_plan(options.at("plan"));
  const std::vector<int64_t> ordinals = parse_visits(options.at("visits"), plan.visits());
  for (io::PlanAdapter& adapter : plan.adapters) adapter.dropout = 0;
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<Session> session = open_session(std::move(plan));
  synchronize(session->device.device);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%s\n", json::write(json::Object{{"loaded_s", seconds}, {"device", session->device.name}}).c_str());
  if (const auto folder = options.find("adapter")) {
    Adapter& trained = session->adapters.trained();
    const at::ScalarType branch = trained.branch;
    trained = load_adapter(*folder, "default", session->model->linears(), {}, true, session->device.device);
    trained.branch = branch;
  }
  FlatParameters parameters = flatten(session->adapters.trained());
  for (const int64_t ordinal : ordinals) {
    parameters.zero_gradients();
    const PreparedForward forward = session->reader->read(std::vector<Visit>{visit_at(session->plan, ordinal)});
    const ForwardOutcome outcome = session->pass->train(forward);
    const RowRecord& row = outcome.rows.at(0);
    const at::Tensor log_probs = at::tensor(row.log_probs);
    std::map<std::string, io::TensorRef> tensors{{"log_probs", ref_of(log_probs)}};
    std::vector<at::Tensor> alive;
    for (const auto& [key, value] : parameters.parts(parameters.gradients().to(at::kCPU))) {
      alive.push_back(value.contiguous());
      tensors["gradient." + key] = ref_of(alive.back());
    }
    io::write_safetensors(out + "/visit-" + std::to_string(ordinal) + ".safetensors", tensors);
    const json::Object line{{"ordinal", ordinal},
                            {"name", forward.rows[0].example.name},
                            {"role", session->plan.roles[static_cast<size_t>(row.visit.role)].name},
                            {"tokens", row.tokens},
                            {"sum", row.sum},
                            {"weight", row.weight}};
    std::printf("%s\n", json::write(line).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace ws::commands
