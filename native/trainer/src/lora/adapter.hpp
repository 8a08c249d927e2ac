// Named LoRA adapters and the linear layer that they branch from.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/segment.hpp"

namespace ws {

struct LoraPair {
  at::Tensor a, b;  // [r, in], [out, r]: fp32 leaves
};

struct Adapter {
  std::string name;
  int64_t r = 0;
  double alpha = 0;
  std::map<std::string, LoraPair> pairs;  // by module path without PEFT's prefix, "model.language_model.layers.0.mlp.up_proj"

  double scaling() const { return alpha / static_cast<double>(r); }
  const LoraPair* find(const std::string& path) const {
    const auto it = pairs.find(path);
    return it == pairs.end() ? nullptr : &it->second;
  }
  // In PEFT's order of the file: sorted names, a before b.
  std::vector<std::pair<std::string, at::Tensor>> parameters() const;
};

std::string peft_key(const std::string& path, char ab);  // "base_model.model." + path + ".lora_A.weight"

Adapter load_adapter(const std::string& folder, std::string name, bool trainable);
void save_adapter(const Adapter& adapter, const std::string& folder);  // the tensors only

struct Dropout {
  double p = 0;
  uint64_t seed = 0;
};

// Scaled keep mask, fp32 [T, features]: 0 or 1 / (1 - p). A function of (seed, ordinal of the row visit, module, token in its row,
// feature) alone, so packing, recompute, ranks and resume cannot change it.
at::Tensor dropout_mask(const Dropout& d, const Segment& s, const std::string& path, int64_t features, int64_t first_token);

struct Linear {
  std::string path;
  at::Tensor weight, bias;
};

// What stays the same through all layers of one forward. Shared, because recompute needs it again in the backward.
struct Pass {
  Segment segment;
  const Adapter* adapter = nullptr;
  Dropout dropout;
  int64_t parent_tokens = 0;
};

at::Tensor linear(const Linear& m, const at::Tensor& x, const Pass& pass);

}  // namespace ws
