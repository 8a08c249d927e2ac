// What a command of `whetstone-trainer` is. main.cpp has the table: a new command is a declaration here, its file, and one line
// there.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ws::commands {

using Arguments = std::span<const std::string>;  // what follows the command's name

struct Command {
  const char* name;
  const char* summary;    // one line, for --help
  int (*run)(Arguments);  // the exit status; faults are thrown as ws::Error
};

int train(Arguments);
int evaluate(Arguments);
int try_rows(Arguments);
int describe(Arguments);
int bench(Arguments);
int decode(Arguments);
int probe(Arguments);

// `--name value`, `--name=value` and bare `--flag` arguments. Throws ws::Error (plan, code "arguments") for an option that is not
// in the lists, a value that is missing, and anything that is not an option.
class Options {
 public:
  Options(Arguments arguments, std::initializer_list<std::string_view> with_value,
          std::initializer_list<std::string_view> flags = {});

  bool flag(std::string_view name) const;
  bool has(std::string_view name) const;
  std::optional<std::string> find(std::string_view name) const;
  std::string at(std::string_view name) const;   // throws when it is not given
  int64_t integer(std::string_view name) const;  // throws when it is not given or not a whole number
  int64_t integer_or(std::string_view name, int64_t fallback) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace ws::commands
