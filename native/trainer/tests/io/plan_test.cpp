#include "io/plan.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "check.hpp"
#include "dataset_builder.hpp"
#include "io/atomic_file.hpp"
#include "temporary_folder.hpp"

using namespace ws;

namespace {

const std::string kPlan = R"({
  "format": "whetstone-plan", "version": 1, "recipe": "webmix", "name": "a run", "settings": {"x": 1}, "later": true,
  "model": {"path": "/models/tiny", "name": "Qwen/Tiny", "revision": null, "dtype": "bfloat16"},
  "adapters": {
    "default": {"rank": 16, "alpha": 32, "dropout": 0.05, "branch_dtype": "float32", "targets": ["q_proj", "v_proj"], "init": {"kind": "peft", "seed": 3}},
    "anchor": {"rank": 8, "alpha": 16.5, "dropout": 0, "branch_dtype": "bfloat16", "targets": [], "init": {"kind": "load", "path": "old/adapter"}}
  },
  "roles": [
    {"name": "ce", "term": "cross_entropy", "weights": null},
    {"name": "kl", "term": "k3", "weights": "action", "reference": "anchor", "clamp": [-20, 8]}
  ],
  "datasets": ["x.safetensors"],
  "rows": {"dataset": [0, 0, 0], "row": [0, 1, 2], "name": ["a", "b", "c"], "group": [0, -1, 1]},
  "groups": ["Drag & gesture", "Other"],
  "ranks": 2,
  "phases": [{
    "kind": "train", "steps": 2,
    "order": {"step": [0, 0, 1, 1], "rank": [0, 1, 0, 1], "forward": [0, 0, 0, 0], "row": [0, 1, 2, 0], "role": [0, 1, 0, 0], "epoch": [0, 0, 0, 1],
              "coefficient": [0.5, 0.25, 1e-3, 1]},
    "actions": [{"after_rows": 0, "evaluate": ["held_out"]}, {"after_rows": 2, "save": "rows_2"}, {"after_rows": 4, "save": "final", "evaluate": ["held_out", "val_end"]}]
  }],
  "optimizer": {"kind": "adamw", "lr": 1e-4, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0, "clip_norm": 1.0},
  "schedule": {"kind": "warmup_cosine", "warmup_steps": 7, "total_steps": 250},
  "evaluations": {"held_out": {"rows": [2, 0], "hash": "abc"}, "val_end": {"rows": [], "hash": "d"}},
  "output": {"folder": "out", "log": {"file": "train_log.jsonl", "every_rows": 50}, "meta": {"file": "webmix_meta.json", "fields": {"k": [1]}, "val_ce": "val_end"}},
  "execution": {"device": "auto", "threads": 2, "recompute": true, "dropout_seed": 5, "resume_every_seconds": 600, "resume_keep": 2}
})";

void good(const test::TemporaryFolder& folder) {
  const io::Plan p = io::read_plan(folder / "plan.json");
  CHECK_EQUAL(p.folder, folder.path());
  CHECK_EQUAL(p.sha256, hex(sha256(kPlan)));
  CHECK_EQUAL(p.model.path, "/models/tiny");
  CHECK(!p.model.revision && p.model.dtype == io::DType::bf16);
  CHECK_EQUAL(p.find_adapter("default")->rank, 16);
  CHECK_EQUAL(p.find_adapter("default")->seed, 3u);
  CHECK_EQUAL(p.find_adapter("anchor")->path, folder / "old/adapter");
  CHECK(p.find_adapter("anchor")->branch_dtype == io::DType::bf16);
  CHECK(p.find_adapter("nobody") == nullptr);
  CHECK(p.roles[1].term == io::TermKind::k3 && p.roles[1].reference == "anchor" && p.roles[1].weights == "action");
  CHECK(p.roles[1].clamp[0] == -20 && p.roles[1].clamp[1] == 8 && !p.roles[0].weights);
  CHECK_EQUAL(p.datasets[0], folder / "x.safetensors");
  CHECK_EQUAL(p.rows.group[1], -1);
  CHECK_EQUAL(p.phases[0].order.coefficient[2], 1e-3);
  CHECK_EQUAL(p.phases[0].order.epoch[3], 1);
  CHECK(!p.phases[0].actions[0].save && p.phases[0].actions[2].save == "final");
  CHECK_EQUAL(p.visits(), 4);
  CHECK_EQUAL(p.steps(), 2);
  CHECK(p.optimizer.clip_norm == 1.0 && p.optimizer.betas[1] == 0.999);
  CHECK_EQUAL(p.schedule.total_steps, 250);
  CHECK_EQUAL(p.find_evaluation("held_out")->rows[0], 2);
  CHECK_EQUAL(p.output.folder, folder / "out");
  CHECK(p.output.log->every_rows == 50 && p.output.meta->val_ce == "val_end");
  CHECK_EQUAL(p.execution.dropout_seed, 5u);
  CHECK_EQUAL(io::open_datasets(p).size(), 1u);
}

