#include "io/atomic_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "check.hpp"
#include "temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace ws::io;

namespace {

int entries(const std::string& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void files() {
  const ws::test::TemporaryFolder folder;
  ::umask(027);
  write_file_atomically(folder / "a", "one");
  write_file_atomically(folder / "a", "two");
  CHECK_EQUAL(read_file(folder / "a"), "two");
  struct stat status {};
  ::stat((folder / "a").c_str(), &status);
  CHECK_EQUAL(status.st_mode & 0777, 0640u);
  {
    AtomicFile file(folder / "b");
    file.write("half");
  }
  CHECK(!fs::exists(folder / "b"));
  CHECK_EQUAL(entries(folder.path()), 1);
  CHECK_THROWS(write_file_atomically(folder / "none/x", "1"), "none/x: No such file or directory");
  fs::create_directory(folder / "folder");
  write_file_atomically(folder / "folder/x", "1");
  CHECK_THROWS(write_file_atomically(folder / "folder", "1"), "folder: ");  // a folder is in the way
  CHECK_EQUAL(entries(folder.path()), 2);
}

void read_only() {
  const ws::test::TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0555);
  if (::geteuid() == 0) {
    // root writes anywhere: /proc stands for a file system that takes no files
    CHECK_THROWS(write_file_atomically("/proc/whetstone", "1"), "cannot write /proc/whetstone: ");
  } else {
    CHECK_THROWS(write_file_atomically(folder / "a", "1"), "Permission denied");
    CHECK_THROWS(AtomicFolder(folder / "c"), "Permission denied");
  }
  ::chmod(folder.path().c_str(), 0755);
}

// A limit on the size of files stands for a full disk: the write fails in the middle.
void too_large() {
  const ws::test::TemporaryFolder folder;
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS(write_file_atomically(folder / "a", std::string(5000, 'x')), "/a: File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK_EQUAL(entries(folder.path()), 0);
}

void folders() {
  const ws::test::TemporaryFolder folder;
  {
    AtomicFolder checkpoint(folder / "out/rows_50");
    CHECK_EQUAL(checkpoint.partial(), folder / "out/.rows_50.partial");
    write_file_atomically(checkpoint.partial() + "/x", "first");
  }
  CHECK_EQUAL(entries(folder / "out"), 0);
  {
    AtomicFolder checkpoint(folder / "out/rows_50");
    fs::create_directory(checkpoint.partial() + "/inner");
    write_file_atomically(checkpoint.partial() + "/inner/x", "second");
    checkpoint.commit();
  }
  CHECK_EQUAL(read_file(folder / "out/rows_50/inner/x"), "second");
  CHECK(fs::exists(folder / "out/rows_50/DONE"));
  fs::create_directories(folder / "out/.rows_50.partial/stale");
  {
    AtomicFolder checkpoint(folder / "out/rows_50/");
    CHECK(!fs::exists(checkpoint.partial() + "/stale"));
    write_file_atomically(checkpoint.partial() + "/y", "third");
    checkpoint.commit();
  }
  CHECK(!fs::exists(folder / "out/rows_50/inner"));
  CHECK_EQUAL(read_file(folder / "out/rows_50/y"), "third");
  CHECK_EQUAL(entries(folder / "out"), 1);
}

}  // namespace

int main() {
  files();
  read_only();
  too_large();
  folders();
  return ws::test::finish();
}
