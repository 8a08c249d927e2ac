#include "train/row_record.hpp"

namespace ws {

json::Object RowRecord::to_json() const {
  json::Array parts;
  for (const FieldScore& f : fields) parts.push_back(json::Array{f.sum, f.count, f.exact ? 1 : 0});
  return json::Object{{"o", visit.ordinal}, {"r", visit.row},        {"role", visit.role}, {"e", visit.epoch},
                      {"t", tokens},        {"n", log_probs.size()}, {"sum", sum},         {"w", weight},
                      {"clamped", clamped}, {"f", std::move(parts)}};
}

}  // namespace ws
