#include "models/ops/attention.hpp"

#include <optional>

namespace ws {

AttentionOutput causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const std::vector<int64_t>& cu,
                                 const at::Tensor& parent_keys, const at::Tensor& parent_values) {
  AttentionOutput out;
  std::vector<at::Tensor> rows;
  for (size_t r = 0; r + 1 < cu.size(); ++r) {
    const int64_t length = cu[r + 1] - cu[r];
    const auto row = [&](const at::Tensor& t) { return t.narrow(0, cu[r], length); };
    out.keys = row(k);
    out.values = row(v);
    std::optional<at::Tensor> mask;
    if (parent_keys.defined()) {
      out.keys = at::cat({parent_keys, out.keys});
      out.values = at::cat({parent_values, out.values});
      // is_causal aligns the mask to the upper left corner, wrong as soon as there are more keys than queries.
      const int64_t keys = out.keys.size(0);
      mask = at::ones({length, keys}, at::TensorOptions().dtype(at::kBool).device(q.device())).tril(keys - length);
    }
    const auto heads_first = [](const at::Tensor& t) { return t.transpose(0, 1).unsqueeze(0); };
    const at::Tensor y =
        at::scaled_dot_product_attention(heads_first(row(q)), heads_first(out.keys), heads_first(out.values), mask, 0.0,
                                         /*is_causal=*/!mask && length > 1, std::nullopt, /*enable_gqa=*/true);
    rows.push_back(y.squeeze(0).transpose(0, 1).flatten(1));
  }
  out.y = rows.size() == 1 ? rows[0] : at::cat(rows);
  return out;
}

}  // namespace ws
