#include "models/qwen35/config.hpp"

#include <stdexcept>

#include "base/json.hpp"

namespace ws {

ModelConfig read_config(const std::string& path) {
  const json::Value root = json::parse_file(path);
  const std::string& type = root.at("model_type").string();
  if (type != "qwen3_5") throw std::runtime_error(path + ": model_type " + type + " is not qwen3_5");
  ModelConfig out;
  out.image_token = root.at("image_token_id").integer();

  const json::Value& t = root.at("text_config");
  TextConfig& c = out.text;
  c.vocab = t.at("vocab_size").integer();
  c.hidden = t.at("hidden_size").integer();
  c.intermediate = t.at("intermediate_size").integer();
  c.layers = t.at("num_hidden_layers").integer();
  c.heads = t.at("num_attention_heads").integer();
  c.kv_heads = t.at("num_key_value_heads").integer();
  c.head_dim = t.integer_or("head_dim", c.hidden / c.heads);
  c.key_heads = t.at("linear_num_key_heads").integer();
  c.value_heads = t.at("linear_num_value_heads").integer();
  c.key_dim = t.at("linear_key_head_dim").integer();
  c.value_dim = t.at("linear_value_head_dim").integer();
  c.conv = t.at("linear_conv_kernel_dim").integer();
  c.eps = t.number_or("rms_norm_eps", 1e-6);
  // The outer flag decides which head ForConditionalGeneration ties.
  c.tied = root.boolean_or("tie_word_embeddings", false);
  if (t.boolean_or("attention_bias", false)) throw std::runtime_error(path + ": attention_bias is not supported");
  if (!t.find("hidden_act").null() && t.at("hidden_act").string() != "silu") throw std::runtime_error(path + ": hidden_act");

  // New configs hold rope_parameters; old ones rope_scaling + rope_theta + partial_rotary_factor.
  const json::Value& rope = !t.find("rope_parameters").null() ? t.at("rope_parameters") : t.at("rope_scaling");
  c.rope_theta = rope.number_or("rope_theta", t.number_or("rope_theta", 1e7));
  c.rotary_factor = rope.number_or("partial_rotary_factor", t.number_or("partial_rotary_factor", 0.25));
  if (!rope.find("rope_type").null() && rope.at("rope_type").string() != "default") throw std::runtime_error(path + ": rope_type");
  for (const json::Value& s : rope.at("mrope_section").array()) c.mrope_section.push_back(s.integer());
  int64_t sum = 0;
  for (int64_t s : c.mrope_section) sum += s;
  if (c.mrope_section.size() != 3 || 2 * sum != c.rotary_dim()) throw std::runtime_error(path + ": mrope_section does not sum to rotary_dim / 2");

  if (!t.find("layer_types").null()) {
    for (const json::Value& k : t.at("layer_types").array()) {
      if (k.string() == "linear_attention") c.kinds.push_back(LayerKind::linear);
      else if (k.string() == "full_attention") c.kinds.push_back(LayerKind::full);
      else throw std::runtime_error(path + ": layer type " + k.string());
    }
  } else {
    const int64_t every = t.integer_or("full_attention_interval", 4);
    for (int64_t i = 0; i < c.layers; ++i) c.kinds.push_back((i + 1) % every ? LayerKind::linear : LayerKind::full);
  }
  if (static_cast<int64_t>(c.kinds.size()) != c.layers) throw std::runtime_error(path + ": layer_types");

  const json::Value& v = root.at("vision_config");
  VisionConfig& w = out.vision;
  w.depth = v.at("depth").integer();
  w.hidden = v.at("hidden_size").integer();
  w.intermediate = v.at("intermediate_size").integer();
  w.heads = v.at("num_heads").integer();
  w.patch = v.at("patch_size").integer();
  w.temporal_patch = v.at("temporal_patch_size").integer();
  w.merge = v.at("spatial_merge_size").integer();
  w.positions = v.at("num_position_embeddings").integer();
  w.channels = v.integer_or("in_channels", 3);
  if (!v.find("rope_parameters").null()) w.rope_theta = v.at("rope_parameters").number_or("rope_theta", 10000);
  return out;
}

}  // namespace ws
