// The training loop on a tiny model: what a step sums, what a stop and a resume change (nothing), what is recorded, what is
// refused.
#include <ATen/core/grad_mode.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <torch/csrc/autograd/autograd.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/remove_tree.hpp"
#include "commands/command.hpp"
#include "io/decode_image.hpp"
#include "test_support/tiny_run.hpp"
#include "test_support/torch_check.hpp"
#include "train/loop.hpp"
#include "train/visit_error.hpp"

using namespace ws;
using namespace ws::test;
namespace fs = std::filesystem;

namespace {

std::string golden, root;

// A fresh folder with a dataset of eight rows; row 7 has an image where images can be decoded.
std::string fresh_folder(const std::string& name) {
  const std::string folder = root + "/" + name;
  fs::create_directories(folder);
  std::vector<TinyRow> rows;
  for (uint32_t i = 0; i < 7; ++i) rows.push_back(text_row(20 + 13 * i, 6 + i, 100 + i));
  rows.push_back(io::can_decode_images() ? image_row(folder + "/image.png", 40, 8, 9) : text_row(44, 8, 9));
  rows[6].ids[2] = 299;  // the token that poison_model makes NaN
  write_dataset(folder + "/rows.safetensors", rows);
  return folder;
}

json::Object action(int after, const char* save, bool evaluate) {
  json::Object out{{"after_rows", after}};
  if (save) out.set("save", save);
  if (evaluate) out.set("evaluate", json::Array{"held_out"});
  return out;
}

// Two epochs of 7 visits (rows 0 to 4 CE, 5 and 7 anchors), 4 visits a step; the 3 left over at the epoch's end stay in the
// gradient, so the steps hold visits 0-3, 4-10 and 11-13.
TinyPlan two_epochs(const std::string& folder) {
  TinyPlan p;
  p.model = golden + "/model/base";
  p.output = folder + "/out";
  for (int i = 0; i < 8; ++i) p.names.push_back("episode-" + std::to_string(i) + ":1");
  const int order[] = {0, 5, 1, 2, 7, 3, 4};
  for (int i = 0; i < 14; ++i) {
    const int row = order[i % 7];
    const bool anchor = row == 5 || row == 7;
    const double targets = row == 7 ? 8 : 6 + row;
    p.visits.push_back({i < 4    ? 0
                        : i < 11 ? 1
                                 : 2,
                        i, row, anchor ? 1 : 0, i / 7, anchor ? 0.1 / std::floor(targets / 2) / 4 : 1 / targets / 4});
  }
  p.held_out = {3, 6};
  p.actions = {action(0, nullptr, true), action(7, "epoch_1", true), action(14, "final", true)};
  return p;
}

struct Ran {
  TrainResult result;
  std::vector<std::string> printed;
};

// `stop_after`: the stop is asked for once that many visits are done; 0 never, -1 at once.
Ran train(const std::string& plan_file, bool resume = false, int64_t stop_after = 0, int64_t segment = 0) {
  const auto session = open_session(io::read_plan(plan_file));
  const std::string path = session->plan.folder + "/events.jsonl";
  io::EventWriter events(path, io::next_event_seq(path));
  SingleProcess alone;
  Ran out;
  const std::string log = session->plan.folder + "/logprobs.rank0.bin";
  // A record of n targets takes 8 + 4 n bytes, so the file's growth counts the visits.
  int64_t seen = 0;
  uintmax_t size = fs::exists(log) ? fs::file_size(log) : 8;
  const auto stop = [&] {
    if (stop_after <= 0) return stop_after < 0;
    const uintmax_t now = fs::exists(log) ? fs::file_size(log) : 8;
    if (now > size) ++seen;
    size = std::max(size, now);
    return seen >= stop_after;
  };
  Trainer trainer(*session, alone, events,
                  {.resume = resume, .stop = stop, .print = [&](const std::string& line) { out.printed.push_back(line); }});
  out.result = trainer.run(segment);
  return out;
}

std::vector<json::Value> visits_of(const std::string& folder) {
  std::vector<json::Value> out;
  for (const json::Value& step : events_of(folder, "step"))
    for (const json::Value& visit : step.at("visits").array()) out.push_back(visit);
  return out;
}

size_t count_lines(const std::string& path, const std::string& part) {
  size_t out = 0;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) out += line.find(part) != std::string::npos;
  return out;
}

