#include "io/image_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/sha256.hpp"

namespace ws::io {
namespace {

constexpr const char* kEncodeAgain = "Put the file back as it was, or encode the rows again.";

[[noreturn]] void changed(const std::string& path, const std::string& row, const std::string& how) {
  throw Error(Fault::data, "image-changed", row + ": the image " + path + " has changed since the row was encoded: " + how,
              kEncodeAgain);
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

std::vector<std::byte> read_image_file(const ImageReference& image, const std::string& row_name) {
  const Descriptor file(::open(image.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR))
    throw Error(Fault::data, "image-missing", row_name + ": the image " + image.path + " is not there", kEncodeAgain);
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    throw system_error(row_name + ": cannot read the image " + image.path, errno);
  if (!S_ISREG(status.st_mode)) changed(image.path, row_name, "it is no regular file");
  if (status.st_size != image.bytes)
    changed(image.path, row_name, "it has " + std::to_string(status.st_size) + " bytes, and had " + std::to_string(image.bytes));

  std::vector<std::byte> bytes(static_cast<size_t>(image.bytes));
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(row_name + ": cannot read the image " + image.path, errno);
    if (got == 0) changed(image.path, row_name, "it became shorter while it was read");
    filled += static_cast<size_t>(got);
  }
  if (sha256(bytes.data(), bytes.size()) != image.sha256) changed(image.path, row_name, "its content (SHA-256) is another");
  return bytes;
}

}  // namespace ws::io
