// events.jsonl and logprobs.rank<r>.bin: what is written, what a torn tail does, how long it takes.
#include "io/event_writer.hpp"

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "check.hpp"
#include "io/logprob_writer.hpp"
#include "temporary_folder.hpp"

using namespace ws;

namespace {

void append(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::app | std::ios::binary) << bytes; }

std::vector<json::Value> lines(const std::string& path) {
  std::vector<json::Value> out;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) out.push_back(json::parse(line));
  return out;
}

void events() {
  const test::TemporaryFolder folder;
  const std::string path = folder / "events.jsonl";
  CHECK_EQUAL(io::next_event_seq(path), 0);
  {
    io::EventWriter writer(path, 0);
    CHECK_EQUAL(writer.write("started", {{"segment", 0}}), 0);
    CHECK_EQUAL(writer.write("step", {{"step", 0}, {"grad_norm", std::nan("")}}), 1);
    CHECK_EQUAL(writer.write("phase", {}), 2);
  }
  CHECK(read_file(path).starts_with("{\"v\":1,\"seq\":0,\"time\":"));
  append(path, "{\"v\":1,\"seq\":3,\"ki");  // killed in the middle of a line
  CHECK_EQUAL(io::next_event_seq(path), 3);
  {
    io::EventWriter writer(path, io::next_event_seq(path));
    writer.write("started", {{"segment", 1}});
  }
  const auto all = lines(path);
  CHECK_EQUAL(all.size(), 4u);
  for (size_t i = 0; i < all.size(); ++i) CHECK_EQUAL(all[i].at("seq").integer(), static_cast<int64_t>(i));
  CHECK_EQUAL(all[1].at("grad_norm").string(), "nan");
  CHECK_EQUAL(all[2].at("kind").string(), "phase");
  append(path, "rubbish\n");
  CHECK_EQUAL(io::next_event_seq(path), 4);
  // A file that is nothing but a torn line, longer than what is read at a time.
  append(folder / "torn", std::string(200000, 'x'));
  { io::EventWriter writer(folder / "torn", 5); }
  CHECK_EQUAL(read_file(folder / "torn"), "");
  CHECK_EQUAL(io::next_event_seq(folder / "torn"), 0);
  append(folder / "mixed", "{\"seq\":8}\n" + std::string(200000, 'x'));
  { io::EventWriter writer(folder / "mixed", 9); }
  CHECK_EQUAL(read_file(folder / "mixed"), "{\"seq\":8}\n");
}

void full_disk() {
  CHECK_THROWS(io::EventWriter("/nowhere/events.jsonl", 0), "cannot write /nowhere/events.jsonl: No such file");
  io::EventWriter device("/dev/full", 0);
  CHECK_THROWS(device.write("step", {}), "cannot write /dev/full: No space left on device");
  CHECK_EQUAL(device.next_seq(), 0);

  // A limit in the middle of a line: the torn part goes, and once there is room the same number is written.
  const test::TemporaryFolder folder;
  const std::string path = folder / "events.jsonl";
  io::EventWriter writer(path, 0);
  writer.write("a", {});
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = read_file(path).size() + 20;
  ::setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS(writer.write("b", {{"text", std::string(1000, 'x')}}), "events.jsonl: File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK_EQUAL(lines(path).size(), 1u);
  CHECK_EQUAL(writer.write("c", {}), 1);
  CHECK_EQUAL(lines(path).size(), 2u);
}

void speed() {
  const test::TemporaryFolder folder;
  json::Array visits;
  for (int i = 0; i < 40; ++i)
    visits.push_back(json::Object{
        {"o", i},
        {"r", i * 7},
        {"role", 0},
        {"e", 0},
        {"t", 7600},
        {"n", 150},
        {"sum", 81.123456789 + i},
        {"w", 150},
        {"clamped", 0},
        {"f",
         json::Array{json::list(std::vector<double>{1.2345678 * i, 20, 1}), json::list(std::vector<double>{2.3456789, 30, 0}),
                     json::list(std::vector<double>{0.001234567, 7, 1}), json::list(std::vector<double>{3.25, 9, 1}),
                     json::list(std::vector<double>{0.1, 60, 0}), json::list(std::vector<double>{17.7, 23, 0})}}});
  io::EventWriter writer(folder / "events.jsonl", 0);
  constexpr int kEvents = 500;
  const double start = test::cpu_seconds();
  for (int i = 0; i < kEvents; ++i) writer.write("step", {{"step", i}, {"visits", visits}});
  const double ms = (test::cpu_seconds() - start) * 1000 / kEvents;
  std::printf("an event of %.1f kB: %.3f ms\n", static_cast<double>(read_file(folder / "events.jsonl").size()) / kEvents / 1000,
              ms);
  CHECK(ms < 0.2 * test::kSlower);
}

void logprobs() {
  const test::TemporaryFolder folder;
  const std::string path = folder / "logprobs.rank0.bin";
  const std::vector<float> values{-0.5f, -1.25f, -3};
  {
    io::LogprobWriter writer(path);
    writer.write(7, values);
    writer.write(8, {});
  }
  const std::string whole = read_file(path);
  CHECK_EQUAL(whole.size(), 8u + 8 + 12 + 8);
  CHECK_EQUAL(whole.substr(0, 4), "WSLP");
  uint32_t head[3];
  std::memcpy(head, whole.data() + 4, 12);
  CHECK(head[0] == 1 && head[1] == 7 && head[2] == 3);
  CHECK(std::memcmp(whole.data() + 16, values.data(), 12) == 0);
  for (const size_t torn : {1u, 7u, 8u, 11u}) {  // a record of 20 bytes that was cut
    append(path, std::string("\x09\0\0\0\3\0\0\0xxxxxxxxxxxx", 20).substr(0, torn));
    { io::LogprobWriter writer(path); }
    CHECK_EQUAL(read_file(path).size(), whole.size());
  }
  append(path, std::string("\x09\0\0\0\xff\xff\xff\xffxxxx", 12));  // a count that cannot be
  { io::LogprobWriter writer(path); }
  CHECK(read_file(path) == whole);
  append(folder / "short", "WSL");
  { io::LogprobWriter writer(folder / "short"); }
  CHECK_EQUAL(read_file(folder / "short").size(), 8u);
  append(folder / "other", "something else");
  CHECK_THROWS(io::LogprobWriter(folder / "other"), "is no file of log-probabilities");
}

}  // namespace

int main() {
  events();
  full_disk();
  speed();
  logprobs();
  return ws::test::finish();
}
