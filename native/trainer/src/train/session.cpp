#include "train/session.hpp"

#include "core/tensor_io.hpp"
#include "models/registry.hpp"

namespace ws {

const std::vector<std::string>& Session::fields() const {
  static const std::vector<std::string> none;
  return datasets.empty() ? none : datasets[0]->fields();
}

std::unique_ptr<Session> open_session(io::Plan plan) {
  auto out = std::make_unique<Session>();
  out->plan = std::move(plan);
  set_threads(out->plan.execution.threads);
  out->datasets = io::open_datasets(out->plan);
  check_plan(out->plan, out->datasets);
  out->device = choose_device(out->plan.execution.device);
  out->model = load_model(out->plan.model.path, {.dtype = scalar_type(out->plan.model.dtype), .device = out->device.device});
  check_model(out->plan, out->datasets, out->model->info());
  out->adapters = make_adapters(out->plan, *out->model);
  out->reader = std::make_unique<RowReader>(out->plan, out->datasets);
  out->pass = std::make_unique<ForwardPass>(out->plan, *out->model, out->adapters, out->fields().size());
  return out;
}

}  // namespace ws
