#include "train/plan_check.hpp"

#include "base/error.hpp"
#include "io/decode_image.hpp"

namespace ws {
namespace {

void disagree(const io::EncodedDataset& dataset, const io::Plan& plan, const std::string& what) {
  throw Error(Fault::data, "dataset-model", dataset.path() + " does not fit the model in " + plan.model.path + ": " + what,
              "Encode the rows again with this model's own processor.");
}

std::string text_of(const std::optional<int64_t>& token) { return token ? std::to_string(*token) : "none"; }

}  // namespace

void check_plan(const io::Plan& plan, const Datasets& datasets) {
  if (plan.ranks != 1)
    throw Error(Fault::plan, "ranks-unsupported",
                plan.file + ": the plan is for " + std::to_string(plan.ranks) + " ranks, this trainer runs one process",
                "Make the plan for one GPU.");
  for (size_t i = 0; i < plan.rows.size(); ++i) {
    const io::EncodedDataset& dataset = *datasets[static_cast<size_t>(plan.rows.dataset[i])];
    if (dataset.targets(plan.rows.row[i]) == 0)
      throw Error(Fault::data, "row-without-target",
                  plan.rows.name[i] + " (row " + std::to_string(plan.rows.row[i]) + " of " + dataset.path() + ") has no targets",
                  "Leave the row out of the plan.");
  }
  // Rows with images are those that have placeholders; whether one of them is used shows only in its ids, so a dataset with an
  // image processor is judged by its rows, and only where decoding is missing.
  if (io::can_decode_images()) return;
  for (size_t i = 0; i < plan.rows.size(); ++i) {
    const io::EncodedDataset& dataset = *datasets[static_cast<size_t>(plan.rows.dataset[i])];
    if (dataset.processor().image && !dataset.row(plan.rows.row[i]).images.empty())
      throw Error(
          Fault::data, "image-unsupported",
          plan.rows.name[i] + " has an image, and this build of the trainer cannot decode images",
          "Build it with libvips (WHETSTONE_VIPS_INCLUDE and WHETSTONE_VIPS_LIBRARY; `npm run build:native` finds both).");
  }
}

void check_model(const io::Plan& plan, const Datasets& datasets, const ModelInfo& model) {
  for (const auto& dataset : datasets) {
    const io::Processor& p = dataset->processor();
    if (p.vocab > model.vocab)
      disagree(*dataset, plan,
               "its vocabulary has " + std::to_string(p.vocab) + " ids, the model " + std::to_string(model.vocab));
    if (p.image_token && std::optional<int64_t>(*p.image_token) != model.image_token)
      disagree(
          *dataset, plan,
          "its image placeholder is token " + std::to_string(*p.image_token) + ", the model's is " + text_of(model.image_token));
    if (!p.image) continue;
    if (!model.image) disagree(*dataset, plan, "it has images, the model takes text only");
    const ImageGeometry& g = *model.image;
    if (p.image->patch != g.patch || p.image->temporal_patch != g.temporal_patch || p.image->merge != g.merge || g.channels != 3)
      disagree(*dataset, plan,
               "its patches are " + std::to_string(p.image->patch) + " x " + std::to_string(p.image->patch) + " pixels at " +
                   std::to_string(p.image->temporal_patch) + " times, merged by " + std::to_string(p.image->merge) +
                   "; the model's are " + std::to_string(g.patch) + " x " + std::to_string(g.patch) + " at " +
                   std::to_string(g.temporal_patch) + ", merged by " + std::to_string(g.merge));
  }
}

}  // namespace ws
