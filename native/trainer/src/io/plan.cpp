#include "io/plan.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "base/sha256.hpp"

namespace ws::io {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostIndex = std::numeric_limits<int32_t>::max();
constexpr int64_t kMostWhole = int64_t{1} << 53;

[[noreturn]] void invalid(const std::string& where, const std::string& what) {
  throw Error(Fault::plan, "plan-invalid", where + what,
              "docs/formats/plan.md says what a plan has to hold; `whetstone plan` writes one.");
}

// A value and where it stands ("phases[0].order"), so that every fault names its key.
class Node {
 public:
  Node(const json::Value& value, std::string file, std::string key)
      : value_(value), file_(std::move(file)), key_(std::move(key)) {}

  const json::Value& value() const { return value_; }
  const std::string& key() const { return key_; }

  // `what` follows the key: " is missing".
  [[noreturn]] void fail(const std::string& what) const { invalid(file_ + ": " + (key_.empty() ? "the plan" : key_), what); }
  [[noreturn]] void fail_at(size_t i, const std::string& what) const {
    invalid(file_ + ": " + key_ + "[" + std::to_string(i) + "]", what);
  }

  bool has(std::string_view key) const { return object().contains(key); }
  Node operator[](const std::string& key) const {
    const json::Value* found = object().find(key);
    const std::string name = key_.empty() ? key : key_ + "." + key;
    if (!found) invalid(file_ + ": " + name, " is missing");
    return {*found, file_, name};
  }
  Node at(size_t i) const { return {value_.array()[i], file_, key_ + "[" + std::to_string(i) + "]"}; }
  bool null() const { return value_.null(); }

  const json::Object& object() const {
    if (!value_.is_object()) expected("an object");
    return value_.object();
  }
  size_t size() const { return array().size(); }
  const json::Array& array() const {
    if (!value_.is_array()) expected("a list");
    return value_.array();
  }
  const std::string& text() const {
    if (!value_.is_string()) expected("a string");
    return value_.string();
  }
  const std::string& some_text() const {
    if (text().empty()) fail(" must not be empty");
    return text();
  }
  bool boolean() const {
    if (!value_.is_boolean()) expected("true or false");
    return value_.boolean();
  }
  // The JSON reader lets no number through that is not finite.
  double number() const {
    if (!value_.is_number()) expected("a finite number");
    return value_.number();
  }
  double at_least(double least) const {
    if (number() < least) fail(" is " + json::write(value_) + ", but has to be at least " + json::write(least));
    return number();
  }
  double positive() const {
    if (number() <= 0) fail(" is " + json::write(value_) + ", but has to be greater than 0");
    return number();
  }
  double fraction() const {  // [0, 1)
    if (number() < 0 || number() >= 1) fail(" is " + json::write(value_) + ", but has to be at least 0 and less than 1");
    return number();
  }
  int64_t whole(int64_t least, int64_t most = kMostWhole) const {
    const double v = number();
    if (v != std::floor(v)) fail(" is " + json::write(value_) + ", but has to be a whole number");
    if (v < static_cast<double>(least)) fail(" is " + json::write(value_) + ", but has to be at least " + std::to_string(least));
    if (v > static_cast<double>(most)) fail(" is " + json::write(value_) + ", but has to be at most " + std::to_string(most));
    return static_cast<int64_t>(v);
  }
  // One of the words; its index.
  size_t word(std::initializer_list<const char*> words) const {
    std::string all;
    size_t i = 0;
    for (const char* w : words) {
      if (text() == w) return i;
      ++i;
      all += (all.empty() ? "" : ", ") + std::string(w);
    }
    fail(" is \"" + text() + "\"; this trainer knows " + all);
  }
  std::optional<std::string> nullable_text() const { return null() ? std::nullopt : std::optional(text()); }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < size(); ++i) out.push_back(at(i).text());
    return out;
  }
  std::array<double, 2> pair() const {
    if (size() != 2) fail(" has to be two numbers");
    return {at(0).number(), at(1).number()};
  }
  // A column of whole numbers in [least, limit). `of` names what is counted: "but there are 2 roles".
  std::vector<int32_t> column(int64_t least, int64_t limit, const std::string& of = "") const {
    std::vector<int32_t> out;
    out.reserve(size());
    for (const json::Value& v : array()) {
      const double d = v.is_number() ? v.number() : std::nan("");
      if (!(d >= static_cast<double>(least) && d < static_cast<double>(limit)) || d != std::floor(d)) {
        std::string text = " is " + json::write(v);
        if (v.is_number() && d == std::floor(d) && d >= static_cast<double>(limit) && !of.empty())
          fail_at(out.size(), text + ", but there are " + std::to_string(limit) + " " + of);
        fail_at(out.size(),
                text + ", but has to be a whole number from " + std::to_string(least) + " to " + std::to_string(limit - 1));
      }
      out.push_back(static_cast<int32_t>(d));
    }
    return out;
  }
  std::vector<double> numbers() const {
    std::vector<double> out;
    out.reserve(size());
    for (const json::Value& v : array()) {
      if (!v.is_number()) fail_at(out.size(), " is " + json::write(v) + ", but has to be a finite number");
      out.push_back(v.number());
    }
    return out;
  }

 private:
  [[noreturn]] void expected(const char* what) const {
    fail(std::string(" has to be ") + what + ", found " + value_.type_name());
  }

  const json::Value& value_;
  std::string file_;
  std::string key_;
};

