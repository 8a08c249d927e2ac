// The plan's adapters on the device: "default", which is trained, and frozen ones that terms refer to.
#pragma once
#include <map>
#include <string>

#include "io/plan.hpp"
#include "lora/adapter.hpp"
#include "models/model.hpp"
#include "train/flat_parameters.hpp"

namespace ws {

struct AdapterSet {
  std::map<std::string, Adapter> all;
  Adapter& trained() { return all.at("default"); }
  const Adapter& trained() const { return all.at("default"); }
  const Adapter& at(const std::string& name) const { return all.at(name); }
};

// Makes or loads one adapter as the plan describes it. Throws ws::Error (model, "adapter-settings") when a loaded one has another
// rank or alpha, and what load_adapter throws.
Adapter make_adapter(const io::PlanAdapter& settings, const Model& model, bool trainable);
// Moves the adapter's weights into one buffer with one gradient; the adapter's leaves become views of it.
FlatParameters flatten(Adapter& adapter);

AdapterSet make_adapters(const io::Plan& plan, const Model& model);

}  // namespace ws
