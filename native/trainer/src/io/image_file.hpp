// The bytes of a row's image, exactly as they were when the row was encoded. A file that has changed since would be trained with
// token counts and targets of another picture, so its size and SHA-256 are checked every time it is read.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "io/encoded_dataset.hpp"

namespace ws::io {

// Throws ws::Error (data): "image-missing", "image-changed" (size or content); messages name the path and `row_name`.
std::vector<std::byte> read_image_file(const ImageReference& image, const std::string& row_name);

}  // namespace ws::io
