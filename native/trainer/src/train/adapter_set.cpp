#include "train/adapter_set.hpp"

#include <sstream>

#include "base/error.hpp"
#include "core/tensor_io.hpp"
#include "lora/files.hpp"
#include "lora/init.hpp"

namespace ws {

Adapter make_adapter(const io::PlanAdapter& settings, const Model& model, bool trainable) {
  const ModelInfo& info = model.info();
  const std::vector<LoraTarget> targets =
      settings.targets.empty() ? std::vector<LoraTarget>{} : model.lora_targets(settings.targets);
  Adapter out;
  if (settings.init == io::PlanAdapter::Init::peft) {
    if (targets.empty())
      throw Error(Fault::plan, "plan-invalid", "adapters." + settings.name + ": a new adapter needs targets",
                  "List the modules' leaf names in targets, such as q_proj.");
    out = init_adapter(settings.name, settings.rank, settings.alpha, targets, settings.seed, info.dtype, info.device);
  } else {
    out = load_adapter(settings.path, settings.name, model.linears(), targets, trainable, info.device);
    if (out.r != settings.rank || out.alpha != settings.alpha) {
      std::ostringstream text;
      text << "the adapter in " << settings.path << " has rank " << out.r << " and alpha " << out.alpha
           << ", but the plan says rank " << settings.rank << " and alpha " << settings.alpha << " for \"" << settings.name
           << "\"";
      throw Error(Fault::model, "adapter-settings", text.str(),
                  "Use the adapter's own rank and alpha, or start from another one.");
    }
  }
  out.branch = scalar_type(settings.branch_dtype);
  return out;
}

FlatParameters flatten(Adapter& adapter) {
  FlatParameters flat(adapter.parameters());
  size_t i = 0;
  for (auto& [path, pair] : adapter.pairs) {  // the order of parameters(): by path, A before B
    pair.a = flat.leaves()[i++].second;
    pair.b = flat.leaves()[i++].second;
  }
  return flat;
}

AdapterSet make_adapters(const io::Plan& plan, const Model& model) {
  AdapterSet out;
  for (const io::PlanAdapter& settings : plan.adapters)
    out.all.emplace(settings.name, make_adapter(settings, model, settings.name == "default"));
  return out;
}

}  // namespace ws
