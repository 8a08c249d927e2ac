#include "base/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace ws {

std::string read_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw system_error("cannot read " + path, errno);
  std::string text;
  struct stat status {};
  // One byte more than the file has, so that the read that finds the end needs no larger buffer.
  size_t size = ::fstat(descriptor, &status) == 0 && status.st_size > 0 ? static_cast<size_t>(status.st_size) + 1 : 1 << 16;
  size_t filled = 0;
  for (;;) {
    text.resize(size);
    const ssize_t got = ::read(descriptor, text.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      ::close(descriptor);
      throw system_error("cannot read " + path, error);
    }
    if (got == 0) break;
    filled += static_cast<size_t>(got);
    if (filled == size) size *= 2;
  }
  ::close(descriptor);
  text.resize(filled);
  return text;
}

}  // namespace ws
