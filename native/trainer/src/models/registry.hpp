// The architectures that this program knows, by config.json's model_type.
#pragma once
#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <vector>

#include "models/model.hpp"

namespace ws {

std::vector<std::string> architectures();  // sorted

// from_pretrained(dtype=bfloat16) rounds every weight, also the few that a checkpoint stores in fp32 (A_log and the gated norm of
// the delta rule). as_stored keeps these few as they are, as some servers do.
enum class Rounding { as_from_pretrained, as_stored };

struct LoadOptions {
  at::ScalarType dtype = at::kFloat;  // kFloat, kBFloat16; kDouble for tests
  at::Device device = at::kCPU;
  Rounding rounding = Rounding::as_from_pretrained;
};

// Loads a Hugging Face folder: config.json and model.safetensors or its shards. On the CPU a weight that has the right dtype is a
// view of the mapped file. Errors: model-missing, model-config, model-architecture, model-shard, model-tensor.
std::unique_ptr<Model> load_model(const std::string& folder, const LoadOptions& options);

// A model of a config.json's shape with random weights (normal, 0.02) made on the device. For measurements.
std::unique_ptr<Model> random_model(const std::string& config_file, const LoadOptions& options, uint64_t seed = 0);

}  // namespace ws
