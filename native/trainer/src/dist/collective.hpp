// What the ranks of a run say to each other. The loop is written against this; one process is the ordinary case.
#pragma once
#include <ATen/ATen.h>

namespace ws {

class Collective {
 public:
  virtual ~Collective() = default;
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;
  // Adds `flat` (the same shape and device kind on every rank) over all ranks, in place.
  virtual void sum(const at::Tensor& flat) = 0;
  virtual void barrier() = 0;
};

class SingleProcess final : public Collective {
 public:
  int64_t rank() const override { return 0; }
  int64_t size() const override { return 1; }
  void sum(const at::Tensor& flat) override {}
  void barrier() override {}
};

}  // namespace ws