// The same quantities by other code: the model called row by row, gradients by autograd::grad, summed by hand.
struct Direct {
  at::Tensor log_probs;
  at::Tensor loss;
};
Direct direct_row(const Session& s, const PreparedRow& row, bool anchor, double p = 0) {
  const Segment segment = s.model->pack({row.input});
  const at::Tensor positions =
      at::tensor(std::vector<int64_t>(row.example.target_positions.begin(), row.example.target_positions.end()), at::kLong);
  const at::Tensor targets =
      at::tensor(std::vector<int64_t>(row.example.target_ids.begin(), row.example.target_ids.end()), at::kLong);
  const auto score = [&](const Adapter* adapter) {
    const at::Tensor hidden = s.model->forward(segment, {.adapter = adapter, .dropout = {p, 7}});
    return at::log_softmax(s.model->logits(hidden, positions), -1).gather(1, targets.unsqueeze(1)).squeeze(1);
  };
  Direct out;
  out.log_probs = score(&s.adapters.trained());
  if (!anchor) {
    out.loss = -out.log_probs.sum();
  } else {
    at::Tensor reference;
    {
      at::NoGradGuard no_grad;
      reference = score(nullptr);
    }
    std::vector<float> weights;
    for (size_t i = 0; i < row.example.target_ids.size(); ++i) weights.push_back(row.example.column("action")[i]);
    const at::Tensor d = reference - out.log_probs;
    out.loss = ((d.exp() - d - 1) * at::tensor(weights)).sum();
  }
  return out;
}

