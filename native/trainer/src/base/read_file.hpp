// A whole file as bytes.
#pragma once
#include <string>

namespace ws {

// Throws ws::Error (file_system) that names the path and the cause.
std::string read_file(const std::string& path);

}  // namespace ws
