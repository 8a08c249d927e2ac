#include "base/remove_tree.hpp"

#include <ftw.h>

#include <cstdio>

namespace ws {
namespace {

int remove_entry(const char* path, const struct stat*, int, struct FTW*) {
  (void)std::remove(path);
  return 0;  // go on with the rest
}

}  // namespace

void remove_tree(const std::string& path) { ::nftw(path.c_str(), remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

}  // namespace ws
