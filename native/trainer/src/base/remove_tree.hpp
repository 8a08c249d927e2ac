// Removes a folder and all that is in it. Not std::filesystem::remove_all: PyTorch's wheels export their own, older copy of parts
// of std::filesystem, the loader mixes the two, and remove_all then ends the process (seen with GCC 13 and torch 2.11).
#pragma once
#include <string>

namespace ws {

// Does not follow links. What cannot be removed stays; a path that does not exist is fine.
void remove_tree(const std::string& path);

}  // namespace ws
