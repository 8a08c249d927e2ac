// The whole test framework: a check that fails is printed and counted, and the test's exit status says whether there was one.
#pragma once
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>

namespace ws::test {

inline int checks = 0, failures = 0;

inline void check(bool ok, const std::string& what) {
  ++checks;
  if (ok) return;
  ++failures;
  std::printf("FAIL %s\n", what.c_str());
}

template <class A, class B>
void equal(const A& got, const B& wanted, const std::string& what) {
  std::ostringstream text;
  text.precision(17);
  text << what << ": got " << got << ", wanted " << wanted;
  check(got == wanted, text.str());
}

// Absolute tolerance; NaN fails.
inline void near(double got, double wanted, double tolerance, const std::string& what) {
  std::ostringstream text;
  text.precision(17);
  text << what << ": got " << got << ", wanted " << wanted << " +- " << tolerance;
  check(std::abs(got - wanted) <= tolerance, text.str());
}

// `f` has to throw something whose what() contains `part`.
template <class F>
void throws(F f, const std::string& part, const std::string& what) {
  try {
    f();
  } catch (const std::exception& e) {
    check(std::string(e.what()).find(part) != std::string::npos, what + ": the message lacks \"" + part + "\": " + e.what());
    return;
  }
  check(false, what + ": nothing was thrown");
}

inline int summary(const char* name) {
  std::printf("%s: %d checks, %d failed\n", name, checks, failures);
  return failures == 0 && checks > 0 ? 0 : 1;
}

}  // namespace ws::test
