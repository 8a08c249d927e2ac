#include "train/loop.hpp"

#include <torch/version.h>

#include <algorithm>
#include <cmath>

#include "base/host.hpp"
#include "base/log.hpp"
#include "io/atomic_file.hpp"
#include "train/checkpointer.hpp"
#include "train/clip.hpp"
#include "train/example_source.hpp"
#include "train/visit_error.hpp"

#ifndef WHETSTONE_VERSION
#define WHETSTONE_VERSION "0.1.0"
#endif

namespace ws {
namespace {

AdamWSettings settings_of(const io::PlanOptimizer& o) { return {o.betas[0], o.betas[1], o.eps, o.weight_decay}; }

Schedule schedule_of(const io::PlanSchedule& s) {
  const auto kind = s.kind == io::PlanSchedule::Kind::constant ? Schedule::Kind::constant : Schedule::Kind::warmup_cosine;
  return {kind, s.warmup_steps, s.total_steps};
}

std::string number_text(double v) { return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"; }  // of a number that is not finite

}  // namespace

json::Object Trainer::StepSeconds::to_json() const {
  return json::Object{
      {"forward", forward}, {"backward", backward}, {"reference", reference}, {"optimizer", optimizer}, {"other", other}};
}

Trainer::Trainer(Session& session, Collective& collective, io::EventWriter& events, const TrainOptions& options)
    : session_(session),
      plan_(session.plan),
      collective_(collective),
      events_(events),
      options_(options),
      course_(course_of(session.plan, collective.rank())),
      parameters_(flatten(session.adapters.trained())),
      optimizer_(parameters_.values(), settings_of(session.plan.optimizer)),
      schedule_(schedule_of(session.plan.schedule)),
      evaluator_(session.plan, *session.reader, *session.pass, session.fields()),
      log_(session.plan) {}

double Trainer::seconds_so_far() const {
  return seconds_before_ + std::chrono::duration<double>(Clock::now() - started_).count();
}
double Trainer::learning_rate(int64_t step) const { return plan_.optimizer.lr * schedule_.factor(step); }
void Trainer::phase(const char* name) { events_.write("phase", {{"name", name}}); }

// The time since the last mark that the device's own marks do not explain is `other`.
void Trainer::count_step_time() {
  const auto now = Clock::now();
  const double wall = std::chrono::duration<double>(now - mark_).count();
  mark_ = now;
  seconds_.other += wall;  // what is known to be something else is taken off where it is counted
}

template <class F>
void Trainer::aside(F f) {
  count_step_time();
  f();
  mark_ = Clock::now();
}

void Trainer::begin(int64_t segment) {
  segment_ = segment;
  if (options_.resume) {
    if (auto state = load_resume_state(plan_, parameters_, optimizer_)) {
      progress_ = std::move(*state);
      seconds_before_ = progress_.seconds;
      log_.restore(progress_.log);
      const json::Value saved = progress_.pending_seconds;
      seconds_ = {saved.at("forward").number(), saved.at("backward").number(), saved.at("reference").number(),
                  saved.at("optimizer").number(), saved.at("other").number()};
    }
  }
  io::make_folders(plan_.output.folder);
  if (options_.resume && plan_.output.log) cut_log(plan_.output.folder + "/" + plan_.output.log->file, progress_.rows);
  logprobs_ = std::make_unique<io::LogprobWriter>(plan_.folder + "/logprobs.rank" + std::to_string(collective_.rank()) + ".bin");

  const ProcessIdentity self = process_identity();
  events_.write("started", {{"segment", segment},
                            {"from_rows", progress_.rows},
                            {"from_step", progress_.optimizer_steps},
                            {"host", self.host},
                            {"boot_id", self.boot_id},
                            {"pid", self.pid},
                            {"process_start", self.process_start},
                            {"plan_sha256", plan_.sha256},
                            {"trainer", WHETSTONE_VERSION},
                            {"torch", TORCH_VERSION},
                            {"device", json::Object{{"kind", session_.device.device.is_cuda() ? "cuda" : "cpu"},
                                                    {"name", session_.device.name},
                                                    {"memory_gib", session_.device.memory_gib}}},
                            {"threads", plan_.execution.threads},
                            {"ranks", collective_.size()},
                            {"rows", course_.visits},
                            {"steps", course_.steps},
                            {"trainable", parameters_.total()}});
  const bool final_save =
      std::any_of(course_.actions.begin(), course_.actions.end(), [](const ActionPoint& p) { return p.final && p.save; });
  if (!final_save) events_.write("warning", {{"code", "no-final-save"}, {"message", "the plan saves no adapter at its end"}});
}

TrainResult Trainer::run(int64_t segment) {
  begin(segment);
  phase("training");
  started_ = mark_ = last_resume_ = Clock::now();
  std::vector<std::vector<Visit>> ahead;
  for (size_t i = static_cast<size_t>(progress_.forwards); i < course_.forwards.size(); ++i)
    ahead.push_back(course_.forwards[i].visits);
  ExampleSource source(*session_.reader, std::move(ahead));

  for (;;) {
    const bool stopped = !run_actions();
    if (!stopped && progress_.log_due) write_log();
    if (stopped || options_.stop()) {
      const std::string folder = save_resume();
      events_.write("stopped", {{"rows", progress_.rows}, {"seconds", seconds_so_far()}, {"resume", folder}});
      log_line("stopped after " + std::to_string(progress_.rows) + " of " + std::to_string(course_.visits) +
               " rows; resume state: " + folder);
      result_.stopped = true;
      break;
    }
    if (progress_.forwards == static_cast<int64_t>(course_.forwards.size())) break;
    if (std::chrono::duration<double>(Clock::now() - last_resume_).count() >= plan_.execution.resume_every_seconds)
      aside([&] { save_resume(); });
    const Forward& forward = course_.forwards[static_cast<size_t>(progress_.forwards)];
    train_forward(forward, source.next());
    if (forward.ends_step) optimizer_step(forward);
    count_step_time();
  }
  if (!result_.stopped) {
    write_meta();
    events_.write("finished", {{"rows", progress_.rows}, {"seconds", seconds_so_far()}, {"folder", plan_.output.folder}});
    log_line("finished: " + std::to_string(progress_.rows) + " rows; adapter in " + plan_.output.folder);
  }
  result_.rows = progress_.rows;
  if (result_.steps) result_.event_ms /= static_cast<double>(result_.steps);
  return result_;
}

void Trainer::train_forward(const Forward& forward, const PreparedForward& prepared) {
  const ForwardOutcome outcome = session_.pass->train(prepared);
  check_finite(outcome, prepared);
  seconds_.forward += outcome.seconds.forward;
  seconds_.backward += outcome.seconds.backward;
  seconds_.reference += outcome.seconds.reference;
  seconds_.other -= outcome.seconds.forward + outcome.seconds.backward + outcome.seconds.reference;
  for (const RowRecord& row : outcome.rows) {
    log_.add(row);
    logprobs_->write(static_cast<uint32_t>(row.visit.ordinal), row.log_probs);
    progress_.pending.push_back(row.to_json());
    progress_.pending_tokens += row.tokens;
    progress_.tokens += row.tokens;
  }
  const int64_t before = progress_.rows;
  progress_.rows = forward.rows_after;
  ++progress_.forwards;
  evaluated_.clear();
  if (plan_.output.log) {
    const int64_t every = plan_.output.log->every_rows;
    progress_.log_due = progress_.log_due || progress_.rows / every > before / every || progress_.rows == course_.visits;
  }
}

void Trainer::check_finite(const ForwardOutcome& outcome, const PreparedForward& prepared) const {
  std::string names;
  std::vector<int64_t> visits;
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    const RowRecord& row = outcome.rows[i];
    if (std::isfinite(row.sum)) continue;
    visits.push_back(row.visit.ordinal);
    names += (names.empty() ? "" : ", ") + prepared.rows[i].example.name + " (visit " + std::to_string(row.visit.ordinal) +
             ", role " + plan_.roles[static_cast<size_t>(row.visit.role)].name + ": " + number_text(row.sum) + ")";
  }
  if (visits.empty()) return;
  throw VisitError(Fault::non_finite, "non-finite", "the loss is not finite at " + names,
                   "Nothing was stepped on it; the last checkpoint and resume state are kept. Look at that row and at the "
                   "model's weights, or lower the "
                   "learning rate.",
                   std::move(visits));
}

void Trainer::optimizer_step(const Forward& forward) {
  count_step_time();
  const auto begin = Clock::now();
  if (collective_.size() > 1) collective_.sum(parameters_.gradients());
  const at::Tensor norm_on_device = gradient_norm(parameters_.gradient_parts());
  const double norm = norm_on_device.item<double>();  // the step's one wait
  if (!std::isfinite(norm)) {
    std::vector<int64_t> visits;
    std::string names;
    for (const json::Value& visit : progress_.pending) {
      visits.push_back(visit.at("o").integer());
      names += (names.empty() ? "" : ", ") + plan_.rows.name[static_cast<size_t>(visit.at("r").integer())];
    }
    throw VisitError(
        Fault::non_finite, "non-finite",
        "the gradient's norm of step " + std::to_string(progress_.optimizer_steps) + " is " + number_text(norm) +
            "; its rows: " + names,
        "The step was not taken; the last checkpoint and resume state are kept. Lower the learning rate, or look at these rows.",
        std::move(visits));
  }
  const double lr = learning_rate(progress_.optimizer_steps);
  if (plan_.optimizer.clip_norm) scale_to_norm(parameters_.gradients(), norm_on_device, *plan_.optimizer.clip_norm);
  optimizer_.step(parameters_.gradients(), lr);
  parameters_.zero_gradients();
  synchronize(session_.device.device);
  evaluator_.forget();
  seconds_.optimizer += std::chrono::duration<double>(Clock::now() - begin).count();
  mark_ = Clock::now();

  const auto before = Clock::now();
  events_.write("step", {{"step", progress_.optimizer_steps},
                         {"rows", progress_.rows},
                         {"epoch", forward.visits.back().epoch},
                         {"lr", lr},
                         {"grad_norm", norm},
                         {"tokens", progress_.pending_tokens},
                         {"seconds", seconds_.to_json()},
                         {"gpu_gib", device_peak_gib(session_.device.device)},
                         {"visits", std::move(progress_.pending)}});
  const double event_ms = std::chrono::duration<double, std::milli>(Clock::now() - before).count();
  result_.event_ms += event_ms;
  result_.event_ms_max = std::max(result_.event_ms_max, event_ms);
  result_.forward += seconds_.forward;
  result_.backward += seconds_.backward;
  result_.reference += seconds_.reference;
  result_.optimizer += seconds_.optimizer;
  result_.other += seconds_.other;
  ++result_.steps;
  ++progress_.optimizer_steps;
  progress_.pending = {};
  progress_.pending_tokens = 0;
  seconds_ = {};
}

bool Trainer::run_actions() {
  while (progress_.actions < static_cast<int64_t>(course_.actions.size())) {
    const ActionPoint& point = course_.actions[static_cast<size_t>(progress_.actions)];
    if (point.after_rows > progress_.rows) break;
    bool done = true;
    aside([&] {
      if (point.save) save(point);
      for (const std::string& set : point.evaluate) done = done && evaluate(set, point);
      if (done && (point.save || !point.evaluate.empty())) phase("training");
    });
    if (!done) return false;
    ++progress_.actions;
  }
  return true;
}

void Trainer::save(const ActionPoint& point) {
  phase("saving");
  const std::string folder =
      save_checkpoint(plan_, session_.adapters.trained(), *point.save, point.final, progress_.rows, progress_.optimizer_steps);
  events_.write("checkpoint",
                {{"name", *point.save}, {"folder", folder}, {"rows", progress_.rows}, {"step", progress_.optimizer_steps}});
  log_line("saved " + folder);
}

bool Trainer::evaluate(const std::string& set, const ActionPoint& point) {
  if (evaluated_.contains(set)) return true;
  phase("evaluating");
  const auto evaluation = evaluator_.run(set, options_.stop);
  if (!evaluation) return false;
  const json::Value checkpoint = point.save ? json::Value(*point.save) : json::Value();
  json::Object fields{{"rows", progress_.rows}, {"checkpoint", checkpoint}};
  for (const auto& [key, value] : evaluation->to_json()) fields.set(key, value);
  events_.write("evaluation", fields);
  progress_.held_out.push_back(json::Object{{"checkpoint", checkpoint},
                                            {"set", set},
                                            {"rows", progress_.rows},
                                            {"n", evaluation->n},
                                            {"mean", evaluation->mean},
                                            {"stderr", evaluation->stderr_of_mean},
                                            {"hash", evaluation->hash}});
  progress_.last_means.set(set, evaluation->n ? json::Value(evaluation->mean) : json::Value());
  evaluated_.insert(set);
  return true;
}

void Trainer::write_log() {
  progress_.log_due = false;
  const Visit& last = course_.forwards[static_cast<size_t>(progress_.forwards - 1)].visits.back();
  const json::Object record = log_.take({.rows = progress_.rows,
                                         .of = course_.visits,
                                         .epoch = last.epoch,
                                         .lr = learning_rate(progress_.optimizer_steps),
                                         .seconds = seconds_so_far(),
                                         .tokens = progress_.tokens,
                                         .gpu_gib = device_peak_gib(session_.device.device)});
  const std::string line = json::write(record);
  append_line(plan_.output.folder + "/" + plan_.output.log->file, line);
  events_.write("log", record);
  options_.print(line);
}

void Trainer::write_meta() {
  if (!plan_.output.meta) return;
  json::Object meta = plan_.output.meta->fields.object();
  const auto& val_ce = plan_.output.meta->val_ce;
  const json::Value* mean = val_ce ? progress_.last_means.find(*val_ce) : nullptr;
  meta.set("rows_trained", progress_.rows)
      .set("val_ce", mean ? *mean : json::Value())
      .set("minutes", std::round(seconds_so_far() / 6.0) / 10.0)
      .set("held_out", progress_.held_out);
  io::write_file_atomically(plan_.output.folder + "/" + plan_.output.meta->file, json::write_indented(meta) + "\n");
  options_.print(json::write(meta));
}

std::string Trainer::save_resume() {
  progress_.log = log_.state();
  progress_.seconds = seconds_so_far();
  progress_.pending_seconds = seconds_.to_json();
  const std::string folder = save_resume_state(plan_, parameters_, optimizer_, progress_, events_.next_seq(), segment_);
  events_.write("resume_state", {{"folder", folder}, {"rows", progress_.rows}, {"step", progress_.optimizer_steps}});
  last_resume_ = Clock::now();
  return folder;
}

}  // namespace ws
