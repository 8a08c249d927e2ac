#include "commands/command.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace ws::commands {
namespace {

[[noreturn]] void wrong(const std::string& message) {
  throw Error(Fault::plan, "arguments", message, "whetstone-trainer --help lists the commands.");
}

}  // namespace

Options::Options(Arguments arguments, std::initializer_list<std::string_view> with_value,
                 std::initializer_list<std::string_view> flags) {
  const auto known = [](std::initializer_list<std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("--")) wrong("\"" + argument + "\" is no option: options start with --");
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (known(flags, name)) {
      if (equals != std::string::npos) wrong("--" + name + " takes no value");
      values_[name] = "";
    } else if (known(with_value, name)) {
      if (equals != std::string::npos)
        values_[name] = argument.substr(equals + 1);
      else if (++i < arguments.size())
        values_[name] = arguments[i];
      else
        wrong("--" + name + " needs a value");
    } else {
      std::string all;
      for (const auto& names : {with_value, flags})
        for (const std::string_view n : names) all.append(all.empty() ? "--" : ", --").append(n);
      wrong("there is no option --" + name + (all.empty() ? "; the command takes none" : "; the command takes " + all));
    }
  }
}

bool Options::flag(std::string_view name) const { return has(name); }
bool Options::has(std::string_view name) const { return values_.contains(name); }
std::optional<std::string> Options::find(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? std::nullopt : std::optional(it->second);
}
std::string Options::at(std::string_view name) const {
  const auto value = find(name);
  if (!value) wrong("--" + std::string(name) + " is missing");
  return *value;
}
int64_t Options::integer(std::string_view name) const {
  const std::string text = at(name);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    wrong("--" + std::string(name) + " has to be a whole number, not \"" + text + "\"");
  return value;
}
int64_t Options::integer_or(std::string_view name, int64_t fallback) const { return has(name) ? integer(name) : fallback; }

}  // namespace ws::commands
