#include "train/resume_state.hpp"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/list_folder.hpp"
#include "base/log.hpp"
#include "base/remove_tree.hpp"
#include "core/tensor_io.hpp"
#include "io/atomic_file.hpp"
#include "io/safetensors.hpp"

namespace ws {
namespace {

namespace fs = std::filesystem;

struct Saved {
  int64_t rows;
  std::string folder;
};

// Whole states, newest first.
std::vector<Saved> saved_states(const std::string& root) {
  std::vector<Saved> out;
  std::error_code none;
  for (const auto& [name, is_folder] : list_folder(root)) {
    int64_t rows = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rows);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    const std::string folder = root + "/" + name;
    if (is_folder && fs::exists(folder + "/DONE", none)) out.push_back({rows, folder});
  }
  std::sort(out.begin(), out.end(), [](const Saved& a, const Saved& b) { return a.rows > b.rows; });
  return out;
}

std::string root_of(const io::Plan& plan) { return plan.folder + "/resume"; }

}  // namespace

std::string save_resume_state(const io::Plan& plan, const FlatParameters& parameters, const AdamW& optimizer,
                              const Progress& progress, int64_t event_seq, int64_t segment) {
  const std::string folder = root_of(plan) + "/" + std::to_string(progress.rows);
  io::make_folders(root_of(plan));
  io::AtomicFolder target(folder);
  std::map<std::string, io::TensorRef> tensors;
  std::vector<at::Tensor> alive;
  const auto add = [&](const std::string& prefix, const at::Tensor& flat) {
    alive.push_back(flat.detach().to(at::kCPU).contiguous());
    for (const auto& [name, part] : parameters.parts(alive.back())) tensors[prefix + name] = ref_of(part);
  };
  add("adapter/", parameters.values());
  add("exp_avg/", optimizer.first_moment());
  add("exp_avg_sq/", optimizer.second_moment());
  add("grad/", parameters.gradients());
  io::write_safetensors(target.partial() + "/state.safetensors", tensors);
  const json::Object state{{"format", "whetstone-resume"},
                           {"version", 1},
                           {"plan_sha256", plan.sha256},
                           {"rows", progress.rows},
                           {"step", progress.optimizer_steps},
                           {"optimizer_steps", progress.optimizer_steps},
                           {"seq", event_seq},
                           {"segment", segment},
                           {"log", progress.log},
                           {"seconds", progress.seconds},
                           {"tokens", progress.tokens},
                           {"forwards", progress.forwards},
                           {"actions", progress.actions},
                           {"pending", progress.pending},
                           {"pending_seconds", progress.pending_seconds},
                           {"pending_tokens", progress.pending_tokens},
                           {"log_due", progress.log_due},
                           {"held_out", progress.held_out},
                           {"last_means", progress.last_means}};
  io::write_file_atomically(target.partial() + "/state.json", json::write(state) + "\n");
  target.commit();

  const std::vector<Saved> all = saved_states(root_of(plan));
  for (size_t i = static_cast<size_t>(plan.execution.resume_keep); i < all.size(); ++i) {
    std::error_code none;
    fs::remove(all[i].folder + "/DONE", none);  // first: a half-removed state must not count
    remove_tree(all[i].folder);
  }
  return folder;
}

std::optional<Progress> load_resume_state(const io::Plan& plan, FlatParameters& parameters, AdamW& optimizer) {
  at::NoGradGuard no_grad;
  for (const Saved& saved : saved_states(root_of(plan))) {
    Progress out;
    try {
      const json::Value state = json::parse_file(saved.folder + "/state.json");
      if (state.at("format").string() != "whetstone-resume" || state.at("version").integer() != 1 ||
          state.at("plan_sha256").string() != plan.sha256) {
        log_line("passed over " + saved.folder + ": it belongs to another plan or version");
        continue;
      }
      out.rows = state.at("rows").integer();
      out.forwards = state.at("forwards").integer();
      out.actions = state.at("actions").integer();
      out.optimizer_steps = state.at("optimizer_steps").integer();
      out.tokens = state.at("tokens").integer();
      out.seconds = state.at("seconds").number();
      out.log = state.at("log");
      out.pending = state.at("pending").array();
      out.pending_seconds = state.at("pending_seconds").object();
      out.pending_tokens = state.at("pending_tokens").integer();
      out.log_due = state.at("log_due").boolean();
      out.held_out = state.at("held_out").array();
      out.last_means = state.at("last_means").object();
      const io::SafeTensors file(saved.folder + "/state.safetensors");
      const auto read = [&](const std::string& prefix) {
        const at::Tensor flat = at::empty({parameters.total()}, at::kFloat);
        for (auto& [name, part] : parameters.parts(flat)) {
          const io::TensorRef& ref = file.at(prefix + name);
          if (ref.dtype != io::DType::f32 || ref.shape != part.sizes().vec())
            throw Error(Fault::data, "resume-state",
                        saved.folder + ": " + prefix + name + " has another dtype or shape than the adapter");
          part.copy_(view_of(ref));
        }
        return flat;
      };
      // Everything is read before anything is changed.
      const at::Tensor values = read("adapter/"), first = read("exp_avg/"), second = read("exp_avg_sq/"),
                       gradients = read("grad/");
      parameters.values().copy_(values);
      parameters.gradients().copy_(gradients);
      optimizer.restore(first, second, out.optimizer_steps);
      return out;
    } catch (const Error& e) {
      log_line("passed over " + saved.folder + ": " + e.what());
    }
  }
  return std::nullopt;
}

}  // namespace ws
