#include "train/device.hpp"

#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <sys/resource.h>

#include <charconv>

#include "base/error.hpp"

namespace ws {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

// From the driver, which counts the visible cards as torch does.
std::string card_name(int index) {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!driver) return "cuda";
  using GetName = int (*)(char*, int, int);
  const auto get_name = reinterpret_cast<GetName>(::dlsym(driver, "cuDeviceGetName"));
  char name[256] = "cuda";
  if (get_name && get_name(name, sizeof name, index) != 0) return "cuda";
  return name;
}

Error missing(const std::string& choice, const std::string& why) {
  return Error(Fault::device, "device-missing", "the plan asks for the device " + choice + ", but " + why,
               "Set execution.device to auto or cpu, or run on a machine with a CUDA card and a PyTorch built for it (see "
               "CUDA_VISIBLE_DEVICES).");
}

}  // namespace

DeviceInfo choose_device(const std::string& choice) {
  const auto cards =
      at::hasCUDA() ? static_cast<int>(at::globalContext().getAcceleratorHooksInterface(at::kCUDA).deviceCount()) : 0;
  if (choice == "cpu" || (choice == "auto" && cards == 0)) return {at::kCPU, "cpu", 0};
  int index = 0;
  if (choice != "auto" && choice != "cuda") {
    const char* end = choice.data() + choice.size();
    if (choice.rfind("cuda:", 0) != 0 || choice.size() < 6 || std::from_chars(choice.data() + 5, end, index).ptr != end ||
        index < 0)
      throw Error(Fault::plan, "plan-invalid", "execution.device is \"" + choice + "\"",
                  "It has to be auto, cpu, cuda or cuda:<number>.");
  }
  if (cards == 0) throw missing(choice, "this process sees no CUDA card");
  if (index >= cards) throw missing(choice, "this process sees " + std::to_string(cards) + " card(s)");
  at::globalContext().lazyInitDevice(at::kCUDA);
  at::accelerator::setDeviceIndex(static_cast<at::DeviceIndex>(index));
  const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(index));
  return {device, card_name(index), static_cast<double>(at::accelerator::getMemoryInfo(device.index()).second) / kGib};
}

void set_threads(int64_t threads) {
  at::set_num_threads(static_cast<int>(threads));
  static const bool once = [] {
    at::set_num_interop_threads(1);  // nothing of ours runs on that pool; a second call would throw
    return true;
  }();
  (void)once;
}

double device_peak_gib(at::Device device) {
  if (!device.is_cuda()) return 0;
  const auto stats = at::accelerator::getDeviceStats(device.index());
  return static_cast<double>(stats.allocated_bytes[static_cast<size_t>(at::CachingAllocator::StatType::AGGREGATE)].peak) / kGib;
}

void reset_device_peak(at::Device device) {
  if (device.is_cuda()) at::accelerator::resetPeakStats(device.index());
}

void synchronize(at::Device device) {
  if (device.is_cuda()) at::accelerator::synchronizeDevice(device.index());
}

double process_peak_gib() {
  struct rusage use {};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) * 1024.0 / kGib;
}

}  // namespace ws
