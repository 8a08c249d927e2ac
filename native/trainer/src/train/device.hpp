// The device that a run computes on, and what can be asked of it without CUDA's own headers: one source builds for both.
#pragma once
#include <ATen/ATen.h>

#include <string>

namespace ws {

struct DeviceInfo {
  at::Device device = at::kCPU;
  std::string name;       // "cpu", or the card's
  double memory_gib = 0;  // of the card; 0 on the CPU
};

// `choice`: auto (the first card if there is one), cpu, cuda, cuda:<n>. Throws ws::Error (device, "device-missing").
DeviceInfo choose_device(const std::string& choice);

// Threads of ATen's CPU kernels; the same number gives the same bits. Once a process.
void set_threads(int64_t threads);

// Most memory held by tensors on the card since the last reset, GiB. On the CPU: 0 (see process_peak_gib).
double device_peak_gib(at::Device device);
void reset_device_peak(at::Device device);
void synchronize(at::Device device);  // waits for the card; nothing on the CPU
double process_peak_gib();            // the process's largest resident set, GiB

}  // namespace ws
