#include "base/list_folder.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"

namespace ws {

std::vector<FolderEntry> list_folder(const std::string& path) {
  DIR* folder = ::opendir(path.c_str());
  if (!folder) {
    if (errno == ENOENT) return {};
    throw system_error("cannot read the folder " + path, errno);
  }
  std::vector<FolderEntry> out;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat about {};
    const bool known = ::lstat((path + "/" + name).c_str(), &about) == 0;
    out.push_back({name, known && S_ISDIR(about.st_mode)});
  }
  ::closedir(folder);
  std::sort(out.begin(), out.end(), [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return out;
}

}  // namespace ws