void full_run_and_resume() {
  const std::string whole = fresh_folder("whole"), broken = fresh_folder("broken");
  const auto plan_of = [](const std::string& folder) {
    TinyPlan p = two_epochs(folder);
    p.dropout = 0.1;
    p.clip = 1.0;
    p.recompute = true;
    return write_plan(folder, p);
  };
  const Ran a = train(plan_of(whole));
  CHECK(!a.result.stopped);
  CHECK_EQUAL(a.result.rows, 14);
  CHECK_EQUAL(a.result.steps, 3);

  const std::string broken_plan = plan_of(broken);
  const Ran b = train(broken_plan, false, 6);  // in the middle of step 1
  CHECK(b.result.stopped);
  CHECK_EQUAL(b.result.rows, 6);
  CHECK_EQUAL(b.result.steps, 1);
  CHECK_EQUAL(events_of(broken, "stopped").size(), 1u);
  CHECK(!fs::exists(broken + "/out/DONE"));
  const Ran c = train(broken_plan, true, 3, 1);  // stops again, 3 visits later
  CHECK_EQUAL(c.result.rows, 9);
  const Ran d = train(broken_plan, true, 0, 2);
  CHECK_EQUAL(d.result.rows, 14);

  for (const char* file : {"/out/adapter_model.safetensors", "/out/epoch_1/adapter_model.safetensors", "/logprobs.rank0.bin"})
    CHECK(read_file(whole + file) == read_file(broken + file));
  const auto va = visits_of(whole), vb = visits_of(broken);
  CHECK_EQUAL(va.size(), 14u);
  CHECK_EQUAL(vb.size(), 14u);
  for (size_t i = 0; i < std::min(va.size(), vb.size()); ++i) CHECK_EQUAL(json::write(va[i]), json::write(vb[i]));
  const auto sa = events_of(whole, "step"), sb = events_of(broken, "step");
  for (size_t i = 0; i < std::min(sa.size(), sb.size()); ++i)
    CHECK_EQUAL(sa[i].at("grad_norm").number(), sb[i].at("grad_norm").number());
  const auto started = events_of(broken, "started");
  CHECK_EQUAL(started.size(), 3u);
  CHECK_EQUAL(started[1].at("from_rows").integer(), 6);
  CHECK_EQUAL(started[2].at("segment").integer(), 2);
  CHECK_EQUAL(events_of(broken, "finished").size(), 1u);

  // A stop before the first row of the first evaluation: the evaluation is made up for.
  const std::string early = fresh_folder("early"), early_plan = plan_of(early);
  const Ran e = train(early_plan, false, -1);
  CHECK_EQUAL(e.result.rows, 0);
  CHECK_EQUAL(events_of(early, "evaluation").size(), 0u);
  train(early_plan, true, 0, 1);
  CHECK_EQUAL(events_of(early, "evaluation").size(), 3u);
  CHECK(read_file(whole + "/out/adapter_model.safetensors") == read_file(early + "/out/adapter_model.safetensors"));

  // k3 is 0 while the adapter is (B = 0), and above 0 once it has moved.
  CHECK_EQUAL(va[1].at("role").integer(), 1);
  CHECK(std::abs(va[1].at("sum").number()) < 1e-9);
  CHECK(va[8].at("sum").number() > 1e-9);
  CHECK_EQUAL(va[1].at("w").number(), 5.0);

  // The whole record.
  for (const char* file : {"/out/DONE", "/out/adapter_config.json", "/out/whetstone.json", "/out/epoch_1/DONE", "/out/meta.json"})
    CHECK(fs::exists(whole + file));
  const json::Value meta = json::parse_file(whole + "/out/meta.json");
  const auto evaluations = events_of(whole, "evaluation");
  CHECK_EQUAL(evaluations.size(), 3u);
  CHECK_EQUAL(meta.at("rows_trained").integer(), 14);
  CHECK_EQUAL(meta.at("adapter").string(), "tiny");
  CHECK_EQUAL(meta.at("val_ce").number(), evaluations[2].at("mean").number());
  CHECK_EQUAL(meta.at("held_out").array().size(), 3u);
  CHECK_EQUAL(meta.at("held_out").array()[1].at("checkpoint").string(), "epoch_1");
  CHECK(json::write(json::parse_file(broken + "/out/meta.json").at("held_out")) == json::write(meta.at("held_out")));

  // The log: records after 4, 8, 12 and 14 visits; means of row means since the last one.
  std::ifstream in(whole + "/out/train_log.jsonl");
  std::vector<json::Value> log;
  for (std::string line; std::getline(in, line);) log.push_back(json::parse(line));
  CHECK_EQUAL(log.size(), 4u);
  CHECK_EQUAL(a.printed.size(), 5u);  // and the meta file
  const int ends[] = {4, 8, 12, 14};
  for (size_t i = 0, from = 0; i < log.size(); from = static_cast<size_t>(ends[i]), ++i) {
    double sum[2] = {0, 0}, n[2] = {0, 0};
    for (size_t k = from; k < static_cast<size_t>(ends[i]); ++k) {
      const auto role = static_cast<size_t>(va[k].at("role").integer());
      sum[role] += va[k].at("sum").number() / va[k].at("w").number();
      ++n[role];
    }
    CHECK_EQUAL(log[i].at("rows").integer(), ends[i]);
    CHECK_EQUAL(log[i].at("of").integer(), 14);
    CHECK_NEAR(log[i].at("ce").number(), sum[0] / std::max(1.0, n[0]), 1e-12);
    CHECK_NEAR(log[i].at("kl").number(), sum[1] / std::max(1.0, n[1]), 1e-12);
  }
  CHECK_EQUAL(log[0].at("epoch").integer(), 0);
  CHECK_EQUAL(log[1].at("epoch").integer(), 1);
  const Schedule schedule{Schedule::Kind::warmup_cosine, 1, 8};
  CHECK_EQUAL(log[0].at("lr").number(), 1e-3 * schedule.factor(1));  // of the next step
  CHECK_EQUAL(log[3].at("lr").number(), 1e-3 * schedule.factor(3));
  std::ifstream again(broken + "/out/train_log.jsonl");
  size_t lines = 0;
  for (std::string line; std::getline(again, line); ++lines) {
    const json::Value other = json::parse(line);
    for (const char* key : {"rows", "ce", "kl", "lr"}) CHECK_EQUAL(other.at(key).number(), log.at(lines).at(key).number());
  }
  CHECK_EQUAL(lines, 4u);

  // A finished run is not run again, and its folders take no other.
  CHECK_THROWS(commands::train(std::vector<std::string>{"--plan", whole + "/plan.json"}), "holds a run");
  CHECK_THROWS(commands::train(std::vector<std::string>{"--plan", whole + "/plan.json", "--resume"}), "has finished");
  const std::string other = fresh_folder("other");
  TinyPlan p = two_epochs(other);
  p.output = whole + "/out";
  write_plan(other, p);
  CHECK_THROWS(commands::train(std::vector<std::string>{"--plan", other + "/plan.json"}), "holds another run");
  CHECK(!fs::exists(other + "/events.jsonl"));
}

