#include "base/json.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "base/error.hpp"
#include "check.hpp"

using namespace ws::json;

namespace {

void good() {
  const Value v =
      parse(R"( {"a": [1, -2.5, 1e3, true, false, null], "b": {"c": "x\n\u00e9\ud83d\ude00\/"}, "a2": [], "o": {}} )");
  CHECK_EQUAL(v.at("a").array().size(), 6u);
  CHECK_EQUAL(v.at("a").array()[1].number(), -2.5);
  CHECK_EQUAL(v.at("a").array()[2].integer(), 1000);
  CHECK_EQUAL(v.at("b").at("c").string(), "x\n\xC3\xA9\xF0\x9F\x98\x80/");
  CHECK(v.find("nothing").null());
  CHECK_EQUAL(v.integer_or("nothing", 7), 7);
  CHECK_EQUAL(parse("9007199254740992").integer(), 9007199254740992);
  CHECK_EQUAL(parse("0.1").number(), 0.1);
  CHECK_EQUAL(parse("1e-400").number(), 0.0);
  CHECK_EQUAL(parse("123456789012345678").number(), 123456789012345678.0);
  CHECK(std::signbit(parse("-0").number()));
  CHECK_EQUAL(parse(R"({"k": 1, "k": 2})").at("k").integer(), 2);
  CHECK_EQUAL(parse(R"("\ud800")").string(), "\xEF\xBF\xBD");
  CHECK_EQUAL(parse(R"("\udc00x")").string(), "\xEF\xBF\xBDx");
  CHECK_EQUAL(parse(R"("\ud800\u0041")").string(),
              "\xEF\xBF\xBD"
              "A");
  CHECK_EQUAL(parse(R"("\ud800\ud83d\ude00")").string(), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  CHECK_EQUAL(parse(std::string(200, '[') + std::string(200, ']')).array().size(), 1u);
}

void malformed() {
  for (const char* text : {"",         " ",       "{",        "}",           "[",
                           "]",        "[1",      "[1,",      "[1,]",        "[,1]",
                           "{\"a\"",   "{\"a\":", "{\"a\":1", "{\"a\":1,",   "{\"a\":1,}",
                           "{a:1}",    "{1:2}",   "\"",       "\"a",         "\"\\",
                           "\"\\x\"",  "\"\\u",   "\"\\u12",  "\"\\u12g4\"", "\"\\ud800\\u12\"",
                           "tru",      "nul",     "nan",      "NaN",         "inf",
                           "Infinity", "-",       "+1",       "01",          "1.",
                           ".5",       "1e",      "1e+",      "1e999",       "-1e999",
                           "0x10",     "1 2",     "[1] x",    "\"a\tb\"",    "'a'",
                           "[1;2]",    "-inf",    "--1",      "\x01",        "\xFF\xFE"})
    CHECK_THROWS(parse(text), "not valid JSON");
  CHECK_THROWS(parse(std::string_view("[1\0]", 4)), "not valid JSON");
  CHECK_THROWS(parse(std::string_view("1\0", 2)), "text after the value");
  CHECK_THROWS(parse(std::string(100000, '[')), "nested too deep");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  CHECK_THROWS(parse(deep), "nested too deep");
  // Every beginning of a valid text is invalid, and none reads beyond its end.
  const std::string whole = R"({"a":[1.5e-3,"\ud83d\ude00",true,null,{"b":false}]})";
  for (size_t n = 0; n < whole.size(); ++n) CHECK_THROWS(parse(std::string(whole, 0, n)), "not valid JSON");
  // Every byte of it changed to every other: an error or a value, never a crash.
  int errors = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    for (int b = 0; b < 256; ++b) {
      std::string text = whole;
      text[i] = static_cast<char>(b);
      try {
        write(parse(text));
      } catch (const ws::Error&) {
        ++errors;
      }
    }
  CHECK(errors > 1000);
}

void types() {
  const Value v = parse(R"({"n": 1.5, "s": "x"})");
  CHECK_THROWS(v.at("n").string(), "expected a string, found a number");
  CHECK_THROWS(v.at("n").integer(), "expected a whole number, found 1.5");
  CHECK_THROWS(v.at("m"), "\"m\" is missing");
  CHECK_THROWS(v.number_or("s", 0), "\"s\": expected a number, found a string");
  CHECK_THROWS(v.array(), "expected a list, found an object");
  CHECK_THROWS(parse("1e300").integer(), "expected a whole number");
}

void writing() {
  const double inf = std::numeric_limits<double>::infinity();
  Object o{{"b", 1}, {"a", "q\"\\\n\x01"}, {"n", nullptr}, {"t", true}};
  o.set("list", list(std::vector<double>{0.1, -0.0, 1e300, 5, std::nan(""), inf, -inf})).set("big", int64_t{1} << 53).set("b", 2);
  o.set("f", 0.1f).set("m", 100000).set("bad", "\xC3(\xED\xA0\x80").set("good", "\xC3\xA9");
  CHECK_EQUAL(write(o),
              "{\"b\":2,\"a\":\"q\\\"\\\\\\n\\u0001\",\"n\":null,\"t\":true,\"list\":[0.1,-0,1e+300,5,\"nan\",\"inf\",\"-inf\"],"
              "\"big\":9007199254740992,\"f\":0.10000000149011612,\"m\":100000,\"bad\":\"\xEF\xBF\xBD("
              "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\",\"good\":\"\xC3\xA9\"}");
  CHECK_EQUAL(write(parse(write(o))), write(o));
  CHECK_EQUAL(write_indented(Object{{"a", Object{{"b", list(std::vector<int>{1, 2})}}}, {"c", Array{}}}),
              "{\n  \"a\": {\n    \"b\": [1, 2]\n  },\n  \"c\": []\n}\n");
  for (const double d : {1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.125, 1e15, 1e21, -2.0})
    CHECK_EQUAL(parse(write(d)).number(), d);

  Object many;
  for (int i = 0; i < 1000; ++i) many.set("key" + std::to_string(i), i);
  many.set("key500", -1);
  Object copy = many;
  copy.set("new", 1);
  CHECK_EQUAL(many.size(), 1000u);
  CHECK_EQUAL(copy.size(), 1001u);
  CHECK_EQUAL(many.find("key500")->integer(), -1);
  CHECK(!many.contains("new"));
  Object moved = std::move(copy);
  CHECK_EQUAL(moved.find("key999")->integer(), 999);
}

// A plan of a large run: 100,000 visits, seven columns, names.
void speed() {
  std::string text = "{\"order\":{";
  for (const char* column : {"step", "rank", "forward", "row", "role", "epoch", "coefficient"}) {
    text += std::string(text.back() == '{' ? "" : ",") + "\"" + column + "\":[";
    for (int i = 0; i < 200000; ++i)
      text += (i ? "," : "") + (column[0] == 'c' && column[1] == 'o' ? std::string("0.000833") : std::to_string(i));
    text += "]";
  }
  text += "}}";
  const double start = ws::test::cpu_seconds();
  const Value v = parse(text);
  const double seconds = ws::test::cpu_seconds() - start;
  CHECK_EQUAL(v.at("order").at("row").array().size(), 200000u);
  std::printf("%.1f MB of JSON read in %.3f s\n", static_cast<double>(text.size()) / 1e6, seconds);
  CHECK(seconds < 1 * ws::test::kSlower);
}

}  // namespace

int main() {
  good();
  malformed();
  types();
  writing();
  speed();
  return ws::test::finish();
}
