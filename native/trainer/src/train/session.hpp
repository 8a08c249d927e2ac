// Everything that train, eval and try share: plan, datasets, device, model and adapters, checked against each other.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "io/plan.hpp"
#include "models/model.hpp"
#include "train/adapter_set.hpp"
#include "train/device.hpp"
#include "train/forward_pass.hpp"
#include "train/plan_check.hpp"
#include "train/row_reader.hpp"

namespace ws {

struct Session {
  io::Plan plan;
  Datasets datasets;
  DeviceInfo device;
  std::unique_ptr<Model> model;
  AdapterSet adapters;
  std::unique_ptr<RowReader> reader;
  std::unique_ptr<ForwardPass> pass;

  // Names of `column.field`'s values; all datasets of a plan have the same.
  const std::vector<std::string>& fields() const;
};

// Sets the thread count. Throws ws::Error of every kind of fault; makes no file. Not movable once made: parts point at each
// other.
std::unique_ptr<Session> open_session(io::Plan plan);

}  // namespace ws
