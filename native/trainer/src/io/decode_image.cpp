#include "io/decode_image.hpp"

#include "base/error.hpp"

#ifdef WHETSTONE_VIPS

#include <vips/vips.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

namespace ws::io {
namespace {

// Where Pillow stops too: twice its bound for decompression bombs.
constexpr int64_t kMostPixels = 2 * (int64_t{1024} * 1024 * 1024 / 4 / 3);

struct Unref {
  void operator()(VipsImage* image) const { g_object_unref(image); }
};
using ImagePointer = std::unique_ptr<VipsImage, Unref>;

void start_vips() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (VIPS_INIT("whetstone-trainer") != 0) throw Error(Fault::internal, "internal", "libvips does not start");
    // What is wrong with a file goes into our Error; vips also prints it.
    g_log_set_handler(
        "VIPS", G_LOG_LEVEL_WARNING, [](const char*, GLogLevelFlags, const char*, void*) {}, nullptr);
    vips_concurrency_set(1);  // we decode beside training: the threads are the plan's
    vips_cache_set_max(0);    // every image is decoded once a visit; keeping them only takes memory
  });
}

[[noreturn]] void unreadable(const std::string& name) {
  // The buffer belongs to the process: with two threads the text may be the other one's, never a crash.
  const std::unique_ptr<char, void (*)(void*)> text(vips_error_buffer_copy(), g_free);
  std::string why = text ? text.get() : "";
  while (!why.empty() && why.back() == '\n') why.pop_back();
  for (char& c : why)
    if (c == '\n') c = ';';
  throw Error(Fault::data, "image-unreadable", name + ": the image is damaged or not whole (" + why + ")",
              "Fetch the file again, then encode the rows again.");
}

[[noreturn]] void unsupported(const std::string& name, const std::string& what) {
  throw Error(Fault::data, "image-unsupported", name + ": " + what,
              "Convert it to an 8-bit RGB or gray PNG or JPEG, then encode the rows again.");
}

// By the first bytes, so that no loader of another format ever sees them.
ImagePointer open(std::span<const std::byte> file, const std::string& name) {
  const std::string_view head(reinterpret_cast<const char*>(file.data()), std::min<size_t>(file.size(), 16));
  void* data = const_cast<std::byte*>(file.data());
  VipsImage* image = nullptr;
  int failed = 0;
  if (head.starts_with("\x89PNG\r\n\x1a\n")) {
    failed = vips_pngload_buffer(data, file.size(), &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED,
                                 nullptr);
  } else if (head.starts_with("\xFF\xD8\xFF")) {
    failed = vips_jpegload_buffer(data, file.size(), &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED,
                                  nullptr);
  } else if (head.starts_with("RIFF") && head.substr(8).starts_with("WEBP")) {
    failed = vips_webpload_buffer(data, file.size(), &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED,
                                  nullptr);
  } else {
    unsupported(name, "the file is no PNG, JPEG or WebP");
  }
  if (failed != 0) unreadable(name);
  return ImagePointer(image);
}

}  // namespace

bool can_decode_images() { return true; }

DecodedImage decode_image(std::span<const std::byte> file, const std::string& name) {
  start_vips();
  const ImagePointer image = open(file, name);
  DecodedImage out;
  out.height = vips_image_get_height(image.get());
  out.width = vips_image_get_width(image.get());
  const int64_t pixels = out.height * out.width;
  if (pixels > kMostPixels)
    throw Error(
        Fault::data, "image-too-large",
        name + ": the image has " + std::to_string(pixels) + " pixels; at most " + std::to_string(kMostPixels) + " are allowed",
        "Make it smaller, then encode the rows again.");
  if (vips_image_get_interpretation(image.get()) == VIPS_INTERPRETATION_CMYK) unsupported(name, "the image is in CMYK colours");
  if (vips_image_get_format(image.get()) != VIPS_FORMAT_UCHAR) unsupported(name, "the image has more than 8 bits a channel");
  const int bands = vips_image_get_bands(image.get());
  if (bands < 1 || bands > 4) unsupported(name, "the image has " + std::to_string(bands) + " channels");

  size_t size = 0;
  const std::unique_ptr<void, void (*)(void*)> memory(vips_image_write_to_memory(image.get(), &size), g_free);
  if (!memory) unreadable(name);
  const auto* from = static_cast<const uint8_t*>(memory.get());
  out.rgb.resize(static_cast<size_t>(pixels) * 3);
  uint8_t* to = out.rgb.data();
  if (bands == 3) {
    std::memcpy(to, from, out.rgb.size());
  } else if (bands == 4) {  // alpha is dropped, not blended
    for (int64_t i = 0; i < pixels; ++i, from += 4, to += 3) std::memcpy(to, from, 3);
  } else {  // gray, with or without alpha
    for (int64_t i = 0; i < pixels; ++i, from += bands, to += 3) std::memset(to, *from, 3);
  }
  return out;
}

}  // namespace ws::io

#else

namespace ws::io {

bool can_decode_images() { return false; }

DecodedImage decode_image(std::span<const std::byte>, const std::string& name) {
  throw Error(Fault::data, "image-unsupported", name + ": this trainer was built without libvips, so it reads no images",
              "Run `npm ci`, which brings sharp and its libvips, and build the trainer again (CMake: WHETSTONE_VIPS_INCLUDE and "
              "WHETSTONE_VIPS_LIBRARY).");
}

}  // namespace ws::io

#endif
