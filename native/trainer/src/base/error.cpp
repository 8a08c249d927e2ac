#include "base/error.hpp"

#include <cerrno>
#include <cstring>

namespace ws {
namespace {

const char* hint_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "The disk (or your quota) is full: free some space and start again.";
    case EROFS:
      return "The disk is mounted read-only: choose a folder on another one.";
    case EACCES:
    case EPERM:
      return "You may not do that there: check the owner and the mode of the file and of its folder.";
    case ENOENT:
      return "Check the path; a part of it does not exist.";
    case EMFILE:
    case ENFILE:
      return "Too many files are open: raise the limit (ulimit -n).";
    case EIO:
    case ESTALE:
      return "The disk or the network file system failed: see whether it is still there, then start again.";
    default:
      return "";
  }
}

}  // namespace

Error system_error(const std::string& doing, int error_number) {
  return Error(Fault::file_system, "file-system", doing + ": " + std::strerror(error_number), hint_for(error_number));
}

}  // namespace ws
