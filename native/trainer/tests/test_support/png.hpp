// A PNG writer for tests: 8-bit RGB, uncompressed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ws::test {

// rgb: [height, width, 3]
inline std::string png_bytes(int64_t height, int64_t width, const std::vector<uint8_t>& rgb) {
  const auto big = [](uint32_t v) { return std::string{char(v >> 24), char(v >> 16), char(v >> 8), char(v)}; };
  const auto chunk = [&](const std::string& type, const std::string& data) {
    uint32_t crc = 0xFFFFFFFFu;
    for (const char c : type + data) {
      crc ^= static_cast<uint8_t>(c);
      for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
    }
    return big(static_cast<uint32_t>(data.size())) + type + data + big(~crc);
  };
  std::string raw;
  for (int64_t y = 0; y < height; ++y) {
    raw.push_back(0);  // no filter
    raw.append(reinterpret_cast<const char*>(rgb.data()) + y * width * 3, static_cast<size_t>(width * 3));
  }
  std::string zlib = "\x78\x01";
  for (size_t at = 0; at < raw.size(); at += 65535) {
    const size_t n = std::min<size_t>(65535, raw.size() - at);
    zlib.push_back(at + n == raw.size() ? 1 : 0);
    for (const size_t v : {n, ~n}) zlib += {char(v & 0xFF), char((v >> 8) & 0xFF)};
    zlib += raw.substr(at, n);
  }
  uint32_t a = 1, b = 0;
  for (const char c : raw) {
    a = (a + static_cast<uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  zlib += big(b << 16 | a);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big(static_cast<uint32_t>(width)) + big(static_cast<uint32_t>(height)) + std::string{8, 2, 0, 0, 0}) +
         chunk("IDAT", zlib) + chunk("IEND", "");
}

}  // namespace ws::test