// With lr 0 the weights stay, so the gradient of step 1 is the explicit sum over its seven visits of both epochs.
void sums_and_coefficients() {
  const auto norms = [](const std::string& name, double factor, int pack) {
    const std::string folder = fresh_folder(name);
    TinyPlan p = two_epochs(folder);
    p.lr = 0;
    p.load = golden + "/model/adapter";
    p.rank = 2;
    p.alpha = 4;
    p.resume_every_seconds = 1e-9;  // after every forward
    for (TinyVisit& v : p.visits) {
      v.coefficient *= factor;
      if (pack) v.forward = v.step * 100 + v.epoch * 10;  // a whole step and epoch in one forward
    }
    train(write_plan(folder, p));
    std::vector<double> out;
    for (const json::Value& step : events_of(folder, "step")) out.push_back(step.at("grad_norm").number());
    return out;
  };
  const auto plain = norms("plain", 1, 0), twice = norms("twice", 2, 0), packed = norms("packed", 1, 1);
  CHECK_EQUAL(plain.size(), 3u);
  for (size_t i = 0; i < plain.size(); ++i) {
    CHECK_NEAR(twice[i] / plain[i], 2.0, 1e-5);
    CHECK_NEAR(packed[i] / plain[i], 1.0, 1e-5);
  }
  size_t states = 0;
  for (const auto& entry : fs::directory_iterator(root + "/plain/resume")) states += fs::exists(entry.path() / "DONE");
  CHECK_EQUAL(states, 2u);  // resume_keep
  CHECK(fs::exists(root + "/plain/resume/13/DONE"));
  const auto alone = visits_of(root + "/plain"), together = visits_of(root + "/packed");
  double worst = 0;
  for (size_t i = 0; i < alone.size(); ++i)
    worst = std::max(worst, std::abs(alone[i].at("sum").number() - together[i].at("sum").number()) / alone[i].at("w").number());
  CHECK(worst < 1e-5);

  const auto session = open_session(io::read_plan(root + "/plain/plan.json"));
  const Course course = course_of(session->plan, 0);
  std::vector<at::Tensor> leaves, sum;
  for (const auto& [name, leaf] : session->adapters.trained().parameters()) leaves.push_back(leaf);
  double row_error = 0;
  for (size_t v = 4; v <= 10; ++v) {
    const Visit& visit = course.forwards[v].visits[0];
    const Direct direct = direct_row(*session, session->reader->read(visit), visit.role == 1);
    const auto grads = torch::autograd::grad({direct.loss * visit.coefficient}, leaves);
    if (sum.empty()) sum.assign(grads.size(), at::zeros({}));
    for (size_t i = 0; i < grads.size(); ++i) sum[i] = sum[i] + grads[i];
    row_error =
        std::max(row_error, std::abs(direct.loss.item<double>() - alone[v].at("sum").number()) / alone[v].at("w").number());
  }
  double squares = 0;
  for (const at::Tensor& g : sum) squares += g.pow(2).sum().item<double>();
  CHECK_NEAR(plain[1] / std::sqrt(squares), 1.0, 1e-5);
  CHECK(row_error < 1e-5);
  std::printf("step 1 over the epoch's boundary: norm relative %.1e; packed rows %.1e, direct rows %.1e a target\n",
              plain[1] / std::sqrt(squares) - 1, worst, row_error);

  // The evaluation before training, by hand.
  at::NoGradGuard no_grad;
  double mean = 0;
  for (const int row : {3, 6}) {
    const Direct direct = direct_row(*session, session->reader->read(Visit{.row = row, .role = kNoRole}), false);
    mean += -direct.log_probs.mean().item<double>() / 2;
  }
  const json::Value evaluation = events_of(root + "/plain", "evaluation").at(0);
  CHECK_NEAR(evaluation.at("mean").number(), mean, 1e-6);
  CHECK_EQUAL(evaluation.at("rows").integer(), 0);
  CHECK_EQUAL(evaluation.at("n").integer(), 2);
  const auto& sums = evaluation.at("sums").array();
  const double first = sums[0].number() / 9, second = sums[1].number() / 12;
  CHECK_NEAR(evaluation.at("stderr").number(), std::abs(first - second) / 2, 1e-12);
  CHECK_EQUAL(evaluation.at("groups").array().size(), 2u);
  CHECK_NEAR(evaluation.at("groups").array()[0].at("mean").number(), second, 1e-12);  // row 6 is even
  const auto& fields = evaluation.at("fields").array();
  CHECK_NEAR(fields[0].at("sum").number() + fields[1].at("sum").number(), sums[0].number() + sums[1].number(), 1e-9);
  CHECK_EQUAL(fields[1].at("count").integer(), 4 + 6);
}

