#include "models/qwen35/config.hpp"

#include "base/error.hpp"

namespace ws::qwen35 {
namespace {

// Reads required numbers and says which key of which file is at fault.
class Reader {
 public:
  Reader(std::string file, std::string where, const json::Value& value)
      : file_(std::move(file)), where_(std::move(where)), value_(value) {
    if (!value.is_object()) fail("", "is not an object");
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw Error(Fault::model, "model-config", file_ + ": " + where_ + key + " " + what,
                "Use the config.json that came with the weights.");
  }
  int64_t count(const char* key) const {
    const json::Value& v = value_.find(key);
    if (!v.is_number()) fail(key, "is missing or not a number");
    const int64_t n = v.integer();
    if (n < 1) fail(key, "is " + std::to_string(n) + ", expected at least 1");
    return n;
  }
  int64_t count_or(const char* key, int64_t fallback) const { return value_.find(key).null() ? fallback : count(key); }
  void text(const char* key, const char* expected) const {
    const json::Value& v = value_.find(key);
    if (!v.null() && (!v.is_string() || v.string() != expected))
      fail(key, std::string("is not ") + expected + ", which is all that is known here");
  }
  void divides(const char* small, const char* large) const {
    if (count(large) % count(small)) fail(large, std::string("is not a multiple of ") + small);
  }
  const json::Value& value() const { return value_; }

 private:
  std::string file_, where_;
  const json::Value& value_;
};

TextConfig read_text(const std::string& file, const json::Value& root) {
  const Reader r(file, "text_config.", root.find("text_config"));
  const json::Value& t = r.value();
  TextConfig c;
  c.vocab = r.count("vocab_size");
  c.hidden = r.count("hidden_size");
  c.intermediate = r.count("intermediate_size");
  c.layers = r.count("num_hidden_layers");
  c.heads = r.count("num_attention_heads");
  c.kv_heads = r.count("num_key_value_heads");
  c.head_dim = r.count_or("head_dim", c.hidden / c.heads);
  c.key_heads = r.count("linear_num_key_heads");
  c.value_heads = r.count("linear_num_value_heads");
  c.key_dim = r.count("linear_key_head_dim");
  c.value_dim = r.count("linear_value_head_dim");
  c.conv = r.count("linear_conv_kernel_dim");
  r.divides("num_key_value_heads", "num_attention_heads");
  r.divides("linear_num_key_heads", "linear_num_value_heads");
  c.eps = t.number_or("rms_norm_eps", 1e-6);
  // The outer flag decides which head ForConditionalGeneration ties.
  c.tied = root.boolean_or("tie_word_embeddings", false);
  if (t.boolean_or("attention_bias", false)) r.fail("attention_bias", "is true, which is not supported");
  if (!t.boolean_or("attn_output_gate", true)) r.fail("attn_output_gate", "is false, which is not supported");
  r.text("hidden_act", "silu");

  // New configs hold rope_parameters; old ones rope_scaling + rope_theta + partial_rotary_factor.
  const bool recent = !t.find("rope_parameters").null();
  const Reader rope(file, recent ? "text_config.rope_parameters." : "text_config.rope_scaling.",
                    t.find(recent ? "rope_parameters" : "rope_scaling"));
  c.rope_theta = rope.value().number_or("rope_theta", t.number_or("rope_theta", 1e7));
  c.rotary_factor = rope.value().number_or("partial_rotary_factor", t.number_or("partial_rotary_factor", 0.25));
  rope.text("rope_type", "default");
  const json::Value& section = rope.value().find("mrope_section");
  if (!section.is_array() || section.array().size() != 3) rope.fail("mrope_section", "is missing or does not have three entries");
  int64_t sum = 0;
  for (const json::Value& s : section.array()) {
    c.mrope_section.push_back(s.integer());
    sum += s.integer();
  }
  if (2 * sum != c.rotary_dim())
    rope.fail("mrope_section",
              "sums to " + std::to_string(sum) + ", not to half of the " + std::to_string(c.rotary_dim()) + " rotary dims");

  const json::Value& types = t.find("layer_types");
  if (types.is_array()) {
    for (const json::Value& kind : types.array()) {
      if (kind.string() != "linear_attention" && kind.string() != "full_attention")
        r.fail("layer_types", "holds " + kind.string() + ", which is not known");
      c.kinds.push_back(kind.string() == "linear_attention" ? LayerKind::linear : LayerKind::full);
    }
  } else {
    const int64_t every = r.count_or("full_attention_interval", 4);
    for (int64_t i = 0; i < c.layers; ++i) c.kinds.push_back((i + 1) % every ? LayerKind::linear : LayerKind::full);
  }
  if (static_cast<int64_t>(c.kinds.size()) != c.layers) r.fail("layer_types", "does not have one entry a layer");
  return c;
}

VisionConfig read_vision(const std::string& file, const json::Value& root) {
  const Reader r(file, "vision_config.", root.find("vision_config"));
  VisionConfig c;
  c.depth = r.count("depth");
  c.hidden = r.count("hidden_size");
  c.intermediate = r.count("intermediate_size");
  c.heads = r.count("num_heads");
  c.patch = r.count("patch_size");
  c.temporal_patch = r.count("temporal_patch_size");
  c.merge = r.count("spatial_merge_size");
  c.positions = r.count("num_position_embeddings");
  c.channels = r.count_or("in_channels", 3);
  r.divides("num_heads", "hidden_size");
  r.text("hidden_act", "gelu_pytorch_tanh");
  const json::Value& deep = r.value().find("deepstack_visual_indexes");
  if (deep.is_array() && !deep.array().empty()) r.fail("deepstack_visual_indexes", "is not empty, which is not supported");
  const json::Value& rope = r.value().find("rope_parameters");
  if (!rope.null()) c.rope_theta = rope.number_or("rope_theta", 10000);
  return c;
}

}  // namespace

Config read_config(const json::Value& root, const std::string& file) {
  const Reader r(file, "", root);
  return {read_text(file, root), read_vision(file, root), r.count("image_token_id")};
}

}  // namespace ws::qwen35
