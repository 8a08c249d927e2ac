// Qwen3.5 (text and vision): the pieces of this folder behind the Model interface.
#pragma once
#include <memory>
#include <string>

#include "base/json.hpp"
#include "models/model.hpp"
#include "models/weights.hpp"

namespace ws::qwen35 {

// Takes the weights over: CPU tensors may be views into them.
std::unique_ptr<Model> make(const json::Value& config, const std::string& config_file, std::unique_ptr<Weights> weights);

}  // namespace ws::qwen35
