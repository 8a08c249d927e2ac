// What is in a folder. Not std::filesystem's iterators, for the reason that remove_tree.hpp gives.
#pragma once
#include <string>
#include <vector>

namespace ws {

struct FolderEntry {
  std::string name;
  bool is_folder = false;  // a link to a folder is none
};

// Sorted by name, without "." and "..". Empty when there is no such folder; throws ws::Error (file_system) when it cannot be
// read.
std::vector<FolderEntry> list_folder(const std::string& path);

}  // namespace ws
