// SHA-256 (FIPS 180-4), a piece at a time: identity of images, plans and checkpoints.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ws {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  void add(const void* data, size_t bytes);
  void add(std::string_view text) { add(text.data(), text.size()); }
  Digest finish();  // once; the object is used up

 private:
  void blocks(const uint8_t* data, size_t count);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> rest_{};
  size_t rest_size_ = 0;
  uint64_t length_ = 0;
};

Digest sha256(const void* data, size_t bytes);
inline Digest sha256(std::string_view text) { return sha256(text.data(), text.size()); }
std::string hex(std::span<const uint8_t> bytes);  // lower case

}  // namespace ws
