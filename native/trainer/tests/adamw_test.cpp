// AdamW, clipping and the schedule against torch's own results on given gradients (reference/make_adamw.py): equal bit for bit
// under the version of torch that made them. Another version may round its kernels otherwise; there the last bits may differ.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <string>

#include "core/tensor_io.hpp"
#include "io/safetensors.hpp"
#include "test_support/torch_check.hpp"
#include "train/adamw.hpp"
#include "train/clip.hpp"
#include "train/flat_parameters.hpp"
#include "train/schedule.hpp"

using namespace ws;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  at::set_num_threads(2);
  const io::SafeTensors file(std::string(argv[1]) + "/adamw.safetensors");
  // Without vector units (or on another architecture) products and sums are not fused, which moves last bits.
  const bool vectors = at::get_cpu_capability().rfind("AVX", 0) == 0;
  const bool exact = vectors && file.metadata().at("torch").rfind(TORCH_VERSION, 0) == 0;
  std::printf("golden file from torch %s, this is %s: %s\n", file.metadata().at("torch").c_str(), TORCH_VERSION,
              exact ? "bit for bit" : "within 1e-6");
  const auto same = [&](const at::Tensor& got, const at::Tensor& wanted) {
    // Of the norm: a small element of a difference may be off by more of itself.
    return exact ? at::equal(got, wanted) : (got - wanted).norm().item<double>() <= 1e-6 * wanted.norm().item<double>();
  };
  const auto stored = [&](const std::string& name) { return view_of(file.at(name)).clone(); };

  NamedTensors start;
  for (int i = 0; file.has("start/" + std::to_string(i)); ++i)
    start.emplace_back(std::to_string(i), stored("start/" + std::to_string(i)));
  FlatParameters flat(start);
  AdamW optimizer(flat.values(), {.weight_decay = 0.01});
  const Schedule schedule{Schedule::Kind::warmup_cosine, 3, 10};
  const at::Tensor norms = stored("norms"), rates = stored("rates");

  for (int64_t step = 0; step < norms.numel(); ++step) {
    flat.zero_gradients();
    for (auto& [name, part] : flat.parts(flat.gradients())) part.copy_(stored("gradient/" + std::to_string(step) + "/" + name));
    const at::Tensor norm = gradient_norm(flat.gradient_parts());
    CHECK(same(norm, norms[step]));
    scale_to_norm(flat.gradients(), norm, 1.0);
    const double lr = 1e-3 * schedule.factor(step);
    CHECK_EQUAL(lr, rates[step].item<double>());
    optimizer.step(flat.gradients(), lr);
  }
  const auto compare = [&](const std::string& what, const at::Tensor& buffer) {
    for (const auto& [name, part] : flat.parts(buffer)) CHECK(same(part, stored(what + "/" + name)));
  };
  compare("after", flat.values());
  compare("exp_avg", optimizer.first_moment());
  compare("exp_avg_sq", optimizer.second_moment());
  CHECK(schedule.factor(9) > schedule.factor(10));  // the cosine falls until the total,
  CHECK_NEAR(schedule.factor(12), 0.0, 1e-16);      // and stays at its end
  CHECK_EQUAL(Schedule{}.factor(1000), 1.0);

  // A second optimizer that takes over the state goes on identically.
  const at::Tensor copy = flat.values().clone();
  AdamW other(copy, {.weight_decay = 0.01});
  other.restore(optimizer.first_moment(), optimizer.second_moment(), optimizer.steps());
  optimizer.step(flat.gradients(), 1e-3);
  other.step(flat.gradients(), 1e-3);
  CHECK(at::equal(copy, flat.values()));
  return test::finish();
}