// A file or folder name that stays inside the folder that it is put in.
const std::string& plain_name(const Node& node) {
  const std::string& name = node.some_text();
  if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos || name[0] == '.')
    node.fail(" is \"" + name + "\", but has to be a plain name: no folders, no dot at the start");
  return name;
}

class Reader {
 public:
  Reader(Plan& plan, const json::Value& root) : plan_(plan), root_(root, plan.file, "") {}

  void read() {
    if (root_["format"].text() != "whetstone-plan")
      root_["format"].fail(" is \"" + root_["format"].text() + "\", but has to be \"whetstone-plan\"");
    if (root_["version"].number() != 1)
      root_["version"].fail(" is " + json::write(root_["version"].value()) + "; this trainer reads version 1");
    plan_.recipe = root_["recipe"].text();
    plan_.name = root_["name"].text();
    root_["settings"].object();
    read_model(root_["model"]);
    for (const auto& [name, value] : root_["adapters"].object()) read_adapter(name, root_["adapters"][name]);
    if (!plan_.find_adapter("default")) root_["adapters"].fail(" has no \"default\", the adapter that is trained");
    for (size_t i = 0; i < root_["roles"].size(); ++i) read_role(root_["roles"].at(i));
    for (size_t i = 0; i < root_["datasets"].size(); ++i) plan_.datasets.push_back(path(root_["datasets"].at(i)));
    plan_.groups = root_["groups"].texts();
    plan_.ranks = root_["ranks"].whole(1, 1 << 20);
    read_rows(root_["rows"]);
    for (const auto& [name, value] : root_["evaluations"].object()) {
      const Node evaluation = root_["evaluations"][name];
      plan_.evaluations.push_back({name, evaluation["rows"].column(0, rows(), "rows"), evaluation["hash"].text()});
    }
    for (size_t i = 0; i < root_["phases"].size(); ++i) read_phase(root_["phases"].at(i));
    read_optimizer(root_["optimizer"]);
    read_schedule(root_["schedule"]);
    read_output(root_["output"]);
    read_execution(root_["execution"]);
  }

 private:
  int64_t rows() const { return static_cast<int64_t>(plan_.rows.size()); }
  std::string path(const Node& node) const { return (fs::path(plan_.folder) / node.some_text()).string(); }
  static DType dtype(const Node& node) { return node.word({"bfloat16", "float32"}) == 0 ? DType::bf16 : DType::f32; }

  void read_model(const Node& n) {
    plan_.model = {path(n["path"]), n["name"].text(), n["revision"].nullable_text(), dtype(n["dtype"])};
  }

  void read_adapter(const std::string& name, const Node& n) {
    PlanAdapter a;
    a.name = name;
    a.rank = n["rank"].whole(1, 1 << 16);
    a.alpha = n["alpha"].positive();
    a.dropout = n["dropout"].fraction();
    a.branch_dtype = dtype(n["branch_dtype"]);
    a.targets = n["targets"].texts();
    const Node init = n["init"];
    if (init["kind"].word({"peft", "load"}) == 0) {
      a.init = PlanAdapter::Init::peft;
      a.seed = static_cast<uint64_t>(init["seed"].whole(0));
      if (a.targets.empty()) n["targets"].fail(" is empty: a new adapter has to sit somewhere");
    } else {
      a.init = PlanAdapter::Init::load;
      a.path = path(init["path"]);
    }
    plan_.adapters.push_back(std::move(a));
  }

