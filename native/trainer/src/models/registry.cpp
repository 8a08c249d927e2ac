#include "models/registry.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/json.hpp"
#include "models/qwen35/qwen35.hpp"
#include "models/weights.hpp"

namespace ws {
namespace {

using Make = std::unique_ptr<Model> (*)(const json::Value& config, const std::string& config_file,
                                        std::unique_ptr<Weights> weights);

struct Architecture {
  const char* model_type;
  Make make;
};

// A new architecture is a folder beside qwen35/ and a line here. Sorted by name.
constexpr std::array kArchitectures{
    Architecture{"qwen3_5", &qwen35::make},
};

const Architecture& architecture_of(const json::Value& config, const std::string& file) {
  const json::Value& type = config.find("model_type");
  const std::string name = type.is_string() ? type.string() : "(none)";
  std::string known;
  for (const Architecture& a : kArchitectures) {
    if (name == a.model_type) return a;
    known += (known.empty() ? "" : ", ") + std::string(a.model_type);
  }
  throw Error(Fault::model, "model-architecture",
              file + ": model_type " + name + " is not an architecture that this trainer knows", "Known: " + known + ".");
}

json::Value read_json(const std::string& file) {
  try {
    return json::parse_file(file);
  } catch (const Error& e) {
    throw Error(Fault::model, "model-config", e.what(), "Fetch the model's config.json again.");
  }
}

}  // namespace

std::vector<std::string> architectures() {
  std::vector<std::string> out;
  for (const Architecture& a : kArchitectures) out.emplace_back(a.model_type);
  return out;
}

std::unique_ptr<Model> load_model(const std::string& folder, const LoadOptions& options) {
  const std::string file = folder + "/config.json";
  if (!std::filesystem::is_directory(folder))
    throw Error(Fault::model, "model-missing", "no such model folder: " + folder,
                "Give the folder of a Hugging Face checkpoint.");
  if (!std::filesystem::exists(file))
    throw Error(Fault::model, "model-missing", "no such file: " + file,
                "Give the folder of a Hugging Face checkpoint, with its config.json.");
  const json::Value config = read_json(file);
  const Architecture& a = architecture_of(config, file);
  return a.make(config, file, std::make_unique<FileWeights>(folder, options));
}

std::unique_ptr<Model> random_model(const std::string& config_file, const LoadOptions& options, uint64_t seed) {
  const json::Value config = read_json(config_file);
  return architecture_of(config, config_file).make(config, config_file, std::make_unique<RandomWeights>(options, seed));
}

std::vector<LoraTarget> Model::lora_targets(const std::vector<std::string>& leaves) const {
  const std::vector<LoraTarget> all = linears();
  std::set<std::string> present;
  for (const LoraTarget& t : all) present.insert(t.leaf());
  for (const std::string& leaf : leaves)
    if (!present.contains(leaf)) {
      std::string known;
      for (const std::string& p : present) known += (known.empty() ? "" : ", ") + p;
      throw Error(Fault::model, "adapter-targets", "the model has no linear layer named " + leaf, "There are: " + known + ".");
    }
  std::vector<LoraTarget> out;
  for (const LoraTarget& t : all)
    if (std::find(leaves.begin(), leaves.end(), t.leaf()) != leaves.end()) out.push_back(t);
  return out;
}

}  // namespace ws
