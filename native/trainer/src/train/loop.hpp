// Training exactly as the plan says it: forwards in order, an optimizer step where one ends, and what the plan does between them.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dist/collective.hpp"
#include "io/event_writer.hpp"
#include "io/logprob_writer.hpp"
#include "train/adamw.hpp"
#include "train/course.hpp"
#include "train/evaluator.hpp"
#include "train/flat_parameters.hpp"
#include "train/log_record.hpp"
#include "train/resume_state.hpp"
#include "train/schedule.hpp"
#include "train/session.hpp"

namespace ws {

struct TrainOptions {
  bool resume = false;                                // go on from the newest state of the run folder, if there is one
  std::function<bool()> stop = [] { return false; };  // asked after every forward and evaluated row
  std::function<void(const std::string&)> print = [](const std::string&) {};  // the log record's line, for stdout
};

struct TrainResult {
  bool stopped = false;
  int64_t rows = 0;
  // How the time of the steps divided (evaluations and saves not counted), and what writing an event cost.
  double forward = 0, backward = 0, reference = 0, optimizer = 0, other = 0;
  double event_ms = 0, event_ms_max = 0;  // of step events
  int64_t steps = 0;
};

class Trainer {
 public:
  // All have to outlive it. Puts the trained adapter's weights into one flat buffer.
  Trainer(Session& session, Collective& collective, io::EventWriter& events, const TrainOptions& options);

  // `segment` counts the resumes. Throws ws::Error of every kind; VisitError where particular visits are the cause.
  TrainResult run(int64_t segment);

 private:
  struct StepSeconds {
    double forward = 0, backward = 0, reference = 0, optimizer = 0, other = 0;
    json::Object to_json() const;
  };
  using Clock = std::chrono::steady_clock;

  void begin(int64_t segment);
  bool run_actions();  // those that are due; false when a stop came in between
  bool evaluate(const std::string& set, const ActionPoint& point);
  void save(const ActionPoint& point);
  void train_forward(const Forward& forward, const PreparedForward& prepared);
  void optimizer_step(const Forward& forward);
  void write_log();
  void write_meta();
  std::string save_resume();
  void check_finite(const ForwardOutcome& outcome, const PreparedForward& prepared) const;
  void phase(const char* name);
  void count_step_time();
  double seconds_so_far() const;
  double learning_rate(int64_t step) const;
  // Runs `f` with the step's clock stopped.
  template <class F>
  void aside(F f);

  Session& session_;
  const io::Plan& plan_;
  Collective& collective_;
  io::EventWriter& events_;
  TrainOptions options_;
  Course course_;
  FlatParameters parameters_;
  AdamW optimizer_;
  Schedule schedule_;
  Evaluator evaluator_;
  LogRecord log_;
  std::unique_ptr<io::LogprobWriter> logprobs_;

  Progress progress_;
  StepSeconds seconds_;              // of the step under way
  std::set<std::string> evaluated_;  // at this point of the course
  TrainResult result_;
  int64_t segment_ = 0;
  double seconds_before_ = 0;  // of earlier segments
  Clock::time_point started_{}, mark_{}, last_resume_{};
};

}  // namespace ws
