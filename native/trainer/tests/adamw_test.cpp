// AdamW, clipping and the schedule against torch's own results on given gradients (reference/make_adamw.py): equal bit for bit.
#include <ATen/Parallel.h>

#include <string>

#include "core/tensor_io.hpp"
#include "io/safetensors.hpp"
#include "test_support/check.hpp"
#include "train/adamw.hpp"
#include "train/clip.hpp"
#include "train/flat_parameters.hpp"
#include "train/schedule.hpp"

using namespace ws;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  at::set_num_threads(2);
  const io::SafeTensors file(std::string(argv[1]) + "/adamw.safetensors");
  const auto stored = [&](const std::string& name) { return view_of(file.at(name)).clone(); };

  NamedTensors start;
  for (int i = 0; file.has("start/" + std::to_string(i)); ++i) start.emplace_back(std::to_string(i), stored("start/" + std::to_string(i)));
  FlatParameters flat(start);
  AdamW optimizer(flat.values(), {.weight_decay = 0.01});
  const Schedule schedule{Schedule::Kind::warmup_cosine, 3, 10};
  const at::Tensor norms = stored("norms"), rates = stored("rates");

  for (int64_t step = 0; step < norms.numel(); ++step) {
    flat.zero_gradients();
    for (auto& [name, part] : flat.parts(flat.gradients())) part.copy_(stored("gradient/" + std::to_string(step) + "/" + name));
    const at::Tensor norm = gradient_norm(flat.gradient_parts());
    test::equal(norm.item<float>(), norms[step].item<float>(), "norm of step " + std::to_string(step));
    scale_to_norm(flat.gradients(), norm, 1.0);
    const double lr = 1e-3 * schedule.factor(step);
    test::equal(lr, rates[step].item<double>(), "learning rate of step " + std::to_string(step));
    optimizer.step(flat.gradients(), lr);
  }
  const auto compare = [&](const std::string& what, const at::Tensor& buffer) {
    for (const auto& [name, part] : flat.parts(buffer)) test::check(at::equal(part, stored(what + "/" + name)), what + " of " + name);
  };
  compare("after", flat.values());
  compare("exp_avg", optimizer.first_moment());
  compare("exp_avg_sq", optimizer.second_moment());
  test::equal(schedule.factor(9) > schedule.factor(10), true, "the cosine falls until the total");
  test::near(schedule.factor(12), 0.0, 1e-16, "beyond the total it stays at its end");
  test::equal(Schedule{}.factor(1000), 1.0, "constant");

  // A second optimizer that takes over the state goes on identically.
  const at::Tensor copy = flat.values().clone();
  AdamW other(copy, {.weight_decay = 0.01});
  other.restore(optimizer.first_moment(), optimizer.second_moment(), optimizer.steps());
  optimizer.step(flat.gradients(), 1e-3);
  other.step(flat.gradients(), 1e-3);
  test::check(at::equal(copy, flat.values()), "restored state");
  return test::summary("adamw");
}