struct Mutation {
  const char* from;  // the first occurrence is replaced
  const char* to;
  const char* message;
};

const std::vector<Mutation> kMutations = {
    {"{\n", "{,", "plan.json: not valid JSON"},
    {"whetstone-plan", "x", "plan.json: format is \"x\", but has to be \"whetstone-plan\""},
    {"\"version\": 1", "\"version\": 2", "plan.json: version is 2; this trainer reads version 1"},
    {"\"recipe\": \"webmix\",", "", "plan.json: recipe is missing"},
    {"\"settings\": {\"x\": 1}", "\"settings\": 3", "plan.json: settings has to be an object, found a number"},
    {"\"dtype\": \"bfloat16\"", "\"dtype\": \"float16\"",
     "plan.json: model.dtype is \"float16\"; this trainer knows bfloat16, float32"},
    {"\"revision\": null", "\"revision\": 1", "plan.json: model.revision has to be a string, found a number"},
    {"\"revision\": null, ", "", "plan.json: model.revision is missing"},
    {"\"path\": \"/models/tiny\"", "\"path\": \"\"", "plan.json: model.path must not be empty"},
    {"\"default\": {", "\"first\": {", "plan.json: adapters has no \"default\""},
    {"\"rank\": 16", "\"rank\": 0", "plan.json: adapters.default.rank is 0, but has to be at least 1"},
    {"\"rank\": 16", "\"rank\": 1.5", "plan.json: adapters.default.rank is 1.5, but has to be a whole number"},
    {"\"alpha\": 32", "\"alpha\": 0", "plan.json: adapters.default.alpha is 0, but has to be greater than 0"},
    {"\"dropout\": 0.05", "\"dropout\": 1", "plan.json: adapters.default.dropout is 1, but has to be at least 0 and less than 1"},
    {"\"branch_dtype\": \"float32\"", "\"branch_dtype\": \"fp32\"", "plan.json: adapters.default.branch_dtype is \"fp32\""},
    {"[\"q_proj\", \"v_proj\"]", "[]", "plan.json: adapters.default.targets is empty"},
    {"[\"q_proj\", \"v_proj\"]", "[\"q_proj\", 3]", "plan.json: adapters.default.targets[1] has to be a string"},
    {"\"kind\": \"peft\"", "\"kind\": \"new\"",
     "plan.json: adapters.default.init.kind is \"new\"; this trainer knows peft, load"},
    {", \"path\": \"old/adapter\"", "", "plan.json: adapters.anchor.init.path is missing"},
    {"\"cross_entropy\"", "\"dpo\"", "plan.json: roles[0].term is \"dpo\"; this trainer knows cross_entropy, k3"},
    {"\"name\": \"kl\"", "\"name\": \"ce\"", "plan.json: roles[1].name is \"ce\", as an earlier role's"},
    {"\"reference\": \"anchor\"", "\"reference\": \"none\"",
     "plan.json: roles[1].reference is \"none\", but there is no such adapter"},
    {", \"clamp\": [-20, 8]", "", "plan.json: roles[1].clamp is missing"},
    {"[-20, 8]", "[8, -20]", "plan.json: roles[1].clamp has to ascend"},
    {"[-20, 8]", "[8]", "plan.json: roles[1].clamp has to be two numbers"},
    {"\"dataset\": [0, 0, 0]", "\"dataset\": [0, 1, 0]", "plan.json: rows.dataset[1] is 1, but there are 1 datasets"},
    {"\"dataset\": [0, 0, 0]", "\"dataset\": [0, 0]", "plan.json: rows.row has 3 entries, but dataset has 2"},
    {"\"row\": [0, 1, 2]", "\"row\": [0, -1, 2]", "plan.json: rows.row[1] is -1, but has to be a whole number from 0"},
    {"\"name\": [\"a\", \"b\", \"c\"]", "\"name\": \"a\"", "plan.json: rows.name has to be a list, found a string"},
    {"\"group\": [0, -1, 1]", "\"group\": [0, -2, 1]",
     "plan.json: rows.group[1] is -2, but has to be a whole number from -1 to 1"},
    {"\"group\": [0, -1, 1]", "\"group\": [0, 2, 1]", "plan.json: rows.group[1] is 2, but there are 2 groups"},
    {"\"ranks\": 2", "\"ranks\": 0", "plan.json: ranks is 0, but has to be at least 1"},
    {"\"ranks\": 2", "\"ranks\": 1", "plan.json: phases[0].order.rank[1] is 1, but there are 1 ranks"},
    {"\"kind\": \"train\"", "\"kind\": \"ppo\"", "plan.json: phases[0].kind is \"ppo\"; this trainer knows train"},
    {"\"steps\": 2", "\"steps\": 3", "plan.json: phases[0].order.step: step 2 has no visit"},
    {"\"steps\": 2", "\"steps\": 1", "plan.json: phases[0].order.step[2] is 1, but there are 1 steps"},
    {"\"step\": [0, 0, 1, 1]", "\"step\": [1, 1, 1, 1]", "plan.json: phases[0].order.step: step 0 has no visit"},
    {"\"step\": [0, 0, 1, 1]", "\"step\": [0, 1, 0, 1]",
     "plan.json: phases[0].order.step[2] is 0, which is less than the one before it"},
    {"\"forward\": [0, 0, 0, 0]", "\"forward\": [0, 0, 0]", "plan.json: phases[0].order.forward has 3 entries, but step has 4"},
    {"\"row\": [0, 1, 2, 0]", "\"row\": [0, 1, 3, 0]", "plan.json: phases[0].order.row[2] is 3, but there are 3 rows"},
    {"\"row\": [0, 1, 2, 0]", "\"row\": [0, 1, 0.5, 0]",
     "plan.json: phases[0].order.row[2] is 0.5, but has to be a whole number from 0 to 2"},
    {"\"role\": [0, 1, 0, 0]", "\"role\": [0, 3, 0, 0]", "plan.json: phases[0].order.role[1] is 3, but there are 2 roles"},
    {"\"epoch\": [0, 0, 0, 1]", "\"epoch\": [0, 0, 0, null]", "plan.json: phases[0].order.epoch[3] is null"},
    {"\"coefficient\": [0.5", "\"coefficient\": [\"nan\"",
     "plan.json: phases[0].order.coefficient[0] is \"nan\", but has to be a finite number"},
    {"\"coefficient\": [0.5", "\"coefficient\": [1e999", "plan.json: not valid JSON: a number is too large"},
    {"\"after_rows\": 2", "\"after_rows\": 5", "plan.json: phases[0].actions[1].after_rows is 5, but the phase has 4 visits"},
    {"\"after_rows\": 0", "\"after_rows\": 3",
     "plan.json: phases[0].actions[1].after_rows is 2, which is less than the one before it"},
    {"[\"held_out\"]", "[\"nothing\"]",
     "plan.json: phases[0].actions[0].evaluate[0] is \"nothing\", but there is no such evaluation"},
    {"[\"held_out\"]", "[\"held_out\", \"held_out\"]", "plan.json: phases[0].actions[0].evaluate[0] is \"held_out\", twice"},
    {"\"rows_2\"", "\"final\"", "plan.json: phases[0].actions[2].save is \"final\", which is saved already"},
    {"\"rows_2\"", "\"../x\"", "plan.json: phases[0].actions[1].save is \"../x\", but has to be a plain name"},
    {"\"adamw\"", "\"sgd\"", "plan.json: optimizer.kind is \"sgd\"; this trainer knows adamw"},
    {"\"lr\": 1e-4", "\"lr\": -1", "plan.json: optimizer.lr is -1, but has to be at least 0"},
    {"\"lr\": 1e-4", "\"lr\": \"nan\"", "plan.json: optimizer.lr has to be a finite number, found a string"},
    {"[0.9, 0.999]", "[0.9, 1]", "plan.json: optimizer.betas[1] is 1, but has to be at least 0 and less than 1"},
    {"\"eps\": 1e-8", "\"eps\": 0", "plan.json: optimizer.eps is 0, but has to be greater than 0"},
    {"\"clip_norm\": 1.0", "\"clip_norm\": 0", "plan.json: optimizer.clip_norm is 0, but has to be greater than 0"},
    {"\"warmup_cosine\"", "\"linear\"", "plan.json: schedule.kind is \"linear\"; this trainer knows constant, warmup_cosine"},
    {"\"warmup_steps\": 7", "\"warmup_steps\": 0", "plan.json: schedule.warmup_steps is 0, but has to be at least 1"},
    {"\"rows\": [2, 0]", "\"rows\": [2, 3]", "plan.json: evaluations.held_out.rows[1] is 3, but there are 3 rows"},
    {", \"hash\": \"abc\"", "", "plan.json: evaluations.held_out.hash is missing"},
    {"\"folder\": \"out\"", "\"folder\": \"\"", "plan.json: output.folder must not be empty"},
    {"\"train_log.jsonl\"", "\"/tmp/log\"", "plan.json: output.log.file is \"/tmp/log\", but has to be a plain name"},
    {"\"every_rows\": 50", "\"every_rows\": 0", "plan.json: output.log.every_rows is 0"},
    {"\"val_ce\": \"val_end\"", "\"val_ce\": \"other\"",
     "plan.json: output.meta.val_ce is \"other\", but there is no such evaluation"},
    {"\"device\": \"auto\"", "\"device\": \"gpu\"",
     "plan.json: execution.device is \"gpu\", but has to be auto, cpu, cuda or cuda:<number>"},
    {"\"threads\": 2", "\"threads\": 0", "plan.json: execution.threads is 0"},
    {"\"recompute\": true", "\"recompute\": 1", "plan.json: execution.recompute has to be true or false, found a number"},
    {"\"dropout_seed\": 5", "\"dropout_seed\": -5", "plan.json: execution.dropout_seed is -5"},
    {"\"resume_keep\": 2", "\"resume_keep\": 0", "plan.json: execution.resume_keep is 0"},
};

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kPlan;
  const size_t at = text.find(from);
  if (!CHECK(at != std::string::npos)) return text;
  return text.replace(at, from.size(), to);
}

