// Where a run stands, exactly: weights, moments, the gradient that is accumulated and not yet stepped on, and the place in the
// plan. A run that goes on from it computes what it would have computed without the stop, bit for bit on a CPU.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "io/plan.hpp"
#include "train/adamw.hpp"
#include "train/flat_parameters.hpp"

namespace ws {

struct Progress {
  int64_t rows = 0;      // visits done
  int64_t forwards = 0;  // of this rank's course
  int64_t actions = 0;   // points of the course that are done
  int64_t optimizer_steps = 0;
  int64_t tokens = 0;   // of all visits so far
  double seconds = 0;   // since training began, over all segments
  json::Value log;      // LogRecord::state
  json::Array pending;  // visits of the step that is not finished, as they go into its event
  json::Object pending_seconds;
  int64_t pending_tokens = 0;
  bool log_due = false;     // a log record is to be written once the actions at this point are done
  json::Array held_out;     // evaluations so far, as they go into the meta file
  json::Object last_means;  // of each evaluation set
};

// Writes <run folder>/resume/<rows>/ and removes all but the newest `resume_keep`. Returns the folder. Throws ws::Error
// (file_system).
std::string save_resume_state(const io::Plan& plan, const FlatParameters& parameters, const AdamW& optimizer,
                              const Progress& progress, int64_t event_seq, int64_t segment);

// The newest whole state of this plan (DONE is there, plan_sha256 agrees), put into parameters and optimizer; nothing when there
// is none. A state that cannot be read, or whose tensors are not the adapter's, is passed over with a line on stderr.
std::optional<Progress> load_resume_state(const io::Plan& plan, FlatParameters& parameters, AdamW& optimizer);

}  // namespace ws
