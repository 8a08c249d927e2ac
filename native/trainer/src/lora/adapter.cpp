#include "lora/adapter.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/json.hpp"
#include "io/safetensors.hpp"
#include "core/tensor_io.hpp"

namespace ws {
namespace {

constexpr const char* kPrefix = "base_model.model.";

uint64_t mix(uint64_t x) {  // splitmix64's finaliser
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

uint64_t fnv(const std::string& s) {
  uint64_t h = 0xCBF29CE484222325ull;
  for (unsigned char c : s) h = (h ^ c) * 0x100000001B3ull;
  return h;
}

}  // namespace

std::string peft_key(const std::string& path, char ab) { return kPrefix + path + ".lora_" + ab + ".weight"; }

std::vector<std::pair<std::string, at::Tensor>> Adapter::parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> out;
  for (const auto& [path, pair] : pairs) {
    out.emplace_back(peft_key(path, 'A'), pair.a);
    out.emplace_back(peft_key(path, 'B'), pair.b);
  }
  return out;
}

Adapter load_adapter(const std::string& folder, std::string name, bool trainable) {
  const json::Value config = json::parse_file(folder + "/adapter_config.json");
  Adapter out;
  out.name = std::move(name);
  out.r = config.at("r").integer();
  out.alpha = config.at("lora_alpha").number();
  for (const char* refused : {"use_dora", "use_rslora", "lora_bias", "fan_in_fan_out"})
    if (config.boolean_or(refused, false)) throw std::runtime_error(folder + ": " + refused + " is not supported");
  for (const char* refused : {"rank_pattern", "alpha_pattern"})
    if (!config.find(refused).null() && !config.at(refused).object().empty())
      throw std::runtime_error(folder + ": " + refused + " is not supported");

  const io::SafeTensors file(folder + "/adapter_model.safetensors");
  for (const auto& [key, ref] : file.all()) {
    const std::string tail = key.size() > 14 ? key.substr(key.size() - 14) : "";
    const bool a = tail == ".lora_A.weight", b = tail == ".lora_B.weight";
    if (key.rfind(kPrefix, 0) != 0 || !(a || b)) throw std::runtime_error(folder + ": unexpected tensor " + key);
    const size_t skip = std::string(kPrefix).size();
    LoraPair& pair = out.pairs[key.substr(skip, key.size() - skip - 14)];
    at::Tensor t = view_of(ref).to(at::kFloat).clone();  // clone: the map goes away
    if (t.size(a ? 0 : 1) != out.r) throw std::runtime_error(folder + ": rank of " + key);
    t.set_requires_grad(trainable);
    (a ? pair.a : pair.b) = t;
  }
  for (const auto& [path, pair] : out.pairs)
    if (!pair.a.defined() || !pair.b.defined()) throw std::runtime_error(folder + ": " + path + " lacks lora_A or lora_B");
  return out;
}

void save_adapter(const Adapter& adapter, const std::string& folder) {
  std::map<std::string, io::TensorRef> tensors;
  std::vector<at::Tensor> alive;
  for (const auto& [key, value] : adapter.parameters()) {
    alive.push_back(value.detach().to(at::kCPU, at::kFloat).contiguous());
    const at::Tensor& t = alive.back();
    tensors[key] = {io::DType::f32, t.sizes().vec(), static_cast<const std::byte*>(t.const_data_ptr()), t.nbytes()};
  }
  io::write_safetensors(folder + "/adapter_model.safetensors", tensors);
}

at::Tensor dropout_mask(const Dropout& d, const Segment& s, const std::string& path, int64_t features, int64_t first_token) {
  std::vector<int64_t> keys(static_cast<size_t>(s.cu.back()));
  const uint64_t module = mix(d.seed ^ mix(fnv(path)));
  for (int64_t r = 0; r < s.rows(); ++r) {
    const uint64_t row = mix(module ^ mix(static_cast<uint64_t>(s.ordinals.at(static_cast<size_t>(r)))));
    for (int64_t i = 0; i < s.length(r); ++i)
      keys[static_cast<size_t>(s.start(r) + i)] = static_cast<int64_t>(mix(row ^ static_cast<uint64_t>(first_token + i)) & 0xFFFFFFFFu);
  }
  const at::Device device = s.ids.device();
  constexpr int64_t low = 0xFFFFFFFF;
  at::Tensor x = at::arange(features, at::kLong).to(device).mul(0x9E3779B1).bitwise_and(low).unsqueeze(0);
  x = at::bitwise_xor(at::tensor(keys, at::kLong).to(device).unsqueeze(1), x);
  for (const auto& [shift, factor] : {std::pair<int64_t, int64_t>{16, 0x85EBCA6B}, {13, 0xC2B2AE35}}) {
    x = at::bitwise_xor(x, at::bitwise_right_shift(x, shift)).mul(factor).bitwise_and(low);
  }
  x = at::bitwise_xor(x, at::bitwise_right_shift(x, 16));
  const auto cut = static_cast<int64_t>(d.p * 4294967296.0);
  return at::ge(x, cut).to(at::kFloat).div(1.0 - d.p);
}

at::Tensor linear(const Linear& m, const at::Tensor& x, const Pass& pass) {
  at::Tensor y = at::linear(x, m.weight, m.bias);
  const LoraPair* lora = pass.adapter ? pass.adapter->find(m.path) : nullptr;
  if (!lora) return y;
  at::Tensor branch = x.to(lora->a.scalar_type());
  if (pass.dropout.p > 0) branch = branch * dropout_mask(pass.dropout, pass.segment, m.path, x.size(-1), pass.parent_tokens);
  branch = at::linear(at::linear(branch, lora->a), lora->b);
  return (y + branch * pass.adapter->scaling()).to(y.scalar_type());
}

}  // namespace ws
