#include "lora/adapter.hpp"

#include <set>

namespace ws {

std::string peft_key(const std::string& path, char ab) { return "base_model.model." + path + ".lora_" + ab + ".weight"; }

std::vector<std::pair<std::string, at::Tensor>> Adapter::parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> out;
  for (const auto& [path, pair] : pairs) {
    out.emplace_back(peft_key(path, 'A'), pair.a);
    out.emplace_back(peft_key(path, 'B'), pair.b);
  }
  return out;
}

std::vector<std::string> Adapter::leaf_names() const {
  std::set<std::string> out;
  for (const auto& [path, pair] : pairs) out.insert(path.substr(path.rfind('.') + 1));
  return {out.begin(), out.end()};
}

Adapter clone_to(const Adapter& adapter, at::Device device) {
  Adapter out = adapter;
  const auto copy = [&](const at::Tensor& t) {
    return t.detach().to(device, t.scalar_type(), false, true).set_requires_grad(t.requires_grad());
  };
  for (auto& [path, pair] : out.pairs) pair = {copy(pair.a), copy(pair.b)};
  return out;
}

at::Tensor linear(const Linear& m, const at::Tensor& x, const Pass& pass) {
  const at::Tensor y = at::linear(x, m.weight, m.bias);
  const LoraPair* lora = pass.adapter ? pass.adapter->find(m.path) : nullptr;
  if (!lora) return y;
  // fp64 masters (tests of the true value) compute in fp64.
  const at::ScalarType type = lora->a.scalar_type() == at::kDouble ? at::kDouble : pass.adapter->branch;
  at::Tensor branch = x.to(type);
  if (pass.dropout > 0) branch = dropout(branch, pass.dropout, pass.dropout_keys, dropout_module_key(m.path));
  branch = at::linear(at::linear(branch, lora->a.to(type)), lora->b.to(type));
  return (y + branch * pass.adapter->scaling()).to(y.scalar_type());
}

}  // namespace ws
