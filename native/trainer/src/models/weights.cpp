#include "models/weights.hpp"

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/json.hpp"
#include "core/tensor_io.hpp"

namespace ws {

Weights::Weights(const std::string& folder, std::optional<at::ScalarType> through) : through_(through) {
  const std::string index = folder + "/model.safetensors.index.json";
  std::set<std::string> names;
  if (std::filesystem::exists(index)) {
    const json::Value root = json::parse_file(index);
    for (const auto& [tensor, file] : root.at("weight_map").object()) names.insert(file.string());
  } else {
    names.insert("model.safetensors");
  }
  for (const std::string& name : names) files_.push_back(std::make_unique<io::SafeTensors>(folder + "/" + name));
}

bool Weights::has(const std::string& name) const {
  for (const auto& f : files_)
    if (f->has(name)) return true;
  return false;
}

at::Tensor Weights::take(const std::string& name, at::IntArrayRef shape, at::ScalarType dtype) {
  for (const auto& f : files_) {
    if (!f->has(name)) continue;
    at::Tensor t = view_of(f->at(name));
    if (t.sizes() != shape) {
      std::ostringstream text;
      text << name << ": shape " << t.sizes() << ", expected " << shape;
      throw std::runtime_error(text.str());
    }
    taken_.insert(name);
    if (through_) t = t.to(*through_);
    return t.scalar_type() == dtype ? t : t.to(dtype);
  }
  throw std::runtime_error("model has no tensor " + name);
}

std::vector<std::string> Weights::untaken() const {
  std::vector<std::string> out;
  for (const auto& f : files_)
    for (const auto& [name, ref] : f->all())
      if (!taken_.contains(name)) out.push_back(name);
  return out;
}

}  // namespace ws
