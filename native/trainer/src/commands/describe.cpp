// `describe`: what this binary knows and what it runs on, as one JSON object.
#include <ATen/Context.h>
#include <torch/version.h>

#include <cstdio>

#include "base/json.hpp"
#include "commands/command.hpp"
#include "io/decode_image.hpp"
#include "models/registry.hpp"
#include "train/device.hpp"

namespace ws::commands {

int describe(Arguments arguments) {
  const Options none(arguments, {});
  json::Array devices;
  const int cards =
      at::hasCUDA() ? static_cast<int>(at::globalContext().getAcceleratorHooksInterface(at::kCUDA).deviceCount()) : 0;
  for (int i = 0; i < cards; ++i) {
    const DeviceInfo card = choose_device("cuda:" + std::to_string(i));
    devices.push_back(json::Object{{"index", i}, {"name", card.name}, {"memory_gib", card.memory_gib}});
  }
  json::Array models;
  for (const std::string& name : architectures()) models.emplace_back(name);
  const json::Object out{{"trainer", WHETSTONE_VERSION},
                         {"torch", TORCH_VERSION},
                         {"cuda", cards > 0},
                         {"devices", std::move(devices)},
                         {"architectures", std::move(models)},
                         {"terms", json::Array{"cross_entropy", "k3"}},
                         {"formats", json::Object{{"encoded-dataset", 1}, {"plan", 1}, {"events", 1}, {"checkpoint", 1}}},
                         {"decode", io::can_decode_images()}};
  std::printf("%s\n", json::write(out).c_str());
  return 0;
}

}  // namespace ws::commands