  void read_role(const Node& n) {
    PlanRole r;
    r.name = n["name"].some_text();
    for (const PlanRole& other : plan_.roles)
      if (other.name == r.name) n["name"].fail(" is \"" + r.name + "\", as an earlier role's");
    r.weights = n["weights"].nullable_text();
    if (n["term"].word({"cross_entropy", "k3"}) == 1) {
      r.term = TermKind::k3;
      r.reference = n["reference"].nullable_text();
      if (r.reference && !plan_.find_adapter(*r.reference))
        n["reference"].fail(" is \"" + *r.reference + "\", but there is no such adapter");
      r.clamp = n["clamp"].pair();
      if (r.clamp[0] >= r.clamp[1]) n["clamp"].fail(" has to ascend");
    }
    plan_.roles.push_back(std::move(r));
  }

  // All columns as long as the first one.
  static void same_length(const Node& n, std::initializer_list<std::pair<const char*, size_t>> columns) {
    for (const auto& [key, size] : columns)
      if (size != columns.begin()->second)
        n[key].fail(" has " + std::to_string(size) + " entries, but " + columns.begin()->first + " has " +
                    std::to_string(columns.begin()->second));
  }

  void read_rows(const Node& n) {
    PlanRows& r = plan_.rows;
    r.dataset = n["dataset"].column(0, static_cast<int64_t>(plan_.datasets.size()), "datasets");
    r.row = n["row"].column(0, kMostIndex);
    r.name = n["name"].texts();
    r.group = n["group"].column(-1, static_cast<int64_t>(plan_.groups.size()), "groups");
    same_length(n, {{"dataset", r.dataset.size()}, {"row", r.row.size()}, {"name", r.name.size()}, {"group", r.group.size()}});
  }

  void read_phase(const Node& n) {
    n["kind"].word({"train"});
    PlanPhase p;
    p.steps = n["steps"].whole(0, kMostIndex);
    read_order(n["order"], p);
    const Node actions = n["actions"];
    for (size_t i = 0; i < actions.size(); ++i) read_action(actions.at(i), p);
    plan_.phases.push_back(std::move(p));
  }

  void read_order(const Node& n, PlanPhase& p) {
    PlanOrder& o = p.order;
    o.step = n["step"].column(0, p.steps, "steps");
    o.rank = n["rank"].column(0, plan_.ranks, "ranks");
    o.forward = n["forward"].column(0, kMostIndex);
    o.row = n["row"].column(0, rows(), "rows");
    o.role = n["role"].column(0, static_cast<int64_t>(plan_.roles.size()), "roles");
    o.epoch = n["epoch"].column(0, kMostIndex);
    o.coefficient = n["coefficient"].numbers();
    same_length(n, {{"step", o.step.size()},
                    {"rank", o.rank.size()},
                    {"forward", o.forward.size()},
                    {"row", o.row.size()},
                    {"role", o.role.size()},
                    {"epoch", o.epoch.size()},
                    {"coefficient", o.coefficient.size()}});
    const auto no_visit = [&](int64_t step) { n["step"].fail(": step " + std::to_string(step) + " has no visit"); };
    int32_t before = -1;
    for (size_t i = 0; i < o.step.size(); before = o.step[i++]) {
      if (o.step[i] < before)
        n["step"].fail_at(
            i, " is " + std::to_string(o.step[i]) + ", which is less than the one before it: an order is sorted by step");
      if (o.step[i] > before + 1) no_visit(before + 1);
    }
    if (before + 1 < p.steps) no_visit(before + 1);
  }

