// A run that a test makes itself: rows of made-up tokens in an encoded dataset, and a plan over them for the tiny golden model.
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/read_file.hpp"
#include "base/sha256.hpp"
#include "io/safetensors.hpp"
#include "test_support/png.hpp"

namespace ws::test {

constexpr int32_t kImageToken = 310, kVocab = 320;

struct TinyRow {
  std::vector<int32_t> ids, positions, targets;
  std::vector<uint8_t> action, field;
  std::string image;  // path, or none
};

// `length` tokens, the last `count` of them targets; the second half of the targets is `action`. Numbers follow from `seed`.
inline TinyRow text_row(int64_t length, int64_t count, uint32_t seed) {
  TinyRow row;
  for (int64_t i = 0; i < length; ++i) {
    seed = seed * 1664525u + 1013904223u;
    row.ids.push_back(static_cast<int32_t>((seed >> 8) % 290u));
  }
  for (int64_t i = length - count; i < length; ++i) {
    row.positions.push_back(static_cast<int32_t>(i - 1));
    row.targets.push_back(row.ids[static_cast<size_t>(i)]);
    const bool action = i >= length - count / 2;
    row.action.push_back(action);
    row.field.push_back(action ? 1 : 0);
  }
  return row;
}

// The same with one image of 16 x 16 pixels (4 x 4 patches, 4 features) after the third token.
inline TinyRow image_row(const std::string& path, int64_t length, int64_t count, uint32_t seed) {
  TinyRow row = text_row(length, count, seed);
  row.ids.insert(row.ids.begin() + 3, 4, kImageToken);
  for (int32_t& p : row.positions) p += 4;
  std::vector<uint8_t> rgb;
  for (uint32_t i = 0; i < 16 * 16 * 3; ++i) rgb.push_back(static_cast<uint8_t>(i * 7 + i / 48 * 3 + seed));
  std::ofstream(path, std::ios::binary) << png_bytes(16, 16, rgb);
  row.image = path;
  return row;
}

inline void write_dataset(const std::string& path, const std::vector<TinyRow>& rows) {
  std::vector<int32_t> ids, positions, targets, grid, size;
  std::vector<int64_t> id_at{0}, target_at{0}, image_at{0}, bytes, path_at{0};
  std::vector<uint8_t> action, field, hash, paths;
  for (const TinyRow& r : rows) {
    ids.insert(ids.end(), r.ids.begin(), r.ids.end());
    positions.insert(positions.end(), r.positions.begin(), r.positions.end());
    targets.insert(targets.end(), r.targets.begin(), r.targets.end());
    action.insert(action.end(), r.action.begin(), r.action.end());
    field.insert(field.end(), r.field.begin(), r.field.end());
    id_at.push_back(static_cast<int64_t>(ids.size()));
    target_at.push_back(static_cast<int64_t>(targets.size()));
    if (!r.image.empty()) {
      const std::string file = read_file(r.image);
      grid.insert(grid.end(), {1, 4, 4});
      size.insert(size.end(), {16, 16});
      bytes.push_back(static_cast<int64_t>(file.size()));
      const Digest digest = sha256(file);
      hash.insert(hash.end(), digest.begin(), digest.end());
      paths.insert(paths.end(), r.image.begin(), r.image.end());
      path_at.push_back(static_cast<int64_t>(paths.size()));
    }
    image_at.push_back(static_cast<int64_t>(bytes.size()));
  }
  std::map<std::string, io::TensorRef> tensors;
  const auto add = [&](const std::string& name, io::DType type, const auto& v, std::vector<int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<int64_t>(v.size())};
    tensors[name] = {type, shape, reinterpret_cast<const std::byte*>(v.data()), v.size() * sizeof(v[0])};
  };
  const auto images = static_cast<int64_t>(bytes.size());
  add("ids", io::DType::i32, ids);
  add("ids.offsets", io::DType::i64, id_at);
  add("target.positions", io::DType::i32, positions);
  add("target.ids", io::DType::i32, targets);
  add("target.offsets", io::DType::i64, target_at);
  add("column.action", io::DType::u8, action);
  add("column.field", io::DType::u8, field);
  add("image.offsets", io::DType::i64, image_at);
  add("image.grid", io::DType::i32, grid, {images, 3});
  add("image.size", io::DType::i32, size, {images, 2});
  add("image.bytes", io::DType::i64, bytes);
  add("image.sha256", io::DType::u8, hash, {images, 32});
  add("image.path", io::DType::u8, paths);
  add("image.path.offsets", io::DType::i64, path_at);
  const json::Object processor{{"id", "tiny"},
                               {"image_token", kImageToken},
                               {"vocab", kVocab},
                               {"image", json::Object{{"patch", 4},
                                                      {"temporal_patch", 2},
                                                      {"merge", 2},
                                                      {"mean", json::Array{0.5, 0.5, 0.5}},
                                                      {"std", json::Array{0.5, 0.5, 0.5}},
                                                      {"rescale", 1.0 / 255}}}};
  const json::Object about{{"format", "encoded-dataset"},
                           {"version", 1},
                           {"rows", rows.size()},
                           {"processor", processor},
                           {"fields", json::Array{"memory", "action"}}};
  io::write_safetensors(path, tensors, {{"whetstone", json::write(about)}});
}

struct TinyVisit {
  int step, forward, row, role, epoch;
  double coefficient;
};

struct TinyPlan {
  std::string model, output;
  std::vector<std::string> names;  // of the dataset's rows, all in the plan
  std::vector<TinyVisit> visits;
  json::Array actions;
  std::vector<int> held_out;
  double lr = 1e-3, dropout = 0;
  std::optional<double> clip;
  bool recompute = false;
  int ranks = 1, every_rows = 4, rank = 4;
  double alpha = 8;
  std::string load, device = "cpu";  // load: an adapter's folder, else PEFT's init
  int image_token = kImageToken;
  double resume_every_seconds = 1e6;
};

