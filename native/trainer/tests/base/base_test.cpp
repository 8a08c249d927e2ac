// SHA-256, process identity, errors, files read whole.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/host.hpp"
#include "base/log.hpp"
#include "base/read_file.hpp"
#include "base/sha256.hpp"
#include "check.hpp"

namespace {

void hashes() {
  // FIPS 180-4's examples.
  CHECK_EQUAL(ws::hex(ws::sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK_EQUAL(ws::hex(ws::sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK_EQUAL(ws::hex(ws::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  const std::string million(1000000, 'a');
  const auto start = std::chrono::steady_clock::now();
  CHECK_EQUAL(ws::hex(ws::sha256(million)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::printf("SHA-256 of 1 MB: %.2f ms\n",
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  for (const size_t piece : {1u, 3u, 55u, 56u, 63u, 64u, 65u, 1000u}) {  // in pieces, over every edge of a block
    ws::Sha256 hash;
    for (size_t at = 0; at < 5000; at += piece) hash.add(million.data() + at, std::min<size_t>(piece, 5000 - at));
    CHECK_EQUAL(ws::hex(hash.finish()), ws::hex(ws::sha256(million.substr(0, 5000))));
  }
}

void identity() {
  const ws::ProcessIdentity me = ws::process_identity();
  CHECK_EQUAL(me.pid, static_cast<int64_t>(::getpid()));
  CHECK(!me.host.empty());
#ifdef __linux__
  CHECK(me.process_start > 0);
  CHECK_EQUAL(me.boot_id.size(), 36u);
#endif
  CHECK(ws::seconds_since_1970() > 1.7e9);
}

void errors() {
  const ws::Error full = ws::system_error("cannot write /x", ENOSPC);
  CHECK_EQUAL(full.exit_status(), 6);
  CHECK_EQUAL(std::string(full.what()), "cannot write /x: No space left on device");
  CHECK(full.hint().find("full") != std::string::npos);
  CHECK(ws::system_error("x", EROFS).hint().find("read-only") != std::string::npos);
  CHECK_EQUAL(ws::Error(ws::Fault::non_finite, "c", "m").exit_status(), 4);
  CHECK_THROWS(ws::read_file("/nowhere/at/all"), "cannot read /nowhere/at/all: No such file");
  CHECK_THROWS(ws::read_file("/"), "cannot read /: ");
  CHECK(ws::read_file("/proc/self/stat").size() > 10);  // its size is said to be 0
}

}  // namespace

int main() {
  hashes();
  identity();
  errors();
  ws::set_log_rank(3);
  ws::log_line("a line of the log");
  return ws::test::finish();
}
