// `bench`: times and memory of forward and backward without a plan, a dataset or a download.
//
//   bench --config CONFIG.json  random weights of that shape, LoRA with B not zero, rows of one prompt (with an image) and one
//   target bench --model FOLDER --ids FILE.json [--adapter FOLDER]  a real folder and the loss on given ids, to be compared with
//   another program's;
//       FILE is {"ids": [...], "targets": n}: the last n ids are scored
//
// Prints one JSON object. Times are wall clock around synchronised work, medians over the rows after two warm-up rows.
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "base/error.hpp"
#include "base/json.hpp"
#include "commands/command.hpp"
#include "lora/files.hpp"
#include "lora/init.hpp"
#include "models/registry.hpp"
#include "terms/terms.hpp"
#include "train/device.hpp"

namespace ws::commands {
namespace {

constexpr int64_t kWarmUp = 2;
const std::vector<std::string> kLeaves{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

[[noreturn]] void wrong(const std::string& message, const std::string& hint = {}) {
  throw Error(Fault::plan, "arguments", message, hint);
}

double number_or(const Options& o, const char* name, double fallback) {
  const auto text = o.find(name);
  if (!text) return fallback;
  double value = 0;
  const char* end = text->data() + text->size();
  if (std::from_chars(text->data(), end, value).ptr != end) wrong("--" + std::string(name) + " is not a number: " + *text);
  return value;
}

std::string choice_or(const Options& o, const char* name, const std::vector<std::string>& choices) {
  const std::string value = o.find(name).value_or(choices.front());
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::string all;
  for (const std::string& c : choices) all += (all.empty() ? "" : ", ") + c;
  wrong("--" + std::string(name) + " is " + value + ", expected one of " + all);
}

Grid read_grid(const std::string& text) {
  Grid out{};
  size_t at = 0;
  for (size_t i = 0; i < 3; ++i) {
    const char* end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data() + at, end, out[i]);
    if (error != std::errc() || (i < 2 ? next == end || *next != ',' : next != end)) wrong("--image-grid is not t,h,w: " + text);
    at = static_cast<size_t>(next - text.data()) + 1;
  }
  return out;
}

// A prompt with one image behind its first tokens, and a target. Ids are drawn; the numbers do not matter to the time.
RowInput random_row(const Model& m, int64_t prompt, int64_t target, const std::optional<Grid>& grid, int64_t ordinal) {
  const ModelInfo& info = m.info();
  RowInput row;
  row.ordinal = ordinal;
  const at::Tensor drawn = at::randint(0, info.vocab, {prompt + target}, at::kLong);
  row.ids.assign(drawn.const_data_ptr<int64_t>(), drawn.const_data_ptr<int64_t>() + drawn.numel());
  if (info.image_token)  // none by chance
    for (int64_t& id : row.ids) id = id == *info.image_token ? 0 : id;
  if (grid) {
    if (!info.image_token) wrong("the model takes no images", "Give --image-grid none.");
    const int64_t merge = info.image->merge, features = (*grid)[0] * (*grid)[1] * (*grid)[2] / (merge * merge);
    const int64_t first = std::min<int64_t>(100, (prompt - features) / 2);
    if (first < 1) wrong("the image's " + std::to_string(features) + " tokens do not fit into the prompt");
    std::fill_n(row.ids.begin() + first, features, *info.image_token);
    row.grids = {*grid};
    row.pixels = at::rand({(*grid)[0] * (*grid)[1] * (*grid)[2], info.image->values()}) * 2 - 1;
  }
  return row;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Timing {
  std::vector<double> forward, reference, backward;  // ms
  double loss = 0;
};

// One row forward, (reference,) backward into .grad.
void time_row(const Model& m, const Adapter& adapter, const RowInput& row, int64_t target, const ForwardOptions& options, bool kl,
              Timing* out) {
  const at::Device device = m.info().device;
  const auto now = [&] {
    synchronize(device);
    return std::chrono::steady_clock::now();
  };
  const auto n = static_cast<int64_t>(row.ids.size());
  const at::Tensor kept = at::arange(n - target - 1, n - 1).to(device);
  const at::Tensor targets = at::tensor(row.ids).narrow(0, n - target, target).to(device);
  const at::Tensor weights =
      at::full({target}, 1.0 / static_cast<double>(target), at::TensorOptions().dtype(at::kFloat).device(device));
  const auto t0 = now();
  const Segment segment = m.pack({row});
  const at::Tensor lp = score_targets(m.logits(m.forward(segment, options), kept), targets).log_probs;
  const auto t1 = now();
  at::Tensor loss;
  if (kl) {
    at::Tensor reference;
    {
      at::NoGradGuard no_grad;
      reference = score_targets(m.logits(m.forward(segment, {}), kept), targets).log_probs;
    }
    loss = k3(lp, reference, weights, -20, 8).sum;
  } else {
    loss = cross_entropy(lp, weights);
  }
  const auto t2 = now();
  torch::autograd::backward({loss}, {});
  const auto t3 = now();
  for (auto [key, p] : adapter.parameters()) p.mutable_grad() = at::Tensor();
  const auto ms = [](auto a, auto b) { return std::chrono::duration<double, std::milli>(b - a).count(); };
  out->loss = loss.item<double>();
  out->forward.push_back(ms(t0, t1));
  out->reference.push_back(ms(t1, t2));
  out->backward.push_back(ms(t2, t3));
}

// A fresh adapter whose B is not zero, so that A has a gradient and no product is trivially zero.
Adapter random_adapter(const Model& m, int64_t rank, const std::vector<std::string>& leaves) {
  Adapter out =
      init_adapter("default", rank, 2.0 * static_cast<double>(rank), m.lora_targets(leaves), 0, m.info().dtype, m.info().device);
  at::NoGradGuard no_grad;
  for (auto& [path, pair] : out.pairs) pair.b.normal_(0, 0.02);
  return out;
}

// {"ids": [...], "targets": n}
std::pair<std::vector<int64_t>, int64_t> read_ids(const std::string& file) {
  const json::Value root = json::parse_file(file);
  std::vector<int64_t> ids;
  for (const json::Value& v : root.at("ids").array()) ids.push_back(v.integer());
  const int64_t targets = root.at("targets").integer();
  if (targets < 1 || targets >= static_cast<int64_t>(ids.size()))
    wrong(file + ": targets is not between 1 and the number of ids");
  return {std::move(ids), targets};
}

}  // namespace

int bench(Arguments arguments) {
  const Options o(arguments,
                  {"config", "model", "ids", "adapter", "device", "dtype", "prompt", "target", "image-grid", "rows", "rank",
                   "dropout", "recompute", "branch", "threads"},
                  {"kl"});
  if (o.has("config") == o.has("model")) wrong("bench needs either --config CONFIG.json or --model FOLDER --ids FILE.json");
  if (o.has("threads")) set_threads(o.integer("threads"));
  const DeviceInfo device = choose_device(o.find("device").value_or("auto"));
  const std::string dtype = choice_or(o, "dtype", {"bfloat16", "float32"}),
                    branch = choice_or(o, "branch", {"float32", "bfloat16"});
  const bool recompute = choice_or(o, "recompute", {"on", "off"}) == "on", kl = o.flag("kl");
  const double dropout = number_or(o, "dropout", o.has("config") ? 0.05 : 0);
  const LoadOptions load{.dtype = dtype == "bfloat16" ? at::kBFloat16 : at::kFloat, .device = device.device};
  const int64_t rank = o.integer_or("rank", 16), rows = o.integer_or("rows", 6);
  if (rank < 1 || rows < 1) wrong("--rank and --rows are at least 1");
  if (dropout < 0 || dropout >= 1) wrong("--dropout is not in [0, 1)");

  const auto m = o.has("config") ? random_model(o.at("config"), load) : load_model(o.at("model"), load);
  at::manual_seed(0);
  Adapter adapter = o.has("adapter") ? load_adapter(o.at("adapter"), "default", m->linears(), {}, true, device.device)
                                     : random_adapter(*m, rank, kLeaves);
  adapter.branch = branch == "bfloat16" ? at::kBFloat16 : at::kFloat;
  const ForwardOptions options{.adapter = &adapter, .dropout = {dropout, 0}, .recompute = recompute};

  int64_t prompt = o.integer_or("prompt", 6600), target = o.integer_or("target", 150);
  RowInput fixed;
  std::optional<Grid> grid;
  if (o.has("model")) {
    std::tie(fixed.ids, target) = read_ids(o.at("ids"));
    prompt = static_cast<int64_t>(fixed.ids.size()) - target;
  } else {
    if (prompt < 1 || target < 1) wrong("--prompt and --target are at least 1");
    const std::string text = o.find("image-grid").value_or("1,50,80");
    if (text != "none") grid = read_grid(text);
  }
  Timing timing;
  for (int64_t i = 0; i < rows + kWarmUp; ++i) {
    if (i == kWarmUp) {
      timing = {};
      reset_device_peak(device.device);
    }
    const RowInput row = o.has("model") ? fixed : random_row(*m, prompt, target, grid, i);
    time_row(*m, adapter, row, target, options, kl, &timing);
  }
  const double forward = median(timing.forward), reference = median(timing.reference), backward = median(timing.backward);
  json::Object out{{"device", device.name},
                   {"dtype", dtype},
                   {"branch", branch},
                   {"recompute", recompute},
                   {"term", kl ? "k3" : "cross_entropy"},
                   {"prompt", prompt},
                   {"target", target},
                   {"rank", adapter.r},
                   {"dropout", dropout},
                   {"rows", rows},
                   {"parameters", m->info().parameters},
                   {"loss", timing.loss},
                   {"forward_ms", forward},
                   {"reference_ms", kl ? reference : 0.0},
                   {"backward_ms", backward},
                   {"row_ms", forward + reference + backward},
                   {"peak_gib", device.device.is_cuda() ? device_peak_gib(device.device) : process_peak_gib()}};
  std::printf("%s\n", json::write(out).c_str());
  return 0;
}

}  // namespace ws::commands