void not_finite() {
  const std::string folder = fresh_folder("poison");
  poison_model(golden + "/model/base", folder + "/model", 299);
  TinyPlan p = two_epochs(folder);
  p.model = folder + "/model";
  p.held_out = {3};
  p.visits[9].row = 6;  // in the middle of step 1
  p.actions = {action(4, "rows_4", false), action(14, "final", false)};
  const std::string plan = write_plan(folder, p);
  CHECK_THROWS(commands::train(std::vector<std::string>{"--plan", plan}), "episode-6:1");
  const auto failed = events_of(folder, "failed");
  CHECK_EQUAL(failed.size(), 1u);
  CHECK_EQUAL(failed[0].at("code").string(), "non-finite");
  CHECK_EQUAL(json::write(failed[0].at("visits")), "[9]");
  CHECK_EQUAL(events_of(folder, "step").size(), 1u);
  CHECK(fs::exists(folder + "/out/rows_4/DONE"));
  CHECK(!fs::exists(folder + "/out/DONE"));

  // Finite losses whose gradient overflows: found before the step is taken, and every visit of the step is named.
  const std::string steep = fresh_folder("steep");
  TinyPlan q = two_epochs(steep);
  q.visits[9].coefficient = 1e300;
  CHECK_THROWS(commands::train(std::vector<std::string>{"--plan", write_plan(steep, q)}), "norm of step 1");
  CHECK_EQUAL(json::write(events_of(steep, "failed").at(0).at("visits")), "[4,5,6,7,8,9,10]");
  CHECK_EQUAL(events_of(steep, "step").size(), 1u);
}

