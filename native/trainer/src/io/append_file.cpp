#include "io/append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace ws::io {

int open_for_append(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) throw system_error("cannot write " + path, errno);
  return descriptor;
}

int64_t file_size(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw system_error("cannot read " + path, errno);
  return status.st_size;
}

void cut_file(int descriptor, const std::string& path, int64_t size) {
  if (::ftruncate(descriptor, size) != 0) throw system_error("cannot write " + path, errno);
}

size_t read_at(int descriptor, const std::string& path, void* into, size_t bytes, int64_t offset) {
  size_t filled = 0;
  while (filled < bytes) {
    const ssize_t got =
        ::pread(descriptor, static_cast<char*>(into) + filled, bytes - filled, offset + static_cast<int64_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("cannot read " + path, errno);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  return filled;
}

void append_record(int descriptor, const std::string& path, const void* data, size_t bytes) {
  ssize_t written = 0;
  do {
    written = ::write(descriptor, data, bytes);
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(bytes)) return;
  int cause = errno;
  if (written >= 0) {
    // A short write says why only when it is tried again.
    const ssize_t more = ::write(descriptor, static_cast<const char*>(data) + written, bytes - static_cast<size_t>(written));
    if (more == static_cast<ssize_t>(bytes) - written) return;
    cause = more < 0 ? errno : ENOSPC;
    const int64_t torn = written + (more > 0 ? more : 0);
    struct stat status {};
    // Best effort: the next writer cuts a torn tail as well.
    if (::fstat(descriptor, &status) == 0 && status.st_size >= torn && ::ftruncate(descriptor, status.st_size - torn) != 0)
      cause = errno;
  }
  throw system_error("cannot write " + path, cause);
}

}  // namespace ws::io
