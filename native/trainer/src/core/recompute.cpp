#include "core/recompute.hpp"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

namespace ws {
namespace {

namespace ag = torch::autograd;

struct Holder : torch::CustomClassHolder {
  Holder(Body b, size_t n) : body(std::move(b)), inputs(n) {}
  Body body;
  size_t inputs;
};

struct Recompute : ag::Function<Recompute> {
  // Every tensor comes in one list: an edge of the graph for each, parameters too, so that their gradients are *returned* and
  // summed by the outer engine (AccumulateGrad on a leaf, or the caller of grad()), never written to .grad from inside.
  static ag::variable_list forward(ag::AutogradContext* ctx, const c10::intrusive_ptr<Holder>& holder, at::TensorList all) {
    ctx->save_for_backward(all.vec());  // also catches a parameter that is changed in place before the backward
    ctx->set_materialize_grads(false);
    ctx->saved_data["holder"] = c10::IValue::make_capsule(holder);
    return holder->body(TensorList(all.begin(), all.begin() + static_cast<int64_t>(holder->inputs)));  // grad mode is off here
  }

  static ag::variable_list backward(ag::AutogradContext* ctx, const ag::variable_list& grads) {
    const auto holder = c10::static_intrusive_pointer_cast<Holder>(ctx->saved_data["holder"].toCapsule());
    const ag::variable_list saved = ctx->get_saved_variables();
    at::AutoGradMode on(true);

    TensorList inputs;
    ag::variable_list wanted;  // tensors whose gradient is asked for
    std::vector<size_t> place;
    for (size_t i = 0; i < saved.size(); ++i) {
      at::Tensor t = saved[i];
      if (i < holder->inputs) {
        if (t.defined()) t = t.detach().set_requires_grad(saved[i].requires_grad());  // cut: else the engine would walk on below
        inputs.push_back(t);
      }
      if (t.defined() && t.requires_grad()) {
        wanted.push_back(t);
        place.push_back(i + 1);  // +1: the holder is argument 0
      }
    }
    ag::variable_list outputs, seeds;
    const TensorList again = holder->body(inputs);
    for (size_t i = 0; i < again.size(); ++i)
      if (grads[i].defined() && again[i].requires_grad()) {
        outputs.push_back(again[i]);
        seeds.push_back(grads[i]);
      }
    ag::variable_list out(saved.size() + 1);
    if (outputs.empty()) return out;
    const ag::variable_list found =
        ag::grad(outputs, wanted, seeds, /*retain_graph=*/false, /*create_graph=*/false, /*allow_unused=*/true);
    for (size_t i = 0; i < found.size(); ++i) out[place[i]] = found[i];
    return out;
  }
};

}  // namespace

TensorList recomputed(Body body, const TensorList& inputs, const TensorList& parameters) {
  if (!at::GradMode::is_enabled()) return body(inputs);
  TensorList all = inputs;
  all.insert(all.end(), parameters.begin(), parameters.end());
  return Recompute::apply(c10::make_intrusive<Holder>(std::move(body), inputs.size()), at::TensorList(all));
}

}  // namespace ws