void refusals(const test::TemporaryFolder& folder) {
  const std::string path = folder / "plan.json";
  for (const Mutation& m : kMutations) {
    io::write_file_atomically(path, changed(m.from, m.to));
    CHECK_THROWS(io::read_plan(path), m.message);
  }
  CHECK_THROWS(io::read_plan(folder / "none.json"), "none.json: No such file");
}

void against_datasets(const test::TemporaryFolder& folder) {
  const std::string path = folder / "plan.json";
  const auto refuses = [&](const std::string& from, const std::string& to, const std::string& message) {
    io::write_file_atomically(path, changed(from, to));
    const io::Plan plan = io::read_plan(path);
    CHECK_THROWS(io::open_datasets(plan), message);
  };
  refuses("\"row\": [0, 1, 2]", "\"row\": [0, 1, 3]",
          "plan.json: rows.row[2] is 3, but " + (folder / "x.safetensors") + " has 3 rows");
  refuses("\"weights\": \"action\"", "\"weights\": \"other\"", "plan.json: roles[1].weights is \"other\", but");
  refuses("x.safetensors", "gone.safetensors", "gone.safetensors: No such file");
  test::DatasetBuilder other;
  other.replace("\"id\":\"p\"", "\"id\":\"q\"");
  other.write(folder / "y.safetensors");
  refuses("[\"x.safetensors\"]", "[\"x.safetensors\", \"y.safetensors\"]", "differ in their processor (id)");
  other.replace("\"id\":\"q\"", "\"id\":\"p\"");
  other.replace("\"patch\":16", "\"patch\":14");
  other.write(folder / "y.safetensors");
  refuses("[\"x.safetensors\"]", "[\"x.safetensors\", \"y.safetensors\"]",
          "differ in their processor, though its id is the same");
}

