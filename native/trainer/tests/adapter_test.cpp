// Adapters and model folders on disk: PEFT's initial values and keys, what is written, and every fault with the message it gives.
#include <ATen/Parallel.h>

#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "base/list_folder.hpp"
#include "base/remove_tree.hpp"
#include "io/atomic_file.hpp"
#include "lora/init.hpp"
#include "model_cases.hpp"
#include "models/registry.hpp"
#include "temporary_folder.hpp"
#include "test_support/torch_check.hpp"

namespace {

using namespace ws;
using namespace ws::test;
namespace fs = std::filesystem;

std::string fresh_copy(const std::string& from, const fs::path& to) {
  remove_tree(to.string());
  fs::create_directory(to);
  for (const auto& [name, is_folder] : list_folder(from)) {
    fs::copy_file(fs::path(from) / name, to / name);
    fs::permissions(to / name, fs::perms::owner_write, fs::perm_options::add);
  }
  return to.string();
}

// Rewrites one safetensors file with some tensors changed.
void edit_tensors(const std::string& file, const std::function<void(std::map<std::string, at::Tensor>&)>& change) {
  std::map<std::string, at::Tensor> tensors;
  {
    const io::SafeTensors old(file);
    for (const auto& [name, ref] : old.all()) tensors[name] = view_of(ref).clone();
  }
  change(tensors);
  std::map<std::string, io::TensorRef> refs;
  for (auto& [name, t] : tensors) refs[name] = ref_of(t = t.contiguous());
  io::write_safetensors(file, refs);
}

void edit_text(const std::string& file, const std::string& from, const std::string& to) {
  std::string text = io::read_file(file);
  const size_t at = text.find(from);
  if (!CHECK(at != std::string::npos)) return;
  io::write_file_atomically(file, text.replace(at, from.size(), to));
}

void initial_values(const std::string& golden, const Model& m) {
  std::vector<std::string> all;
  for (const LoraTarget& t : m.linears()) all.push_back(t.leaf());
  for (const auto& [type, label] : {std::pair{at::kFloat, "f32"}, std::pair{at::kBFloat16, "bf16"}}) {
    const io::SafeTensors file(golden + "/init_" + label + ".safetensors");
    const Adapter a = init_adapter("default", 2, 4, m.lora_targets(all), 1234, type);
    CHECK_EQUAL(a.pairs.size(), file.all().size());
    for (const auto& [path, pair] : a.pairs) {
      CHECK(at::equal(pair.a.detach(), view_of(file.at(peft_key(path, 'A')))));
      CHECK(pair.b.detach().eq(0).all().item<bool>());
      CHECK(pair.a.requires_grad() && pair.b.requires_grad() && pair.a.scalar_type() == at::kFloat);
    }
  }
}

void saved_and_loaded(const std::string& golden, const Model& m, const fs::path& folder) {
  const Adapter adapter = load_adapter(golden + "/adapter", "default", m.linears(), {}, true);
  CHECK_EQUAL(adapter.r, 2);
  CHECK_EQUAL(adapter.alpha, 4.0);
  fs::create_directory(folder / "saved");
  save_adapter(adapter, (folder / "saved").string(), "Qwen/Qwen3.5-4B", 0.05);

  // The file has PEFT's keys and metadata and PEFT's bytes.
  const io::SafeTensors ours((folder / "saved/adapter_model.safetensors").string()),
      theirs(golden + "/adapter/adapter_model.safetensors");
  const json::Value keys = json::parse_file(golden + "/peft_keys.json");
  CHECK_EQUAL(ours.all().size(), keys.array().size());
  for (const json::Value& key : keys.array())
    CHECK(ours.has(key.string()) && at::equal(view_of(ours.at(key.string())), view_of(theirs.at(key.string()))));
  CHECK_EQUAL(ours.metadata().at("format"), std::string("pt"));

  const json::Value config = json::parse_file((folder / "saved/adapter_config.json").string());
  CHECK_EQUAL(config.object().size(), size_t{12});
  CHECK_EQUAL(config.at("target_modules").array().size(), size_t{12});
  CHECK_EQUAL(config.at("base_model_name_or_path").string(), std::string("Qwen/Qwen3.5-4B"));
  CHECK_EQUAL(config.at("lora_dropout").number(), 0.05);
  const json::Value peft = json::parse_file(golden + "/adapter/adapter_config.json");
  for (const auto& [field, value] : config.object())  // PEFT knows every field that we write, and means the same by it
    if (field != "base_model_name_or_path" && field != "lora_dropout" && field != "target_modules")
      CHECK(peft.object().contains(field) && json::write(peft.find(field)) == json::write(value));

  const Adapter again = load_adapter((folder / "saved").string(), "again", m.linears(), m.linears(), false);
  CHECK(same_bits(leaves(adapter), leaves(again)));
  for (const at::Tensor& t : leaves(again)) CHECK(!t.requires_grad());
}

void adapter_faults(const std::string& golden, const Model& m, const fs::path& folder) {
  const std::string q = "base_model.model.model.language_model.layers.3.self_attn.q_proj.lora_A.weight";
  const auto load = [&](const std::string& at, const std::vector<LoraTarget>& targets = {}) {
    load_adapter(at, "x", m.linears(), targets, false);
  };
  const auto broken = [&](const std::function<void(std::map<std::string, at::Tensor>&)>& change) {
    const std::string copy = fresh_copy(golden + "/adapter", folder / "adapter");
    edit_tensors(copy + "/adapter_model.safetensors", change);
    return copy;
  };
  CHECK_THROWS(load((folder / "none").string()), "no such file");
  CHECK_THROWS(load(broken([&](auto& t) { t.erase(q); })), "lacks " + q);
  CHECK_THROWS(load(broken([&](auto& t) { t[q] = at::zeros({3, 64}); })), "[3, 64], expected [2, 64]");
  CHECK_THROWS(load(broken([&](auto& t) {
                 t["base_model.model.model.layers.0.mlp.up_proj.lora_A.weight"] = at::zeros({2, 64});
               })),
               "modules that this model does not have: model.layers.0.mlp.up_proj");
  CHECK_THROWS(load(broken([&](auto& t) { t.clear(); })), "holds no LoRA tensors");
  for (const auto& [from, to, said] :
       {std::array<std::string, 3>{"\"use_dora\": false", "\"use_dora\": true", "use_dora is set"},
        {"\"use_rslora\": false", "\"use_rslora\": true", "use_rslora is set"},
        {"\"rank_pattern\": {}", "\"rank_pattern\": {\"q_proj\": 8}", "rank_pattern is set"},
        {"\"alpha_pattern\": {}", "\"alpha_pattern\": {\"q_proj\": 8}", "alpha_pattern is set"},
        {"\"modules_to_save\": null", "\"modules_to_save\": [\"lm_head\"]", "modules_to_save is set"},
        {"\"bias\": \"none\"", "\"bias\": \"all\"", "bias all is not none"},
        {"\"peft_type\": \"LORA\"", "\"peft_type\": \"IA3\"", "peft_type IA3"},
        {"\"r\": 2", "\"r\": 4", "expected [4,"}}) {
    const std::string copy = fresh_copy(golden + "/adapter", folder / "adapter");
    edit_text(copy + "/adapter_config.json", from, to);
    CHECK_THROWS(load(copy), said);
  }
  // Wanted modules that the file lacks, and modules that nobody wanted.
  const std::string fewer = broken([&](auto& t) {
    std::erase_if(t, [](const auto& entry) { return entry.first.find("layers.1.mlp.up_proj") != std::string::npos; });
  });
  CHECK_THROWS(load(fewer, m.linears()), "it lacks model.language_model.layers.1.mlp.up_proj");
  CHECK_THROWS(load(golden + "/adapter", m.lora_targets({"q_proj"})), "it has too many");
  CHECK_THROWS(m.lora_targets({"q_proj", "query"}), "no linear layer named query");
}

void model_faults(const std::string& golden, const fs::path& folder) {
  const auto load = [](const std::string& at) { load_model(at, {}); };
  const std::string up = "model.language_model.layers.1.mlp.up_proj.weight";
  const auto copy = [&] { return fresh_copy(golden + "/base", folder / "base"); };
  const auto broken = [&](const std::function<void(std::map<std::string, at::Tensor>&)>& change) {
    const std::string at = copy();
    edit_tensors(at + "/model.safetensors", change);
    return at;
  };
  const auto edited = [&](const std::string& from, const std::string& to) {
    const std::string at = copy();
    edit_text(at + "/config.json", from, to);
    return at;
  };
  CHECK_THROWS(load((folder / "none").string()), "no such model folder");
  fs::create_directory(folder / "empty");
  CHECK_THROWS(load((folder / "empty").string()), "config.json");
  CHECK_THROWS(load(edited("\"qwen3_5\"", "\"llama\"")), "model_type llama is not an architecture");
  CHECK_THROWS(load(edited("\"hidden_size\": 64", "\"hidden_size\": 72")), "config.json asks for [320, 72]");
  CHECK_THROWS(load(edited("\"linear_num_key_heads\": 2", "\"linear_num_key_heads\": 3")),
               "is not a multiple of linear_num_key_heads");
  CHECK_THROWS(load(edited("{", "[")), "config.json");
  CHECK_THROWS(load(broken([&](auto& t) { t.erase(up); })), "has no tensor " + up);
  CHECK_THROWS(load(broken([&](auto& t) { t[up] = at::zeros({96, 65}); })), "[96, 65], config.json asks for [96, 64]");
  CHECK_THROWS(load(broken([&](auto& t) { t["model.language_model.extra"] = at::zeros({1}); })),
               "does not have: model.language_model.extra");
  CHECK_THROWS(load(broken([&](auto& t) { t[up] = at::zeros({96, 64}, at::kChar); })), "not a floating-point tensor");
  {
    const std::string at = copy();
    fs::remove(at + "/model.safetensors");
    CHECK_THROWS(load(at), "holds neither model.safetensors nor");
  }
  const auto with_mtp = load_model(broken([&](auto& t) { t["mtp.fc.weight"] = at::zeros({1}); }), {});
  CHECK_EQUAL(with_mtp->info().ignored.size(), size_t{1});
}

// The same model in two shards gives the same hidden states; without one of them the message names it.
void shards(const std::string& golden, const Model& whole, const fs::path& folder) {
  const std::string at = fresh_copy(golden + "/base", folder / "sharded");
  std::map<std::string, io::TensorRef> parts[2];
  json::Object map;
  {
    const io::SafeTensors all(at + "/model.safetensors");
    size_t i = 0;
    for (const auto& [name, ref] : all.all()) {
      map.set(name, "model-0000" + std::to_string(i % 2 + 1) + "-of-00002.safetensors");
      parts[i++ % 2][name] = ref;
    }
    for (int k = 0; k < 2; ++k)
      io::write_safetensors(at + "/model-0000" + std::to_string(k + 1) + "-of-00002.safetensors", parts[k]);
  }
  fs::remove(at + "/model.safetensors");
  io::write_file_atomically(at + "/model.safetensors.index.json", json::write(json::Object{{"weight_map", map}}));
  const auto m = load_model(at, {});
  const RowInput row{.ids = {1, 2, 3, 4, 5, 6, 7}, .grids = {}, .pixels = {}};
  CHECK(at::equal(m->forward(m->pack({row}), {}), whole.forward(whole.pack({row}), {})));
  CHECK_EQUAL(m->info().parameters, whole.info().parameters);
  fs::remove(at + "/model-00002-of-00002.safetensors");
  CHECK_THROWS(load_model(at, {}), "model-00002-of-00002.safetensors");
}

void row_faults(const Model& m) {
  const int64_t image = *m.info().image_token;
  const at::Tensor pixels = at::zeros({16, m.info().image->values()});
  const auto pack = [&](std::vector<int64_t> ids, std::vector<Grid> grids, const at::Tensor& p) {
    m.pack({RowInput{std::move(ids), std::move(grids), p}});
  };
  pack({1, image, image, image, image, 2}, {{1, 4, 4}}, pixels);  // as it should be
  CHECK_THROWS(pack({1, image, image, image, 2}, {{1, 4, 4}}, pixels), "fewer image placeholders");
  CHECK_THROWS(pack({1, image, image, image, image, image, 2}, {{1, 4, 4}}, pixels), "followed by another placeholder");
  CHECK_THROWS(pack({1, image, 2}, {}, {}), "more image placeholders");
  CHECK_THROWS(pack({1, 2}, {{1, 4, 4}}, pixels), "1 images but placeholders for 0");
  CHECK_THROWS(pack({1, image, image, 2}, {{1, 3, 4}}, pixels), "not made of blocks");
  CHECK_THROWS(pack({1, image, image, image, image, 2}, {{1, 4, 4}}, pixels.narrow(0, 0, 12)), "16 patches");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  at::set_num_threads(2);
  const std::string golden = std::string(argv[1]) + "/model";
  const TemporaryFolder folder;
  const auto m = load_model(golden + "/base", {});
  initial_values(golden, *m);
  saved_and_loaded(golden, *m, folder.path());
  adapter_faults(golden, *m, folder.path());
  model_faults(golden, folder.path());
  shards(golden, *m, folder.path());
  row_faults(*m);
  return finish();
}
