// Files and folders that are either there and whole, or not there. Everything is written under a temporary name in the same
// folder, synced and renamed; the mode follows the umask, so that colleagues and servers can read it. What fails is removed.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/read_file.hpp"

namespace ws::io {

// Writes PATH in one go. Throws ws::Error (file_system) that names the path and the cause.
void write_file_atomically(const std::string& path, std::string_view bytes);

using ws::read_file;

// mkdir -p. Throws ws::Error (file_system).
void make_folders(const std::string& path);

// A file written in pieces. Nothing is at `path` until commit(); without it the destructor removes the temporary file.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  void commit();  // sync, rename, sync the folder; at most once

 private:
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

// A checkpoint's folder: files are made in `.<name>.partial` beside it. commit() writes the empty DONE, syncs every file and
// renames. A folder that is already at `path` (a checkpoint that a resumed run makes again) is replaced. A stale partial one is
// removed at the start.
class AtomicFolder {
 public:
  explicit AtomicFolder(std::string path);
  ~AtomicFolder();  // removes the partial folder if it was not committed
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::string& partial() const { return partial_; }  // where to put the files
  void commit();

 private:
  std::string path_;
  std::string partial_;
  bool committed_ = false;
};

}  // namespace ws::io
