#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/list_folder.hpp"
#include "base/remove_tree.hpp"

namespace ws::io {
namespace fs = std::filesystem;
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Beside `path`: `.<name>.<suffix>`.
std::string beside(const std::string& path, const std::string& suffix) {
  const fs::path p(path);
  return (p.parent_path() / ("." + p.filename().string() + "." + suffix)).string();
}

// Makes a rename or a new file in `folder` survive a power cut. Some network file systems refuse to sync a folder; that is no
// fault.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw system_error("cannot sync " + folder, errno);
  const int result = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (result != 0 && error != EINVAL && error != ENOTSUP && error != EBADF && error != EROFS)
    throw system_error("cannot sync " + folder, error);
}

void sync_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw system_error("cannot sync " + path, errno);
  const int result = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (result != 0) throw system_error("cannot sync " + path, error);
}

// For destructors and clean-up: what cannot be removed stays, the first fault is the one that counts.
void remove_quietly(const std::string& path) { remove_tree(path); }

}  // namespace

void make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw system_error("cannot make the folder " + path, error.value());
}

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), temporary_(beside(path_, std::to_string(::getpid()) + ".tmp")) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);  // the umask takes its bits
  if (descriptor_ < 0) throw system_error("cannot write " + path_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, size_t bytes) {
  constexpr size_t kMost = size_t{1} << 30;  // Linux writes at most 2 GiB at a time
  const auto* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, p, std::min(bytes, kMost));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("cannot write " + path_, errno);
    p += written;
    bytes -= static_cast<size_t>(written);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) throw system_error("cannot write " + path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) throw system_error("cannot write " + path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw system_error("cannot write " + path_, errno);
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

namespace {

// Files first, then the folder that names them.
void sync_tree(const std::string& folder) {
  for (const FolderEntry& entry : list_folder(folder)) {
    const std::string path = folder + "/" + entry.name;
    if (entry.is_folder)
      sync_tree(path);
    else
      sync_file(path);
  }
  sync_folder(folder);
}

}  // namespace

AtomicFolder::AtomicFolder(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  partial_ = beside(path_, "partial");
  remove_quietly(partial_);
  make_folders(folder_of(path_));
  if (::mkdir(partial_.c_str(), 0777) != 0) throw system_error("cannot make the folder " + partial_, errno);
}

AtomicFolder::~AtomicFolder() {
  if (!committed_) remove_quietly(partial_);
}

void AtomicFolder::commit() {
  write_file_atomically(partial_ + "/DONE", "");
  sync_tree(partial_);

  // rename() replaces only an empty folder, so an older one steps aside first. A crash between the two leaves the old one under
  // its other name and no `path`, which readers take for "no such checkpoint".
  const std::string old = beside(path_, "replaced");
  remove_quietly(old);
  const bool replaces = ::rename(path_.c_str(), old.c_str()) == 0;
  if (!replaces && errno != ENOENT) throw system_error("cannot replace " + path_, errno);
  if (::rename(partial_.c_str(), path_.c_str()) != 0) {
    const int cause = errno;
    if (replaces) ::rename(old.c_str(), path_.c_str());
    throw system_error("cannot make " + path_, cause);
  }
  committed_ = true;
  sync_folder(folder_of(path_));
  if (replaces) remove_quietly(old);
}

}  // namespace ws::io
