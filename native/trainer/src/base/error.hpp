// The one exception of the trainer. Every fault that a person can do something about says what is wrong and where (message), what
// to do about it (hint), which one it is for programs (code) and how the process ends (fault). Any other exception is a bug of
// ours.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace ws {

// The kind of fault; its number is the exit status of the process.
enum class Fault : int {
  internal = 1,     // a bug of ours
  plan = 2,         // the plan or the arguments
  data = 3,         // encoded datasets, images
  non_finite = 4,   // a loss or gradient that is not finite
  device = 5,       // no such device, out of memory, NCCL
  file_system = 6,  // cannot read or write
  model = 7,        // the model folder or an adapter
};

class Error : public std::runtime_error {
 public:
  // `code` is kebab-case and stable ("plan-invalid"): what the main process switches on. `hint` may be empty.
  Error(Fault fault, std::string code, const std::string& message, std::string hint = {})
      : std::runtime_error(message), fault_(fault), code_(std::move(code)), hint_(std::move(hint)) {}

  Fault fault() const { return fault_; }
  const std::string& code() const { return code_; }
  const std::string& hint() const { return hint_; }
  int exit_status() const { return static_cast<int>(fault_); }

 private:
  Fault fault_;
  std::string code_;
  std::string hint_;
};

// An Error about a failed system call: the text of `error_number` (errno) goes into the message ("cannot write /x/y: No space
// left on device"), and the usual causes (full or read-only disk, no permission, no such folder) get their hint. `doing` is
// "cannot write /x/y".
Error system_error(const std::string& doing, int error_number);

}  // namespace ws
