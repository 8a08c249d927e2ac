#include "core/pixels.hpp"

#include <ATen/ATen.h>

#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "io/image_file.hpp"

namespace ws {
namespace {

// The normalised value of each byte, channel by channel. The reference fuses rescaling into mean and deviation, (x -
// mean/rescale) / (std/rescale), and every product, difference and quotient is rounded to float32.
std::array<std::array<float, 256>, 3> value_table(const io::ImageProcessor& p) {
  std::array<std::array<float, 256>, 3> table;
  const auto inverse = static_cast<float>(1.0 / p.rescale);
  for (size_t c = 0; c < 3; ++c) {
    const float mean = static_cast<float>(p.mean[c]) * inverse;
    const float deviation = static_cast<float>(p.std[c]) * inverse;
    for (size_t v = 0; v < 256; ++v) {
      const float difference = static_cast<float>(v) - mean;
      table[c][v] = difference / deviation;
    }
  }
  return table;
}

// [height, width, 3] bytes of the wanted size, contiguous.
at::Tensor resized(const io::DecodedImage& image, int64_t height, int64_t width) {
  const at::Tensor rgb =
      at::from_blob(const_cast<uint8_t*>(image.rgb.data()), {image.height, image.width, 3}, at::TensorOptions().dtype(at::kByte));
  if (image.height == height && image.width == width) return rgb;
  const at::Tensor planes = rgb.permute({2, 0, 1}).unsqueeze(0);
  return at::_upsample_bicubic2d_aa(planes, {height, width}, /*align_corners=*/false, std::nullopt, std::nullopt)
      .squeeze(0)
      .permute({1, 2, 0})
      .contiguous();
}

}  // namespace

at::Tensor pixel_rows(const io::DecodedImage& image, std::array<int32_t, 3> grid, const io::ImageProcessor& p) {
  const auto [t, h, w] = grid;
  if (t != 1 || h < 1 || w < 1 || h % p.merge != 0 || w % p.merge != 0)
    throw Error(Fault::data, "grid-invalid",
                "an image cannot have the grid (" + std::to_string(t) + ", " + std::to_string(h) + ", " + std::to_string(w) + ")",
                "It has to be 1, and two multiples of " + std::to_string(p.merge) + ".");
  const int64_t patch = p.patch, area = patch * patch, width = w * patch;
  const at::Tensor pixels = resized(image, h * patch, width);
  const auto* bytes = pixels.const_data_ptr<uint8_t>();
  const auto table = value_table(p);

  at::Tensor out = at::empty({int64_t{h} * w, 3 * p.temporal_patch * area}, at::TensorOptions().dtype(at::kFloat));
  float* to = out.mutable_data_ptr<float>();
  const auto write_patch = [&](int64_t row, int64_t column) {
    const uint8_t* corner = bytes + (row * patch * width + column * patch) * 3;
    for (int64_t c = 0; c < 3; ++c) {
      const float* first = to;
      const std::array<float, 256>& values = table[static_cast<size_t>(c)];
      for (int64_t y = 0; y < patch; ++y) {
        const uint8_t* from = corner + y * width * 3 + c;
        for (int64_t x = 0; x < patch; ++x) *to++ = values[from[3 * x]];
      }
      for (int64_t copy = 1; copy < p.temporal_patch; ++copy, to += area)
        std::memcpy(to, first, static_cast<size_t>(area) * sizeof(float));
    }
  };
  for (int64_t block_row = 0; block_row < h; block_row += p.merge)
    for (int64_t block_column = 0; block_column < w; block_column += p.merge)
      for (int64_t row = 0; row < p.merge; ++row)
        for (int64_t column = 0; column < p.merge; ++column) write_patch(block_row + row, block_column + column);
  return out;
}

at::Tensor load_pixel_rows(const io::ImageReference& image, const io::ImageProcessor& processor, const std::string& row_name) {
  const std::vector<std::byte> file = io::read_image_file(image, row_name);
  const io::DecodedImage decoded = io::decode_image(file, row_name + ": " + image.path);
  if (decoded.height != image.height || decoded.width != image.width)
    throw Error(Fault::data, "image-changed",
                row_name + ": the image " + image.path + " is " + std::to_string(decoded.height) + " pixels high and " +
                    std::to_string(decoded.width) + " wide, but the row was encoded with " + std::to_string(image.height) +
                    " by " + std::to_string(image.width),
                "Encode the rows again.");
  return pixel_rows(decoded, image.grid, processor);
}

}  // namespace ws
