// `eval`: one evaluation set of a plan under an adapter, as JSON. Writes nothing to the run or its output folder.
#include <cstdio>

#include "base/error.hpp"
#include "commands/command.hpp"
#include "core/tensor_io.hpp"
#include "lora/files.hpp"
#include "train/evaluator.hpp"
#include "train/session.hpp"

namespace ws::commands {

// eval --plan plan.json --set NAME [--adapter FOLDER]. Without --adapter: the adapter as the plan begins with it.
int evaluate(Arguments arguments) {
  const Options options(arguments, {"plan", "set", "adapter"});
  const std::string set = options.at("set");
  io::Plan plan = io::read_plan(options.at("plan"));
  if (!plan.find_evaluation(set)) {
    std::string known;
    for (const io::PlanEvaluation& e : plan.evaluations) known += (known.empty() ? "" : ", ") + e.name;
    throw Error(Fault::plan, "arguments", plan.file + " has no evaluation \"" + set + "\"",
                "It has: " + (known.empty() ? "none" : known) + ".");
  }
  const std::unique_ptr<Session> session = open_session(std::move(plan));
  if (const auto folder = options.find("adapter")) {
    const at::ScalarType branch = session->adapters.trained().branch;
    session->adapters.trained() = load_adapter(*folder, "default", session->model->linears(), {}, false, session->device.device);
    session->adapters.trained().branch = branch;
  }
  Evaluator evaluator(session->plan, *session->reader, *session->pass, session->fields());
  json::Object answer = evaluator.run(set)->to_json();
  answer.set("adapter", options.find("adapter") ? json::Value(*options.find("adapter")) : json::Value());
  std::printf("%s\n", json::write(answer).c_str());
  return 0;
}

}  // namespace ws::commands
