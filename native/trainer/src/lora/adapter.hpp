// Named LoRA adapters and the linear layer that they branch from: y = W x + (alpha / r) * B A dropout(x).
//
// Master weights are fp32 leaves whatever the model's dtype. A forward uses one adapter or none; several can be held beside each
// other.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/dropout.hpp"
#include "core/segment.hpp"

namespace ws {

struct LoraPair {
  at::Tensor a, b;  // [r, in], [out, r]: fp32 leaves
};

// A linear layer of a model that an adapter can branch from.
struct LoraTarget {
  std::string path;  // module path, "model.language_model.layers.0.mlp.up_proj"
  int64_t in = 0, out = 0;
  std::string leaf() const { return path.substr(path.rfind('.') + 1); }
};

struct Adapter {
  std::string name;
  int64_t r = 0;
  double alpha = 0;
  at::ScalarType branch = at::kFloat;     // dtype in which the branch computes: kFloat or kBFloat16 (the masters stay fp32)
  std::map<std::string, LoraPair> pairs;  // by module path

  double scaling() const { return alpha / static_cast<double>(r); }
  const LoraPair* find(const std::string& path) const {
    const auto it = pairs.find(path);
    return it == pairs.end() ? nullptr : &it->second;
  }
  // (PEFT's key, tensor) in the order of PEFT's file: sorted paths, A before B. The tensors are the leaves themselves.
  std::vector<std::pair<std::string, at::Tensor>> parameters() const;
  std::vector<std::string> leaf_names() const;  // sorted, each once: adapter_config.json's target_modules
};

// "base_model.model." + path + ".lora_A.weight"; `ab` is 'A' or 'B'.
std::string peft_key(const std::string& path, char ab);

// Moves (or copies, within one device: a clone) the weights to `device` as new leaves with the same requires_grad.
Adapter clone_to(const Adapter& adapter, at::Device device);

struct Linear {
  std::string path;
  at::Tensor weight, bias;  // [out, in], [out] or undefined
};

// What stays the same through all layers of one forward. Shared, because recompute needs it again in the backward.
struct Pass {
  Segment segment;
  const Adapter* adapter = nullptr;
  double dropout = 0;
  at::Tensor dropout_keys;  // int32 [T], undefined without dropout
};

// x [T, in] -> [T, out] in x's dtype. The branch computes in adapter->branch; the sum is rounded once.
at::Tensor linear(const Linear& m, const at::Tensor& x, const Pass& pass);

}  // namespace ws
