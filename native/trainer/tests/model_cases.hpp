// The golden rows of the tiny model (native/reference/dump.py) and the ways in which tests run them.
#pragma once
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "core/tensor_io.hpp"
#include "io/safetensors.hpp"
#include "lora/files.hpp"
#include "models/model.hpp"
#include "terms/terms.hpp"

namespace ws::test {

struct Case {
  std::string name;
  std::unique_ptr<io::SafeTensors> file;
  RowInput row;
  int64_t n_target = 0;
  double low = 0, high = 0;  // the clamp of its k3
  at::Tensor action;         // fp32 [n_target]

  at::Tensor golden(const std::string& key) const { return view_of(file->at(key)); }
  // Packed positions before each target, of a row that starts at `offset`.
  at::Tensor positions(int64_t offset = 0) const {
    const auto n = static_cast<int64_t>(row.ids.size());
    return at::arange(n - n_target - 1, n - 1) + offset;
  }
  at::Tensor targets() const { return at::tensor(row.ids).narrow(0, static_cast<int64_t>(row.ids.size()) - n_target, n_target); }
  at::Tensor ce_weights() const { return at::full({n_target}, 1.0 / static_cast<double>(n_target)); }
  at::Tensor kl_weights() const { return action / action.sum(); }
};

inline std::vector<Case> load_cases(const std::string& folder) {
  std::vector<Case> out;
  const json::Value index = json::parse_file(folder + "/cases.json");
  for (const json::Value& v : index.array()) {
    Case c;
    c.name = v.at("name").string();
    c.n_target = v.at("n_target").integer();
    c.low = v.at("clamp").array().at(0).number();
    c.high = v.at("clamp").array().at(1).number();
    c.file = std::make_unique<io::SafeTensors>(folder + "/" + c.name + ".safetensors");
    const at::Tensor ids = c.golden("input_ids");
    c.row.ids.assign(ids.const_data_ptr<int64_t>(), ids.const_data_ptr<int64_t>() + ids.numel());
    c.row.ordinal = static_cast<int64_t>(out.size());
    c.action = c.golden("action").to(at::kFloat);
    if (c.file->has("pixel_values")) {
      c.row.pixels = c.golden("pixel_values");
      const at::Tensor g = c.golden("image_grid_thw");
      for (int64_t i = 0; i < g.size(0); ++i)
        c.row.grids.push_back({g[i][0].item<int64_t>(), g[i][1].item<int64_t>(), g[i][2].item<int64_t>()});
    }
    out.push_back(std::move(c));
  }
  return out;
}

inline double max_abs(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes(), "shapes ", a.sizes(), " and ", b.sizes());
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}
inline double relative(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes(), "shapes ", a.sizes(), " and ", b.sizes());
  return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm().clamp_min(1e-30)).item<double>();
}
// The largest relative difference of two lists of tensors, each relative to its own norm.
inline double worst(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  TORCH_CHECK(a.size() == b.size(), a.size(), " and ", b.size(), " tensors");
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) out = std::max(out, relative(a[i], b[i]));
  return out;
}
inline bool same_bits(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!at::equal(a[i], b[i])) return false;
  return true;
}

inline std::vector<at::Tensor> leaves(const Adapter& a) {
  std::vector<at::Tensor> out;
  for (const auto& [key, t] : a.parameters()) out.push_back(t);
  return out;
}
inline std::vector<at::Tensor> grads_of(const at::Tensor& loss, const Adapter& a) {
  return torch::autograd::grad({loss}, leaves(a));
}

inline at::Tensor row_log_probs(const Model& m, const Case& c, const ForwardOptions& o) {
  const at::Tensor hidden = m.forward(m.pack({c.row}), o);
  return score_targets(m.logits(hidden, c.positions()), c.targets()).log_probs;
}

struct Result {
  at::Tensor log_probs;
  std::vector<at::Tensor> grads;  // of the mean cross-entropy
};
inline Result run(const Model& m, const Case& c, const ForwardOptions& o) {
  const at::Tensor lp = row_log_probs(m, c, o);
  return {lp.detach(), grads_of(cross_entropy(lp, c.ce_weights()), *o.adapter)};
}

}  // namespace ws::test