// Writes <folder>/plan.json over <folder>/rows.safetensors; returns its path.
inline std::string write_plan(const std::string& folder, const TinyPlan& p) {
  std::filesystem::create_directories(folder);
  json::Array dataset, row, name, group, step, rank, forward, visited, role, epoch, coefficient, held_out;
  for (size_t i = 0; i < p.names.size(); ++i) {
    dataset.push_back(0);
    row.push_back(i);
    name.push_back(p.names[i]);
    group.push_back(static_cast<int>(i % 2));
  }
  int steps = 0;
  for (const TinyVisit& v : p.visits) {
    step.push_back(v.step);
    rank.push_back(0);
    forward.push_back(v.forward);
    visited.push_back(v.row);
    role.push_back(v.role);
    epoch.push_back(v.epoch);
    coefficient.push_back(v.coefficient);
    steps = v.step + 1;
  }
  for (const int r : p.held_out) held_out.push_back(r);
  const json::Object init =
      p.load.empty() ? json::Object{{"kind", "peft"}, {"seed", 3}} : json::Object{{"kind", "load"}, {"path", p.load}};
  const json::Array targets{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  const json::Object plan{
      {"format", "whetstone-plan"},
      {"version", 1},
      {"recipe", "test"},
      {"name", "tiny"},
      {"settings", json::Object{}},
      {"model", json::Object{{"path", p.model}, {"name", "test/tiny"}, {"revision", nullptr}, {"dtype", "float32"}}},
      {"adapters", json::Object{{"default", json::Object{{"rank", p.rank},
                                                         {"alpha", p.alpha},
                                                         {"dropout", p.dropout},
                                                         {"branch_dtype", "float32"},
                                                         {"targets", p.load.empty() ? targets : json::Array{}},
                                                         {"init", init}}}}},
      {"roles",
       json::Array{
           json::Object{{"name", "ce"}, {"term", "cross_entropy"}, {"weights", nullptr}},
           json::Object{
               {"name", "kl"}, {"term", "k3"}, {"weights", "action"}, {"reference", nullptr}, {"clamp", json::Array{-20, 8}}}}},
      {"datasets", json::Array{"rows.safetensors"}},
      {"rows", json::Object{{"dataset", dataset}, {"row", row}, {"name", name}, {"group", group}}},
      {"groups", json::Array{"even", "odd"}},
      {"ranks", p.ranks},
      {"phases", json::Array{json::Object{{"kind", "train"},
                                          {"steps", steps},
                                          {"order", json::Object{{"step", step},
                                                                 {"rank", rank},
                                                                 {"forward", forward},
                                                                 {"row", visited},
                                                                 {"role", role},
                                                                 {"epoch", epoch},
                                                                 {"coefficient", coefficient}}},
                                          {"actions", p.actions}}}},
      {"optimizer", json::Object{{"kind", "adamw"},
                                 {"lr", p.lr},
                                 {"betas", json::Array{0.9, 0.999}},
                                 {"eps", 1e-8},
                                 {"weight_decay", 0},
                                 {"clip_norm", p.clip ? json::Value(*p.clip) : json::Value()}}},
      {"schedule", json::Object{{"kind", "warmup_cosine"}, {"warmup_steps", 1}, {"total_steps", 8}}},
      {"evaluations", json::Object{{"held_out", json::Object{{"rows", held_out}, {"hash", "abc"}}}}},
      {"output",
       json::Object{
           {"folder", p.output},
           {"log", json::Object{{"file", "train_log.jsonl"}, {"every_rows", p.every_rows}}},
           {"meta", json::Object{{"file", "meta.json"}, {"fields", json::Object{{"adapter", "tiny"}}}, {"val_ce", "held_out"}}}}},
      {"execution", json::Object{{"device", p.device},
                                 {"threads", 2},
                                 {"recompute", p.recompute},
                                 {"dropout_seed", 7},
                                 {"resume_every_seconds", p.resume_every_seconds},
                                 {"resume_keep", 2}}}};
  const std::string path = folder + "/plan.json";
  std::ofstream(path) << json::write_indented(plan);
  return path;
}

// All events of a kind, in order.
inline std::vector<json::Value> events_of(const std::string& folder, const std::string& kind) {
  std::vector<json::Value> out;
  std::ifstream in(folder + "/events.jsonl");
  for (std::string line; std::getline(in, line);) {
    json::Value event = json::parse(line);
    if (event.at("kind").string() == kind) out.push_back(std::move(event));
  }
  return out;
}

// The golden model with NaN in the embedding of one token, and a head of its own: only rows that hold the token are affected.
inline void poison_model(const std::string& from, const std::string& to, int64_t token) {
  std::filesystem::create_directories(to);
  json::Object config = json::parse_file(from + "/config.json").object();
  config.set("tie_word_embeddings", false);
  std::ofstream(to + "/config.json") << json::write(config);
  const io::SafeTensors file(from + "/model.safetensors");
  std::map<std::string, io::TensorRef> tensors = file.all();
  io::TensorRef& embedding = tensors.at("model.language_model.embed_tokens.weight");
  tensors["lm_head.weight"] = embedding;
  std::vector<std::byte> copy(embedding.data, embedding.data + embedding.bytes);
  const auto width = static_cast<size_t>(embedding.shape[1]) * io::size_of(embedding.dtype);
  std::memset(copy.data() + static_cast<size_t>(token) * width, 0xFF, width);  // all bits set is a NaN, in fp32 and in bf16
  embedding.data = copy.data();
  io::write_safetensors(to + "/model.safetensors", tensors);
}

}  // namespace ws::test
