#include "models/ops/delta_rule.hpp"

#include <limits>

namespace ws {
namespace {

struct Prepared {
  at::Tensor q, k, v, g, beta;
};

at::Tensor l2_normalise(const at::Tensor& x) { return x * at::rsqrt((x * x).sum(-1, true) + 1e-6); }

Prepared prepare(const DeltaInput& in) {
  const at::ScalarType type = in.v.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const int64_t group = in.v.size(1) / in.k.size(1);
  const auto per_value_head = [&](const at::Tensor& x) { return group == 1 ? x : x.repeat_interleave(group, 1); };
  const double scale = 1.0 / std::sqrt(static_cast<double>(in.q.size(-1)));
  return {per_value_head(l2_normalise(in.q.to(type)) * scale), per_value_head(l2_normalise(in.k.to(type))), in.v.to(type),
          in.g.to(type), in.beta.to(type)};
}

// [T, H, ...] -> [N, H, chunk, ...]: each row padded with zeros to whole chunks. A padded token has k = v = 0, beta = 0
// and g = 0, so it neither reads, writes nor decays the state.
at::Tensor to_chunks(const at::Tensor& x, const std::vector<int64_t>& cu, int64_t chunk) {
  std::vector<at::Tensor> rows;
  for (size_t r = 0; r + 1 < cu.size(); ++r) {
    const int64_t length = cu[r + 1] - cu[r], padding = (chunk - length % chunk) % chunk;
    at::Tensor row = x.narrow(0, cu[r], length);
    std::vector<int64_t> pad(static_cast<size_t>(2 * x.dim()), 0);
    pad.back() = padding;
    rows.push_back(padding ? at::constant_pad_nd(row, pad) : row);
  }
  const at::Tensor all = rows.size() == 1 ? rows[0] : at::cat(rows);
  std::vector<int64_t> shape = all.sizes().vec();
  shape[0] = all.size(0) / chunk;
  shape.insert(shape.begin() + 1, chunk);
  return all.view(shape).transpose(1, 2).contiguous();
}

}  // namespace

DeltaOutput delta_rule_chunked(const DeltaInput& in, const std::vector<int64_t>& cu, const at::Tensor& start, int64_t chunk) {
  const Prepared p = prepare(in);
  const int64_t heads = p.v.size(1), dk = p.k.size(2), dv = p.v.size(2);
  const at::Tensor q = to_chunks(p.q, cu, chunk), k = to_chunks(p.k, cu, chunk), v = to_chunks(p.v, cu, chunk);  // [N, H, C, d]
  const at::Tensor g = to_chunks(p.g, cu, chunk), beta = to_chunks(p.beta, cu, chunk).unsqueeze(-1);

  // Inside the chunks, all at once. D_ij = exp(G_i - G_j) for j <= i; masked before exp, because above the diagonal it overflows
  // and 0 * inf would make the gradient NaN.
  const at::Tensor total = g.cumsum(-1);  // G
  const at::Tensor above = at::ones({chunk, chunk}, at::TensorOptions().dtype(at::kBool).device(v.device())).triu(1);
  const at::Tensor decay =
      (total.unsqueeze(-1) - total.unsqueeze(-2)).masked_fill(above, -std::numeric_limits<double>::infinity()).exp();
  const at::Tensor kb = k * beta;
  const at::Tensor system = at::matmul(kb, k.transpose(-1, -2)) * decay;  // read as I + strictly lower
  const at::Tensor scores = at::matmul(q, k.transpose(-1, -2)) * decay;
  const at::Tensor grown = total.exp().unsqueeze(-1);
  const at::Tensor right = at::cat({v * beta, kb * grown}, -1);
  const at::Tensor solved = at::linalg_solve_triangular(system, right, /*upper=*/false, /*left=*/true, /*unitriangular=*/true);
  const at::Tensor u = solved.narrow(-1, 0, dv), w = solved.narrow(-1, dv, dk);
  const at::Tensor qs = q * grown;
  const at::Tensor ks = (k * (total.narrow(-1, chunk - 1, 1) - total).exp().unsqueeze(-1)).transpose(-1, -2);
  const at::Tensor kept = total.select(-1, chunk - 1).exp().unsqueeze(-1).unsqueeze(-1);  // [N, H, 1, 1]

  // From chunk to chunk; the state starts anew at every row. Results are stacked: writing them into slices of one tensor makes
  // autograd copy the whole gradient for every chunk.
  std::vector<at::Tensor> out;
  at::Tensor state;
  int64_t n = 0;
  for (size_t r = 0; r + 1 < cu.size(); ++r) {
    state = start.defined() ? start.to(v.scalar_type()) : at::zeros({heads, dk, dv}, v.options());
    for (const int64_t end = n + (cu[r + 1] - cu[r] + chunk - 1) / chunk; n < end; ++n) {
      const at::Tensor fresh = u[n] - at::matmul(w[n], state);
      out.push_back(at::matmul(qs[n], state) + at::matmul(scores[n], fresh));
      state = state * kept[n] + at::matmul(ks[n], fresh);
    }
  }
  const at::Tensor o = at::stack(out).transpose(1, 2).flatten(0, 1);  // [N * C, H, dv]
  if (cu.size() == 2) return {o.narrow(0, 0, cu[1]), state};
  std::vector<at::Tensor> rows;
  int64_t at_chunk = 0;
  for (size_t r = 0; r + 1 < cu.size(); ++r) {
    const int64_t length = cu[r + 1] - cu[r];
    rows.push_back(o.narrow(0, at_chunk * chunk, length));
    at_chunk += (length + chunk - 1) / chunk;
  }
  return {at::cat(rows), state};
}

DeltaOutput delta_rule_recurrent(const DeltaInput& in, const std::vector<int64_t>& cu, const at::Tensor& start) {
  const Prepared p = prepare(in);
  std::vector<at::Tensor> out;
  at::Tensor state;
  for (size_t r = 0; r + 1 < cu.size(); ++r) {
    state = start.defined() ? start.to(p.v.scalar_type()) : at::zeros({p.v.size(1), p.k.size(2), p.v.size(2)}, p.v.options());
    for (int64_t t = cu[r]; t < cu[r + 1]; ++t) {
      state = state * p.g[t].exp().unsqueeze(-1).unsqueeze(-1);
      const at::Tensor known = (state * p.k[t].unsqueeze(-1)).sum(1);
      const at::Tensor change = (p.v[t] - known) * p.beta[t].unsqueeze(-1);
      state = state + p.k[t].unsqueeze(-1) * change.unsqueeze(1);
      out.push_back((state * p.q[t].unsqueeze(-1)).sum(1));
    }
  }
  return {at::stack(out), state};
}

}  // namespace ws
