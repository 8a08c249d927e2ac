// plan.json (docs/formats/plan.md) as a struct. read_plan checks all that can be checked without opening another file and says
// which key is wrong: `plan.json: phases[0].order.role[17] is 3, but there are 2 roles`. open_datasets checks the rest.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "io/encoded_dataset.hpp"
#include "io/safetensors.hpp"

namespace ws::io {

struct PlanModel {
  std::string path;  // absolute
  std::string name;
  std::optional<std::string> revision;
  DType dtype = DType::bf16;  // bf16 or f32
};

struct PlanAdapter {
  std::string name;  // "default" is the one that is trained
  int64_t rank = 0;
  double alpha = 0;
  double dropout = 0;
  DType branch_dtype = DType::f32;   // bf16 or f32
  std::vector<std::string> targets;  // leaf names; may be empty for a loaded one (then what its file has)
  enum class Init { peft, load } init = Init::peft;
  uint64_t seed = 0;  // Init::peft
  std::string path;   // Init::load; absolute
};

enum class TermKind { cross_entropy, k3 };

struct PlanRole {
  std::string name;
  TermKind term = TermKind::cross_entropy;
  std::optional<std::string> weights;    // a column's name; absent: 1 a target
  std::optional<std::string> reference;  // k3: an adapter's name; absent: the model with its adapter off
  std::array<double, 2> clamp{};         // k3
};

struct PlanRows {  // columns of equal length
  std::vector<int32_t> dataset;
  std::vector<int32_t> row;
  std::vector<std::string> name;
  std::vector<int32_t> group;  // -1: none
  size_t size() const { return row.size(); }
};

struct PlanOrder {  // columns of equal length; a row visit a position, its position is its ordinal. Sorted by step
  std::vector<int32_t> step, rank, forward, row, role, epoch;
  std::vector<double> coefficient;
  size_t size() const { return step.size(); }
};

struct PlanAction {  // done once after_rows visits of the phase (over all ranks) are done
  int64_t after_rows = 0;
  std::optional<std::string> save;
  std::vector<std::string> evaluate;
};

struct PlanPhase {  // of kind "train"
  int64_t steps = 0;
  PlanOrder order;
  std::vector<PlanAction> actions;
};

struct PlanOptimizer {  // AdamW
  double lr = 0;
  std::array<double, 2> betas{};
  double eps = 0;
  double weight_decay = 0;
  std::optional<double> clip_norm;
};

struct PlanSchedule {
  enum class Kind { constant, warmup_cosine } kind = Kind::constant;
  int64_t warmup_steps = 1;
  int64_t total_steps = 1;
};

struct PlanEvaluation {
  std::string name;
  std::vector<int32_t> rows;
  std::string hash;
};

struct PlanLog {
  std::string file;  // a name in the output folder
  int64_t every_rows = 1;
};

struct PlanMeta {
  std::string file;    // a name in the output folder
  json::Value fields;  // an object, copied as it is
  std::optional<std::string> val_ce;
};

struct PlanOutput {
  std::string folder;  // absolute
  std::optional<PlanLog> log;
  std::optional<PlanMeta> meta;
};

struct PlanExecution {
  std::string device;  // auto, cpu, cuda, cuda:<n>
  int64_t threads = 1;
  bool recompute = true;
  uint64_t dropout_seed = 0;
  double resume_every_seconds = 600;
  int64_t resume_keep = 2;
};

struct Plan {
  std::string file;    // absolute path of plan.json
  std::string folder;  // the run folder: where plan.json lies; absolute
  std::string sha256;  // hex, of plan.json's bytes

  std::string recipe;
  std::string name;
  PlanModel model;
  std::vector<PlanAdapter> adapters;  // in the order of the file
  std::vector<PlanRole> roles;
  std::vector<std::string> datasets;  // absolute
  PlanRows rows;
  std::vector<std::string> groups;
  int64_t ranks = 1;
  std::vector<PlanPhase> phases;
  PlanOptimizer optimizer;
  PlanSchedule schedule;
  std::vector<PlanEvaluation> evaluations;
  PlanOutput output;
  PlanExecution execution;

  const PlanAdapter* find_adapter(std::string_view name) const;        // null pointer when there is none
  const PlanEvaluation* find_evaluation(std::string_view name) const;  // the same
  int64_t visits() const;                                              // of all phases
  int64_t steps() const;                                               // of all phases
};

// Throws ws::Error (plan, code "plan-invalid"; file_system when it cannot be read).
Plan read_plan(const std::string& path);

// Opens the plan's datasets, in its order, and checks the plan against them: rows exist, columns that roles weigh by exist, all
// files have the same processor and the same fields. Throws ws::Error (plan or data).
std::vector<std::unique_ptr<EncodedDataset>> open_datasets(const Plan& plan);

}  // namespace ws::io
