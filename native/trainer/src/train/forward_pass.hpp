// One packed forward: the reference, the loss, its backward, and what is recorded of each row. It asks the device for numbers
// once.
#pragma once
#include <vector>

#include "io/plan.hpp"
#include "models/model.hpp"
#include "train/adapter_set.hpp"
#include "train/row_reader.hpp"
#include "train/row_record.hpp"

namespace ws {

struct ForwardSeconds {
  double forward = 0;  // the vision tower and the terms are part of it
  double backward = 0;
  double reference = 0;
};

struct ForwardOutcome {
  std::vector<RowRecord> rows;  // in the order of the forward
  ForwardSeconds seconds;
};

class ForwardPass {
 public:
  // All have to outlive it. `fields`: how many fields the datasets name.
  ForwardPass(const io::Plan& plan, const Model& model, const AdapterSet& adapters, size_t fields);

  // Adds the gradient of sum over rows of coefficient * sum over targets of weight * term to the trained adapter's gradients.
  // Throws VisitError (device, "out-of-memory").
  ForwardOutcome train(const PreparedForward& forward) const;

  // Log-probabilities of every target with the trained adapter, without dropout and without a graph: sum is the sum of -log p,
  // weight the number of targets.
  ForwardOutcome score(const PreparedForward& forward) const;

 private:
  struct Batch;
  const io::PlanRole& role_of(const PreparedRow& row) const;
  const io::ColumnView* weights_of(const PreparedRow& row) const;  // null pointer: 1 a target
  Batch batch_of(const PreparedForward& forward) const;
  at::Tensor reference_log_probs(const PreparedForward& forward, const Batch& batch) const;
  RowRecord record_of(const PreparedRow& row, const float* log_probs, const float* best, const float* reference) const;

  const io::Plan& plan_;
  const Model& model_;
  const AdapterSet& adapters_;
  size_t fields_;
};

}  // namespace ws
