// The command line of the trainer: which command runs, and how a fault ends the process (message and hint on stderr, exit status
// by the kind of fault, see base/error.hpp).
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commands/command.hpp"

namespace {

constexpr const char* kVersion = WHETSTONE_VERSION;

constexpr ws::commands::Command kCommands[] = {
    {"train", "train a plan; --resume goes on with a stopped run", ws::commands::train},
    {"eval", "evaluate a set of a plan, print it as JSON", ws::commands::evaluate},
    {"try", "the plan's longest rows forward and backward: memory and seconds, as JSON", ws::commands::try_rows},
    {"describe", "what this binary knows and runs on, as JSON", ws::commands::describe},
    {"bench", "time forward and backward on random weights, or the loss of a model on given ids", ws::commands::bench},
    {"probe", "visits of a plan by themselves: log-probabilities and LoRA gradients, into files", ws::commands::probe},
    {"decode", "print the SHA-256 of an image's pixel values, as JSON", ws::commands::decode},
};

void print_help() {
  std::printf("whetstone-trainer %s\n\nusage: whetstone-trainer <command> [options]\n\n", kVersion);
  for (const auto& command : kCommands) std::printf("  %-10s %s\n", command.name, command.summary);
  std::printf("\nThe formats that it reads and writes are described in docs/formats.\n");
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    print_help();
    return arguments.empty() ? static_cast<int>(ws::Fault::plan) : 0;
  }
  if (arguments[0] == "--version") {
    std::printf("%s\n", kVersion);
    return 0;
  }
  for (const auto& command : kCommands)
    if (arguments[0] == command.name) return command.run(ws::commands::Arguments(arguments).subspan(1));
  throw ws::Error(ws::Fault::plan, "arguments", "there is no command \"" + arguments[0] + "\"",
                  "whetstone-trainer --help lists the commands.");
}

}  // namespace

int main(int count, char** values) {
  try {
    return run(std::vector<std::string>(values + 1, values + count));
  } catch (const ws::Error& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    if (!e.hint().empty()) std::fprintf(stderr, "hint: %s\n", e.hint().c_str());
    return e.exit_status();
  } catch (const std::exception& e) {
    std::fprintf(stderr,
                 "error: %s\nhint: This is a fault of the trainer itself; please report it with the command that you ran.\n",
                 e.what());
    return static_cast<int>(ws::Fault::internal);
  }
}
