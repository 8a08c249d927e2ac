// The checks of our tests: plain executables that print what failed and end with status 1. They do not use assert(), so that a
// release build tests as much as a debug one. A test that checked nothing fails too.
#pragma once
#include <cmath>
#include <ctime>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace ws::test {

struct Counts {
  int checks = 0;
  int failures = 0;
};
inline Counts& counts() {
  static Counts c;
  return c;
}

inline bool check(bool ok, const char* file, int line, const std::string& what) {
  ++counts().checks;
  if (!ok) {
    ++counts().failures;
    std::cerr << file << ":" << line << ": FAILED: " << what << "\n";
  }
  return ok;
}

template <class T>
std::string show(const T& value) {
  if constexpr (requires(std::ostream & o) { o << value; }) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
  } else {
    return "(not printable)";
  }
}

template <class A, class B>
bool check_equal(const A& a, const B& b, const char* file, int line, const char* text) {
  return check(a == b, file, line, std::string(text) + "\n    left:  " + show(a) + "\n    right: " + show(b));
}

inline bool check_near(double a, double b, double tolerance, const char* file, int line, const char* text) {
  return check(std::abs(a - b) <= tolerance, file, line,
               std::string(text) + ": " + show(a) + " and " + show(b) + ", tolerance " + show(tolerance));
}

// The body has to throw, and the message (with the hint, for a ws::Error) has to contain `part`.
template <class F>
bool check_throws(F&& body, std::string_view part, const char* file, int line) {
  std::string said;
  try {
    body();
  } catch (const std::exception& e) {
    said = e.what();
    if (said.find(part) != std::string::npos) return check(true, file, line, "");
    return check(false, file, line, "expected an error with \"" + std::string(part) + "\"\n    got: " + said);
  }
  return check(false, file, line, "expected an error with \"" + std::string(part) + "\", but nothing was thrown");
}

// Seconds of CPU time since the process started: what a test of speed goes by, so that a busy machine changes little.
inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
// How many times slower than the release build this one may be.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kSlower = 50;
#else
constexpr double kSlower = 1;
#endif

// The exit status of main().
inline int finish() {
  const Counts& c = counts();
  std::cout << c.checks << " checks, " << c.failures << " failed\n";
  if (c.checks == 0) std::cerr << "no check ran\n";
  return c.failures == 0 && c.checks > 0 ? 0 : 1;
}

}  // namespace ws::test

// torch's logging defines a CHECK of its own, which would end the process: include this header after torch's.
#undef CHECK
#define CHECK(condition) ::ws::test::check(static_cast<bool>(condition), __FILE__, __LINE__, #condition)
#define CHECK_EQUAL(a, b) ::ws::test::check_equal((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_NEAR(a, b, tolerance) ::ws::test::check_near((a), (b), (tolerance), __FILE__, __LINE__, #a " ~ " #b)
// CHECK_THROWS(statement; statement, "part of the message")
#define CHECK_THROWS(statements, part) ::ws::test::check_throws([&] { statements; }, (part), __FILE__, __LINE__)