  void read_action(const Node& n, PlanPhase& p) {
    PlanAction a;
    const auto visits = static_cast<int64_t>(p.order.size());
    a.after_rows = n["after_rows"].whole(0);
    if (a.after_rows > visits)
      n["after_rows"].fail(" is " + std::to_string(a.after_rows) + ", but the phase has " + std::to_string(visits) + " visits");
    if (!p.actions.empty() && a.after_rows < p.actions.back().after_rows)
      n["after_rows"].fail(" is " + std::to_string(a.after_rows) + ", which is less than the one before it");
    if (n.has("save")) {
      a.save = plain_name(n["save"]);
      if (!saves_.insert(*a.save).second) n["save"].fail(" is \"" + *a.save + "\", which is saved already");
    }
    if (n.has("evaluate")) {
      a.evaluate = n["evaluate"].texts();
      for (size_t i = 0; i < a.evaluate.size(); ++i) {
        if (!plan_.find_evaluation(a.evaluate[i]))
          n["evaluate"].fail_at(i, " is \"" + a.evaluate[i] + "\", but there is no such evaluation");
        if (std::count(a.evaluate.begin(), a.evaluate.end(), a.evaluate[i]) > 1)
          n["evaluate"].fail_at(i, " is \"" + a.evaluate[i] + "\", twice");
      }
    }
    p.actions.push_back(std::move(a));
  }

  void read_optimizer(const Node& n) {
    n["kind"].word({"adamw"});
    PlanOptimizer& o = plan_.optimizer;
    o.lr = n["lr"].at_least(0);
    o.betas = n["betas"].pair();
    for (size_t i = 0; i < 2; ++i) n["betas"].at(i).fraction();
    o.eps = n["eps"].positive();
    o.weight_decay = n["weight_decay"].at_least(0);
    if (!n["clip_norm"].null()) o.clip_norm = n["clip_norm"].positive();
  }

  void read_schedule(const Node& n) {
    PlanSchedule& s = plan_.schedule;
    if (n["kind"].word({"constant", "warmup_cosine"}) == 0) return;
    s.kind = PlanSchedule::Kind::warmup_cosine;
    s.warmup_steps = n["warmup_steps"].whole(1);
    s.total_steps = n["total_steps"].whole(1);
  }

  void read_output(const Node& n) {
    PlanOutput& o = plan_.output;
    o.folder = path(n["folder"]);
    if (const Node log = n["log"]; !log.null()) o.log = PlanLog{plain_name(log["file"]), log["every_rows"].whole(1)};
    if (const Node meta = n["meta"]; !meta.null()) {
      meta["fields"].object();
      o.meta = PlanMeta{plain_name(meta["file"]), meta["fields"].value(), meta["val_ce"].nullable_text()};
      if (o.meta->val_ce && !plan_.find_evaluation(*o.meta->val_ce))
        meta["val_ce"].fail(" is \"" + *o.meta->val_ce + "\", but there is no such evaluation");
    }
  }

  void read_execution(const Node& n) {
    PlanExecution& e = plan_.execution;
    e.device = n["device"].text();
    const std::string number = e.device.starts_with("cuda:") ? e.device.substr(5) : "";
    const bool numbered = !number.empty() && number.size() < 5 &&
                          std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (e.device != "auto" && e.device != "cpu" && e.device != "cuda" && !numbered)
      n["device"].fail(" is \"" + e.device + "\", but has to be auto, cpu, cuda or cuda:<number>");
    e.threads = n["threads"].whole(1, 4096);
    e.recompute = n["recompute"].boolean();
    e.dropout_seed = static_cast<uint64_t>(n["dropout_seed"].whole(0));
    e.resume_every_seconds = n["resume_every_seconds"].positive();
    e.resume_keep = n["resume_keep"].whole(1, 1 << 20);
  }

  Plan& plan_;
  Node root_;
  std::set<std::string> saves_;
};

template <class T>
const T* named(const std::vector<T>& list, std::string_view name) {
  for (const T& entry : list)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace

const PlanAdapter* Plan::find_adapter(std::string_view wanted) const { return named(adapters, wanted); }
const PlanEvaluation* Plan::find_evaluation(std::string_view wanted) const { return named(evaluations, wanted); }
int64_t Plan::visits() const {
  int64_t sum = 0;
  for (const PlanPhase& p : phases) sum += static_cast<int64_t>(p.order.size());
  return sum;
}
int64_t Plan::steps() const {
  int64_t sum = 0;
  for (const PlanPhase& p : phases) sum += p.steps;
  return sum;
}

Plan read_plan(const std::string& path) {
  const std::string text = read_file(path);
  Plan plan;
  plan.file = fs::absolute(path).string();
  plan.folder = fs::path(plan.file).parent_path().string();
  plan.sha256 = hex(sha256(text));
  json::Value root;
  try {
    root = json::parse(text);
  } catch (const Error& e) {
    invalid(plan.file + ": ", e.what());
  }
  Reader(plan, root).read();
  return plan;
}

}  // namespace ws::io
