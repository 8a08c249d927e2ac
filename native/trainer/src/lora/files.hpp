// Adapters on disk, as PEFT and vLLM read them: adapter_config.json and adapter_model.safetensors.
#pragma once
#include <string>
#include <vector>

#include "lora/adapter.hpp"

namespace ws {

// Reads a PEFT LoRA folder. `linears` are the model's (Model::linears()): a tensor for another module, or of another shape, is an
// error. With `targets` not empty the file has to hold exactly these modules; what is missing is named, because PEFT would leave
// it at its initial value. Refused: everything that changes the formula (DoRA, rsLoRA, rank and alpha patterns, biases,
// modules_to_save, ...). r and alpha are the file's: whether they agree with a plan is the caller's to check. Errors:
// adapter-missing, adapter-unsupported, adapter-tensor, adapter-modules.
Adapter load_adapter(const std::string& folder, std::string name, const std::vector<LoraTarget>& linears,
                     const std::vector<LoraTarget>& targets, bool trainable, at::Device device = at::kCPU);

// Writes adapter_model.safetensors (fp32) and adapter_config.json into an existing folder, each by a temporary name.
// `base_model` is the hub id or the folder that the config names; `dropout` is the one trained with.
void save_adapter(const Adapter& adapter, const std::string& folder, const std::string& base_model, double dropout);

}  // namespace ws