void refusals() {
  const auto refuse = [](const std::string& name, const std::string& part, auto change) {
    const std::string folder = fresh_folder(name);
    TinyPlan p = two_epochs(folder);
    change(p, folder);
    const std::string plan = write_plan(folder, p);
    CHECK_THROWS(commands::train(std::vector<std::string>{"--plan", plan}), part);
    CHECK(!fs::exists(folder + "/out/adapter_model.safetensors"));
    if (fs::exists(folder + "/events.jsonl")) CHECK_EQUAL(events_of(folder, "failed").size(), 1u);
  };
  refuse("ranks", "2 ranks", [](TinyPlan& p, auto&) { p.ranks = 2; });
  refuse("rank", "rank", [](TinyPlan& p, auto&) {
    p.load = golden + "/model/adapter";
    p.rank = 7;
  });
  refuse("no-model", "no-such-model", [](TinyPlan& p, auto& folder) { p.model = folder + "/no-such-model"; });
  refuse("device", "cuda:99", [](TinyPlan& p, auto&) { p.device = "cuda:99"; });
  refuse("inside", "falls inside a forward", [](TinyPlan& p, auto&) { p.visits[6].forward = p.visits[7].forward = 6; });
  refuse("old-output", "holds another run", [](TinyPlan& p, auto& folder) {
    fs::create_directories(folder + "/out");
    std::ofstream(folder + "/out/train_log.jsonl") << "{}\n";
  });
  if (io::can_decode_images())
    refuse("image", "image.png", [](TinyPlan&, auto& folder) { std::ofstream(folder + "/image.png", std::ios::app) << "x"; });
}

// What a function prints on stdout.
template <class F>
std::string printed_by(F f) {
  const std::string file = root + "/stdout";
  std::fflush(stdout);
  const int saved = ::dup(1), into = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(into, 1);
  f();
  std::fflush(stdout);
  ::dup2(saved, 1);
  ::close(saved);
  ::close(into);
  return read_file(file);
}

size_t files_in(const std::string& folder) {
  size_t out = 0;
  for (const auto& entry : fs::directory_iterator(folder)) out += entry.is_directory() ? files_in(entry.path().string()) : 1;
  return out;
}

void other_commands() {
  const std::string folder = root + "/whole", plan = folder + "/plan.json";
  const size_t files = files_in(folder);
  const json::Value answer = json::parse(printed_by([&] {
    commands::evaluate(std::vector<std::string>{"--plan", plan, "--set", "held_out", "--adapter", folder + "/out"});
  }));
  const json::Value last = events_of(folder, "evaluation").back();
  for (const char* key : {"mean", "sums", "counts", "groups", "fields", "hash"})
    CHECK_EQUAL(json::write(answer.at(key)), json::write(last.at(key)));
  const json::Value first = json::parse(printed_by([&] {
    commands::evaluate(std::vector<std::string>{"--plan", plan, "--set", "held_out"});
  }));
  CHECK_EQUAL(first.at("mean").number(), events_of(folder, "evaluation").at(0).at("mean").number());
  CHECK_THROWS(commands::evaluate(std::vector<std::string>{"--plan", plan, "--set", "none"}), "no evaluation");

  const json::Value tried = json::parse(printed_by([&] { commands::try_rows(std::vector<std::string>{"--plan", plan}); }));
  const auto& rows = tried.at("rows").array();
  CHECK_EQUAL(rows.size(), 2u);
  CHECK_EQUAL(rows.at(0).at("name").string(), "episode-4:1");
  CHECK_EQUAL(rows.at(1).at("name").string(), "episode-5:1");
  CHECK_EQUAL(rows.at(1).at("tokens").integer(), 85);
  CHECK(rows.at(1).at("reference_s").number() > 0 && rows.at(1).at("backward_s").number() > 0);
  CHECK(tried.at("peak_gib").number() > 0.01);
  CHECK_EQUAL(files_in(folder), files);
}

// The same run on a card: other kernels, the same numbers up to rounding.
void on_a_card() {
  if (!at::hasCUDA()) {
    std::printf("no CUDA here: the run on a card was not tested\n");
    return;
  }
  const std::string cpu = fresh_folder("on-cpu"), card = fresh_folder("on-card");
  for (const auto& [folder, device] : {std::pair{cpu, "cpu"}, {card, "cuda"}}) {
    TinyPlan p = two_epochs(folder);
    p.device = device;
    p.dropout = 0.1;
    train(write_plan(folder, p));
  }
  const auto a = visits_of(cpu), b = visits_of(card);
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i].at("sum").number() - b[i].at("sum").number()) / a[i].at("w").number());
  CHECK_EQUAL(b.size(), 14u);
  CHECK(worst < 1e-3);
  const json::Value step = events_of(card, "step").back();
  CHECK(step.at("gpu_gib").number() > 0);
  CHECK(step.at("seconds").at("forward").number() > 0);
  CHECK(step.at("seconds").at("backward").number() > 0);
  std::printf("on %s: rows differ by %.1e a target from the CPU's; last step %s\n",
              json::write(events_of(card, "started").at(0).at("device")).c_str(), worst, json::write(step.at("seconds")).c_str());
}

