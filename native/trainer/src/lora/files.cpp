#include "lora/files.hpp"

#include <filesystem>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/json.hpp"
#include "core/tensor_io.hpp"
#include "io/atomic_file.hpp"
#include "io/safetensors.hpp"

namespace ws {
namespace {

constexpr std::string_view kPrefix = "base_model.model.";
constexpr std::string_view kTail = ".lora_A.weight";  // and B, of the same length

// Names for a message: the first few, and how many more there are.
std::string some(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < 4; ++i) out += (i ? ", " : "") + names[i];
  return names.size() > 4 ? out + " and " + std::to_string(names.size() - 4) + " more" : out;
}

std::string shape_text(at::IntArrayRef shape) {
  std::ostringstream out;
  out << shape;
  return out.str();
}

// A field that is there, and is neither false, null nor empty, switches something on that changes the formula.
bool switched_on(const json::Value& v) {
  if (v.null()) return false;
  if (v.is_boolean()) return v.boolean();
  if (v.is_object()) return !v.object().empty();
  if (v.is_array()) return !v.array().empty();
  return true;
}

void check_config(const json::Value& config, const std::string& file) {
  const auto unsupported = [&](const std::string& what) {
    throw Error(Fault::model, "adapter-unsupported", file + ": " + what,
                "Use a plain LoRA adapter: one rank and alpha for all modules, no biases, no further modules.");
  };
  const json::Value& type = config.find("peft_type");
  if (!type.null() && type.string() != "LORA") unsupported("peft_type " + type.string() + " is not LORA");
  for (const char* field :
       {"use_dora", "use_rslora", "use_qalora", "lora_bias", "fan_in_fan_out", "rank_pattern", "alpha_pattern", "modules_to_save",
        "layer_replication", "target_parameters", "trainable_token_indices", "megatron_config"})
    if (switched_on(config.find(field))) unsupported(std::string(field) + " is set, which changes what the adapter computes");
  const json::Value& bias = config.find("bias");
  if (!bias.null() && bias.string() != "none") unsupported("bias " + bias.string() + " is not none");
}

}  // namespace

Adapter load_adapter(const std::string& folder, std::string name, const std::vector<LoraTarget>& linears,
                     const std::vector<LoraTarget>& targets, bool trainable, at::Device device) {
  const std::string config_file = folder + "/adapter_config.json", tensor_file = folder + "/adapter_model.safetensors";
  for (const std::string& file : {config_file, tensor_file})
    if (!std::filesystem::exists(file))
      throw Error(Fault::model, "adapter-missing", "no such file: " + file,
                  "Give the folder of a PEFT adapter: adapter_config.json and adapter_model.safetensors.");
  const json::Value config = json::parse_file(config_file);
  check_config(config, config_file);
  Adapter out;
  out.name = std::move(name);
  out.r = config.at("r").integer();
  out.alpha = config.at("lora_alpha").number();
  if (out.r < 1)
    throw Error(Fault::model, "adapter-unsupported", config_file + ": r is " + std::to_string(out.r),
                "A LoRA rank is at least 1.");

  std::map<std::string, const LoraTarget*> known;
  for (const LoraTarget& t : linears) known[t.path] = &t;
  std::vector<std::string> unknown;
  const io::SafeTensors file(tensor_file);
  for (const auto& [key, ref] : file.all()) {
    const std::string_view view = key;
    const std::string_view tail = view.size() > kTail.size() ? view.substr(view.size() - kTail.size()) : std::string_view();
    const bool a = tail == kTail, b = tail == ".lora_B.weight";
    const bool ours = view.starts_with(kPrefix) && (a || b);
    const std::string path = ours ? key.substr(kPrefix.size(), key.size() - kPrefix.size() - kTail.size()) : key;
    const auto found = known.find(path);
    if (!ours || found == known.end()) {
      unknown.push_back(path);
      continue;
    }
    const at::Tensor stored = view_of(ref);
    const std::vector<int64_t> shape =
        a ? std::vector<int64_t>{out.r, found->second->in} : std::vector<int64_t>{found->second->out, out.r};
    if (stored.sizes() != at::IntArrayRef(shape))
      throw Error(Fault::model, "adapter-tensor",
                  tensor_file + ": " + key + " has the shape " + shape_text(stored.sizes()) + ", expected " + shape_text(shape),
                  "The adapter's r and its tensors, or its base model and this model, do not agree.");
    at::Tensor t = stored.to(device, at::kFloat, false, /*copy=*/true);  // a copy: the map goes away
    LoraPair& pair = out.pairs[path];
    (a ? pair.a : pair.b) = t.set_requires_grad(trainable);
  }
  if (!unknown.empty())
    throw Error(Fault::model, "adapter-modules",
                tensor_file + " has tensors for modules that this model does not have: " + some(unknown),
                "The adapter belongs to another model, or was trained through another class (its keys then differ).");
  std::vector<std::string> missing;
  for (const auto& [path, pair] : out.pairs) {
    if (!pair.a.defined()) missing.push_back(peft_key(path, 'A'));
    if (!pair.b.defined()) missing.push_back(peft_key(path, 'B'));
  }
  if (!missing.empty())
    throw Error(Fault::model, "adapter-tensor", tensor_file + " lacks " + some(missing),
                "The file is incomplete; save the adapter again.");
  if (out.pairs.empty())
    throw Error(Fault::model, "adapter-tensor", tensor_file + " holds no LoRA tensors", "Save the adapter again.");
  if (!targets.empty()) {
    std::set<std::string> wanted;
    for (const LoraTarget& t : targets) wanted.insert(t.path);
    std::vector<std::string> extra;
    for (const auto& [path, pair] : out.pairs)
      if (!wanted.erase(path)) extra.push_back(path);
    missing.assign(wanted.begin(), wanted.end());
    if (!missing.empty() || !extra.empty())
      throw Error(Fault::model, "adapter-modules",
                  tensor_file + " does not hold the wanted modules:" + (missing.empty() ? "" : " it lacks " + some(missing)) +
                      (missing.empty() || extra.empty() ? "" : ";") + (extra.empty() ? "" : " it has too many: " + some(extra)),
                  "Use the same target modules as the adapter was trained with.");
  }
  return out;
}

void save_adapter(const Adapter& adapter, const std::string& folder, const std::string& base_model, double dropout) {
  std::map<std::string, io::TensorRef> tensors;
  std::vector<at::Tensor> alive;
  for (const auto& [key, value] : adapter.parameters()) {
    alive.push_back(value.detach().to(at::kCPU, at::kFloat).contiguous());
    tensors[key] = ref_of(alive.back());
  }
  io::write_safetensors(folder + "/adapter_model.safetensors", tensors);

  json::Array leaves;
  for (const std::string& leaf : adapter.leaf_names()) leaves.emplace_back(leaf);
  // The fields that PEFT and vLLM need; PEFT fills in the defaults of all others.
  const json::Object config{{"peft_type", "LORA"},
                            {"task_type", "CAUSAL_LM"},
                            {"base_model_name_or_path", base_model},
                            {"r", adapter.r},
                            {"lora_alpha", adapter.alpha},
                            {"lora_dropout", dropout},
                            {"target_modules", std::move(leaves)},
                            {"bias", "none"},
                            {"fan_in_fan_out", false},
                            {"inference_mode", true},
                            {"init_lora_weights", true},
                            {"modules_to_save", nullptr}};
  io::write_file_atomically(folder + "/adapter_config.json", json::write_indented(config) + "\n");
}

}  // namespace ws