void speed(const test::TemporaryFolder& folder) {
  constexpr int kVisits = 100000;
  const auto column = [](const std::string& value) {
    std::string out = "[";
    for (int i = 0; i < kVisits; ++i) out += (i ? "," : "") + (value.empty() ? std::to_string(i % 3) : value);
    return out + "]";
  };
  std::string order = "\"step\": " + column("0") + ", \"rank\": " + column("1") + ", \"forward\": " + column("17") +
                      ", \"row\": " + column("") + ", \"role\": " + column("0") + ", \"epoch\": " + column("2") +
                      ", \"coefficient\": " + column("0.0008333333333333334");
  std::string text = kPlan;
  const size_t begin = text.find("\"step\": [0"), end = text.find("\"actions\"");
  text.replace(begin, end - begin, order + "}, ");
  text.replace(text.find("\"steps\": 2"), 10, "\"steps\": 1");
  io::write_file_atomically(folder / "plan.json", text);
  const double start = test::cpu_seconds();
  const io::Plan plan = io::read_plan(folder / "plan.json");
  const double seconds = test::cpu_seconds() - start;
  CHECK_EQUAL(plan.visits(), kVisits);
  std::printf("a plan of %d visits, %.1f MB: %.3f s\n", kVisits, static_cast<double>(text.size()) / 1e6, seconds);
  CHECK(seconds < 1 * test::kSlower);
}

}  // namespace

int main() {
  const test::TemporaryFolder folder;
  io::write_file_atomically(folder / "plan.json", kPlan);
  test::DatasetBuilder().write(folder / "x.safetensors");
  good(folder);
  refusals(folder);
  against_datasets(folder);
  speed(folder);
  return test::finish();
}
