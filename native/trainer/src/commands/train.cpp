// `train`: one run of a plan, from its first event to its last. Whatever ends it, the last event says how.
#include <c10/util/Exception.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/read_file.hpp"
#include "commands/command.hpp"
#include "train/checkpointer.hpp"
#include "train/loop.hpp"
#include "train/signals.hpp"
#include "train/visit_error.hpp"

namespace ws::commands {
namespace {

constexpr int kStopped = 10;  // exit status after a first SIGINT or SIGTERM

struct History {
  int64_t segments = 0;
  bool finished = false;
};

// What the run folder's events say about earlier segments. Throws when they are another plan's.
History history_of(const std::string& path, const io::Plan& plan) {
  History out;
  const std::string text = read_file(path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.find("\"kind\":\"finished\"") != std::string_view::npos) out.finished = true;
    if (line.find("\"kind\":\"started\"") == std::string_view::npos) continue;
    ++out.segments;
    try {
      if (json::parse(line).at("plan_sha256").string() == plan.sha256) continue;
    } catch (const Error&) {
      continue;  // a damaged line
    }
    throw Error(Fault::plan, "resume-other-plan", path + " was written by another plan than " + plan.file,
                "A run goes on with the plan that it began with. Start this plan in a folder of its own.");
  }
  return out;
}

void write_failed(io::EventWriter& events, const Error& e) {
  std::vector<int64_t> visits;
  if (const auto* named = dynamic_cast<const VisitError*>(&e)) visits = named->visits();
  try {
    events.write("failed", {{"code", e.code()}, {"message", e.what()}, {"hint", e.hint()}, {"visits", json::list(visits)}});
  } catch (const std::exception& second) {
    log_line(std::string("the failure could not be written to the events: ") + second.what());
  }
}

Error internal(const std::string& what) {
  return Error(Fault::internal, "internal", what,
               "This is a fault of the trainer itself; please report it with the plan and its events.");
}

// Every exception as an Error.
template <class F>
auto as_errors(F f) {
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const c10::OutOfMemoryError& e) {
    throw Error(Fault::device, "out-of-memory", std::string("memory ran out: ") + e.what_without_backtrace(),
                "Use a card with more memory, or a smaller model.");
  } catch (const c10::Error& e) {
    throw internal(e.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    throw Error(Fault::device, "out-of-memory", "the machine's memory ran out",
                "Close other programs, or use a machine with more memory.");
  } catch (const std::exception& e) {
    throw internal(e.what());
  }
}

TrainResult run(io::Plan plan, bool resume, int64_t segment, io::EventWriter& events) {
  events.write("phase", {{"name", "loading"}});
  const std::unique_ptr<Session> session = open_session(std::move(plan));
  log_line("training on " + session->device.name + ", " + std::to_string(session->plan.visits()) + " rows");
  SingleProcess alone;
  Trainer trainer(*session, alone, events, {.resume = resume, .stop = stop_requested, .print = [](const std::string& line) {
                                              std::printf("%s\n", line.c_str());
                                              std::fflush(stdout);
                                            }});
  return trainer.run(segment);
}

}  // namespace

// train --plan plan.json [--resume]. Exit status: 0 finished, 10 stopped by a signal, else the fault's.
int train(Arguments arguments) {
  const Options options(arguments, {"plan"}, {"resume"});
  const bool resume = options.flag("resume");
  watch_signals();
  io::Plan plan = io::read_plan(options.at("plan"));
  const std::string path = plan.folder + "/events.jsonl";
  History history;
  if (std::filesystem::exists(path)) {
    if (!resume)
      throw Error(Fault::file_system, "run-exists", "the run folder " + plan.folder + " holds a run: events.jsonl is there",
                  "Use --resume to go on with it, or put the plan into a folder of its own.");
    history = history_of(path, plan);
    if (history.finished)
      throw Error(Fault::plan, "run-finished", "the run in " + plan.folder + " has finished; there is nothing to go on with",
                  "Its adapter is in " + plan.output.folder + ".");
  }
  check_output_folder(plan, history.segments > 0);
  io::EventWriter events(path, io::next_event_seq(path));
  try {
    const TrainResult result = as_errors([&] { return run(std::move(plan), resume, history.segments, events); });
    char text[160];
    std::snprintf(text, sizeof text, "%lld steps; a step event took %.3f ms, at most %.3f ms",
                  static_cast<long long>(result.steps), result.event_ms, result.event_ms_max);
    log_line(text);
    return result.stopped ? kStopped : 0;
  } catch (const Error& e) {
    write_failed(events, e);
    throw;
  }
}

}  // namespace ws::commands
