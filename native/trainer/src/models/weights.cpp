#include "models/weights.hpp"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "base/json.hpp"
#include "core/tensor_io.hpp"

namespace ws {
namespace {

std::string text_of(at::IntArrayRef shape) {
  std::ostringstream out;
  out << shape;
  return out.str();
}

json::Value read_index(const std::string& file) {
  try {
    return json::parse_file(file);
  } catch (const Error& e) {
    throw Error(Fault::model, "model-shard", e.what(), "Fetch the file again.");
  }
}

}  // namespace

at::Tensor Weights::take_as(const std::string& name, at::IntArrayRef shape, at::ScalarType dtype) {
  const at::Tensor t = find(name, shape);
  parameters_ += t.numel();
  return t.to(options_.device, dtype);  // neither copies what is there already
}

at::Tensor Weights::take(const std::string& name, at::IntArrayRef shape) { return take_as(name, shape, options_.dtype); }

at::Tensor Weights::take_fp32(const std::string& name, at::IntArrayRef shape) {
  const bool rounded = options_.rounding == Rounding::as_from_pretrained || options_.dtype == at::kDouble;
  return take_as(name, shape, rounded ? options_.dtype : at::kFloat);
}

FileWeights::FileWeights(const std::string& folder, const LoadOptions& options) : Weights(options), folder_(folder) {
  const std::string index = folder + "/model.safetensors.index.json", single = folder + "/model.safetensors";
  std::set<std::string> names;
  std::map<std::string, std::string> promised;
  if (std::filesystem::exists(index)) {
    const json::Value root = read_index(index);
    if (!root.find("weight_map").is_object())
      throw Error(Fault::model, "model-shard", index + " has no weight_map", "Fetch the file again.");
    for (const auto& [tensor, file] : root.at("weight_map").object()) {
      names.insert(file.string());
      promised[tensor] = file.string();
    }
  } else if (std::filesystem::exists(single)) {
    names.insert("model.safetensors");
  } else {
    throw Error(Fault::model, "model-missing", folder + " holds neither model.safetensors nor model.safetensors.index.json",
                "Give the folder of a complete Hugging Face checkpoint in safetensors form.");
  }
  std::string missing;
  for (const std::string& name : names)
    if (!std::filesystem::exists(folder + "/" + name)) missing += (missing.empty() ? "" : ", ") + name;
  if (!missing.empty())
    throw Error(Fault::model, "model-shard", index + " names files that are not there: " + missing,
                "The download is incomplete: fetch the missing files into " + folder + ".");
  for (const std::string& name : names) {
    auto file = std::make_unique<io::SafeTensors>(folder + "/" + name);
    for (const auto& [tensor, ref] : file->all()) place_[tensor] = files_.size();
    files_.push_back(std::move(file));
  }
  for (const auto& [tensor, file] : promised)
    if (!place_.contains(tensor))
      throw Error(Fault::model, "model-shard",
                  folder + "/" + file + " lacks the tensor " + tensor + " that " + index + " promises",
                  "Index and files are of different checkpoints: fetch the folder again.");
}

at::Tensor FileWeights::find(const std::string& name, at::IntArrayRef shape) {
  const auto place = place_.find(name);
  if (place == place_.end())
    throw Error(Fault::model, "model-tensor", folder_ + " has no tensor " + name,
                "config.json and the weights do not belong together, or the checkpoint is incomplete.");
  const io::SafeTensors& file = *files_[place->second];
  const io::TensorRef& ref = file.at(name);
  if (at::IntArrayRef(ref.shape) != shape)
    throw Error(Fault::model, "model-tensor",
                file.path() + ": " + name + " has the shape " + text_of(ref.shape) + ", config.json asks for " + text_of(shape),
                "config.json and the weights do not belong together.");
  if (ref.dtype != io::DType::f64 && ref.dtype != io::DType::f32 && ref.dtype != io::DType::f16 && ref.dtype != io::DType::bf16)
    throw Error(Fault::model, "model-tensor",
                file.path() + ": " + name + " is " + io::name_of(ref.dtype) + ", not a floating-point tensor",
                "Quantised checkpoints cannot be trained on: use the original one.");
  taken_.insert(name);
  if (ref.aligned()) return view_of(ref);
  at::Tensor copy = at::empty(ref.shape, scalar_type(ref.dtype));  // a writer that did not pad its header
  std::copy(ref.data, ref.data + ref.bytes, static_cast<std::byte*>(copy.data_ptr()));
  return copy;
}

std::vector<std::string> FileWeights::finish(const std::vector<std::string_view>& ignored) {
  std::vector<std::string> out;
  for (const auto& [name, place] : place_) {
    if (taken_.contains(name)) continue;
    const bool known =
        std::any_of(ignored.begin(), ignored.end(), [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (!known)
      throw Error(Fault::model, "model-tensor",
                  files_[place]->path() + " holds a tensor that this architecture does not have: " + name,
                  "The checkpoint is of another architecture, or holds more than config.json says.");
    out.push_back(name);
  }
  return out;
}

RandomWeights::RandomWeights(const LoadOptions& options, uint64_t seed) : Weights(options) { at::manual_seed(seed); }

at::Tensor RandomWeights::find(const std::string&, at::IntArrayRef shape) {
  at::NoGradGuard no_grad;
  return at::empty(shape, at::TensorOptions().dtype(options().dtype).device(options().device)).normal_(0, 0.02);
}

std::vector<std::string> RandomWeights::finish(const std::vector<std::string_view>&) { return {}; }

}  // namespace ws
