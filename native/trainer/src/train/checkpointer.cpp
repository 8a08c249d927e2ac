#include "train/checkpointer.hpp"

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/read_file.hpp"
#include "base/sha256.hpp"
#include "io/atomic_file.hpp"
#include "lora/files.hpp"

namespace ws {
namespace {

namespace fs = std::filesystem;

// The plan that the checkpoint in `folder` was made by; "" when there is none or it cannot be read.
std::string plan_of(const std::string& folder) {
  try {
    return json::parse_file(folder + "/whetstone.json").at("plan_sha256").string();
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

void check_output_folder(const io::Plan& plan, bool resuming) {
  const std::string& folder = plan.output.folder;
  const auto refuse = [&](const std::string& file) {
    throw Error(Fault::file_system, "output-holds-run",
                "the output folder " + folder + " holds another run: " + file + " is there",
                "Choose another output folder, or move that run away.");
  };
  const auto there = [&](const std::string& file) {
    std::error_code none;
    return fs::exists(folder + "/" + file, none);
  };
  const bool ours = resuming && (!there("whetstone.json") || plan_of(folder) == plan.sha256);
  if (ours) return;
  for (const char* file : {"whetstone.json", "DONE", "adapter_model.safetensors", "train_log.jsonl"})
    if (there(file)) refuse(file);
  if (plan.output.log && there(plan.output.log->file)) refuse(plan.output.log->file);
}

std::string save_checkpoint(const io::Plan& plan, const Adapter& adapter, const std::string& name, bool final, int64_t rows,
                            int64_t step) {
  const std::string folder = final ? plan.output.folder : plan.output.folder + "/" + name;
  io::make_folders(plan.output.folder);
  std::unique_ptr<io::AtomicFolder> target;
  std::error_code none;
  if (final)
    fs::remove(folder + "/DONE", none);  // of an earlier segment: the folder does not count while it changes
  else
    target = std::make_unique<io::AtomicFolder>(folder);
  const std::string into = target ? target->partial() : folder;
  save_adapter(adapter, into, plan.model.name, plan.find_adapter("default")->dropout);
  const std::string bytes = read_file(into + "/adapter_model.safetensors");
  const json::Object about{{"format", "whetstone-checkpoint"},
                           {"version", 1},
                           {"run", plan.name},
                           {"name", name},
                           {"rows", rows},
                           {"step", step},
                           {"plan_sha256", plan.sha256},
                           {"tensors_sha256", hex(sha256(bytes))}};
  io::write_file_atomically(into + "/whetstone.json", json::write_indented(about) + "\n");
  if (target)
    target->commit();
  else
    io::write_file_atomically(folder + "/DONE", "");
  return folder;
}

}  // namespace ws