// 40 visits of 220 tokens, 8 a step, every third an anchor.
std::string longer_run(const std::string& folder) {
  std::vector<TinyRow> rows;
  TinyPlan p = two_epochs(folder);
  p.names.clear();
  p.visits.clear();
  for (int i = 0; i < 40; ++i) {
    rows.push_back(text_row(220, 40, static_cast<uint32_t>(i)));
    p.names.push_back("row " + std::to_string(i));
    p.visits.push_back({i / 8, i, i, i % 3 == 2, 0, 0.01});
  }
  write_dataset(folder + "/rows.safetensors", rows);
  p.actions = {action(40, "final", false)};
  return write_plan(folder, p);
}

// The command in a process of its own; SIGTERM once `after_steps` steps are in the events. Returns the exit status.
int run_command(const std::string& folder, std::vector<std::string> arguments, size_t after_steps) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = commands::train(arguments);
    } catch (const Error& e) {
      status = e.exit_status();
    }
    ::_exit(status);
  }
  int status = 0;
  bool sent = after_steps == 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    ::usleep(2000);
    if (sent || !fs::exists(folder + "/events.jsonl") || count_lines(folder + "/events.jsonl", "\"kind\":\"step\"") < after_steps)
      continue;
    ::kill(child, SIGTERM);
    sent = true;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void stop_by_signal() {
  const std::string folder = fresh_folder("signal"), plan = longer_run(folder);
  CHECK_EQUAL(run_command(folder, {"--plan", plan}, 1), 10);
  CHECK_EQUAL(events_of(folder, "stopped").size(), 1u);
  const int64_t rows = events_of(folder, "stopped").at(0).at("rows").integer();
  CHECK(rows >= 8 && rows < 40);
  CHECK(!fs::exists(folder + "/out/DONE"));
  CHECK_EQUAL(run_command(folder, {"--plan", plan, "--resume"}, 0), 0);
  CHECK(fs::exists(folder + "/out/DONE"));
  CHECK_EQUAL(visits_of(folder).size(), 40u);
  int64_t seq = 0;
  std::ifstream in(folder + "/events.jsonl");
  for (std::string line; std::getline(in, line); ++seq) CHECK_EQUAL(json::parse(line).at("seq").integer(), seq);
}

// What the loop itself costs on a tiny model, where it is worst.
void cost() {
  const TrainResult r = train(longer_run(fresh_folder("cost"))).result;
  const double all = r.forward + r.backward + r.reference + r.optimizer + r.other;
  std::printf(
      "a step: %.1f ms, forward %.1f %%, backward %.1f %%, reference %.1f %%, optimizer %.1f %%, other %.2f %%; event_ms %.3f, "
      "at most %.3f\n",
      all / static_cast<double>(r.steps) * 1e3, 100 * r.forward / all, 100 * r.backward / all, 100 * r.reference / all,
      100 * r.optimizer / all, 100 * r.other / all, r.event_ms, r.event_ms_max);
  CHECK(r.other / all < 0.05);
  CHECK(r.event_ms < 1.0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return 2;  // a third argument keeps the runs there
  golden = fs::absolute(argv[1]).string();
  root = (fs::temp_directory_path() / ("whetstone-train-test-" + std::to_string(::getpid()))).string();
  if (argc == 3) root = fs::absolute(argv[2]).string();
  remove_tree(root);
  stop_by_signal();  // forks: before this process has threads
  full_run_and_resume();
  sums_and_coefficients();
  not_finite();
  refusals();
  other_commands();
  on_a_card();
  cost();
  if (counts().failures == 0 && argc == 2) remove_tree(root);
  return finish();
}
