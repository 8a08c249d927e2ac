// What a plan, its datasets and a model must agree on before anything is computed. Each fault is named with the file it is in.
#pragma once
#include "io/plan.hpp"
#include "models/model.hpp"
#include "train/row_reader.hpp"

namespace ws {

// Before the model is loaded: ranks, rows without targets, image rows in a build that cannot decode, fields that have no name.
// Throws ws::Error (plan, data).
void check_plan(const io::Plan& plan, const Datasets& datasets);

// Token ids, image placeholder and patch geometry. Throws ws::Error (data, "dataset-model").
void check_model(const io::Plan& plan, const Datasets& datasets, const ModelInfo& model);

}  // namespace ws
