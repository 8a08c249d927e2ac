#include "io/encoded_dataset.hpp"

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "dataset_builder.hpp"
#include "temporary_folder.hpp"

using namespace ws;
using test::DatasetBuilder;

namespace {

void check_content(const std::string& path, const std::string& folder) {
  const io::EncodedDataset d(path);
  CHECK_EQUAL(d.rows(), 3);
  CHECK_EQUAL(d.processor().id, "p");
  CHECK_EQUAL(d.processor().image->patch, 16);
  CHECK_EQUAL(d.fields().size(), 2u);
  CHECK(d.has_column("weight") && !d.has_column("other"));
  CHECK_EQUAL(d.tokens(1), 5);
  CHECK_EQUAL(d.targets(2), 2);
  const io::Example first = d.row(0);
  CHECK_EQUAL(first.name, "row 0 of " + path);
  CHECK_EQUAL(first.ids.size(), 4u);
  CHECK_EQUAL(first.target_ids[1], 4);
  CHECK_EQUAL(first.column("weight")[0], 0.5f);
  CHECK_EQUAL(first.column("action")[1], 0.0f);
  CHECK(first.images.empty());
  CHECK_THROWS(first.column("none"), "no column \"none\"");
  const io::Example last = d.row(2);
  CHECK_EQUAL(last.images.size(), 2u);
  CHECK_EQUAL(last.images[0].path, "/abs/b.png");
  CHECK_EQUAL(last.images[1].path, folder + "/c.png");
  CHECK_EQUAL(last.images[1].height, 64);
  CHECK_EQUAL(last.images[1].grid[1], 4);
  CHECK_EQUAL(last.images[0].bytes, 200);
  CHECK_EQUAL(last.images[0].sha256[31], 7);
  CHECK_EQUAL(last.column("weight")[1], 8.0f);
  CHECK_THROWS(d.row(3), "there is no row 3; it has 3");
  CHECK_THROWS(d.row(-1), "there is no row -1");
}

struct Mutation {
  const char* message;
  std::function<void(DatasetBuilder&)> change;
  int row = -1;  // -1: refused when the file is opened; else when that row is asked for
};

const std::vector<Mutation> kMutations = {
    {"the metadata has no key \"whetstone\"", [](auto& d) { d.about = ""; }},
    {"the metadata \"whetstone\": not valid JSON", [](auto& d) { d.about = "{"; }},
    {"the format is \"other\"", [](auto& d) { d.replace("encoded-dataset", "other"); }},
    {"the version is 2; this trainer reads version 1", [](auto& d) { d.replace("\"version\":1", "\"version\":2"); }},
    {"\"processor\" is missing", [](auto& d) { d.replace("\"processor\"", "\"processed\""); }},
    {"\"vocab\" is missing", [](auto& d) { d.replace("\"vocab\"", "\"v\""); }},
    {"vocab is 0", [](auto& d) { d.replace("\"vocab\":100", "\"vocab\":0"); }},
    {"image_token is 9", [](auto& d) { d.replace("\"vocab\":100", "\"vocab\":9"); }},
    {"patch is 0", [](auto& d) { d.replace("\"patch\":16", "\"patch\":0"); }},
    {"expected a whole number, found 1.5", [](auto& d) { d.replace("\"merge\":2", "\"merge\":1.5"); }},
    {"image.mean has to be three numbers", [](auto& d) { d.replace("\"mean\":[0.5,0.5,0.5]", "\"mean\":[0.5]"); }},
    {"image.std must not be 0", [](auto& d) { d.replace("\"std\":[0.5", "\"std\":[0"); }},
    {"there are images, but the processor has no image_token",
     [](auto& d) { d.replace("\"image_token\":9", "\"image_token\":null"); }},
    {"there is a column \"field\", but the metadata names no fields",
     [](auto& d) { d.replace("\"fields\":[\"other\",\"action\"],", ""); }},
    {"the tensor ids is missing", [](auto& d) { d.tensors.erase("ids"); }},
    {"the tensor image.sha256 is missing", [](auto& d) { d.tensors.erase("image.sha256"); }},
    {"the tensor ids.offsets is I64 [3], but has to be I64 [4]",
     [](auto& d) {
       d.longs("ids.offsets", {0, 4, 14});
     }},
    {"the tensor target.ids is I32 [4], but has to be I32 [5]",
     [](auto& d) {
       d.ints("target.ids", {1, 2, 3, 4});
     }},
    {"the tensor ids is I64 [1], but has to be I32 [any]", [](auto& d) { d.longs("ids", {1}); }},
    {"the tensor image.grid is I32 [9], but has to be I32 [any, 3]",
     [](auto& d) {
       d.ints("image.grid", {1, 2, 4, 1, 2, 2, 1, 4, 2});
     }},
    {"ids.offsets[0] is 1, but has to be 0",
     [](auto& d) {
       d.longs("ids.offsets", {1, 4, 9, 14});
     }},
    {"ids.offsets[2] is 3, which is less than the one before it",
     [](auto& d) {
       d.longs("ids.offsets", {0, 4, 3, 14});
     }},
    {"ids.offsets ends at 13, but there are 14 elements",
     [](auto& d) {
       d.longs("ids.offsets", {0, 4, 9, 13});
     }},
    {"target.offsets ends at 9000000000",
     [](auto& d) {
       d.longs("target.offsets", {0, 4, 9, 9000000000});
     }},
    {"image.path.offsets[1] is -5, which is less",
     [](auto& d) {
       d.longs("image.path.offsets", {0, -5, 15, 20});
     }},
    {"column.Action: a column's name has to match",
     [](auto& d) {
       d.bytes("column.Action", {0, 0, 0, 0, 0});
     }},
    {"column.weight is I32 [5], but has to be U8 or F32",
     [](auto& d) {
       d.ints("column.weight", {0, 0, 0, 0, 0});
     }},
    {"column.action is F32 [5], but has to be U8",
     [](auto& d) { d.put("column.action", io::DType::f32, std::vector<float>(5)); }},
    {"column.weight is U8 [4], but has to be U8 [5]",
     [](auto& d) {
       d.bytes("column.weight", {0, 0, 0, 0});
     }},
    {"row.key is U8 [3], but has to be U8 [3, 32]",
     [](auto& d) {
       d.bytes("row.key", {0, 0, 0});
     }},
    {"the tensor row.name.offsets is missing", [](auto& d) { d.text("row.name", "abc"); }},
    {"row 0: ids[1] is 100, but ids go from 0 to 99",
     [](auto& d) {
       d.ints("ids", {1, 100, 3, 4, 5, 9, 9, 6, 7, 9, 8, 9, 9, 3});
     },
     0},
    {"row 0: ids[1] is -1",
     [](auto& d) {
       d.ints("ids", {1, -1, 3, 4, 5, 9, 9, 6, 7, 9, 8, 9, 9, 3});
     },
     0},
    {"row 1: target.ids[0] is 100",
     [](auto& d) {
       d.ints("target.ids", {3, 4, 100, 9, 9});
     },
     1},
    {"row 0: target.positions[1] is 4, but the row has 4 tokens",
     [](auto& d) {
       d.ints("target.positions", {1, 4, 3, 2, 3});
     },
     0},
    {"row 0: target.positions[0] is -1",
     [](auto& d) {
       d.ints("target.positions", {-1, 2, 3, 2, 3});
     },
     0},
    {"row 2: target.positions[1] does not ascend",
     [](auto& d) {
       d.ints("target.positions", {1, 2, 3, 2, 2});
     },
     2},
    {"row 0: column.action[0] is 2, but has to be less than 2",
     [](auto& d) {
       d.bytes("column.action", {2, 0, 1, 1, 1});
     },
     0},
    {"row 0: column.field[1] is 2, but has to be less than 2",
     [](auto& d) {
       d.bytes("column.field", {0, 2, 1, 0, 1});
     },
     0},
    {"row 1: there are 1 image placeholders, but the grids of its 1 images need 2",
     [](auto& d) {
       d.ints("ids", {1, 2, 3, 4, 5, 9, 5, 6, 7, 9, 8, 9, 9, 3});
     },
     1},
    {"row 0: there are 1 image placeholders, but the grids of its 0 images need 0",
     [](auto& d) {
       d.ints("ids", {1, 9, 3, 4, 5, 9, 9, 6, 7, 9, 8, 9, 9, 3});
     },
     0},
    {"row 2: two images stand without a token between them",
     [](auto& d) {
       d.ints("ids", {1, 2, 3, 4, 5, 9, 9, 6, 7, 9, 9, 9, 8, 3});
     },
     2},
    {"row 2: image 0 has 2 placeholders in one piece",
     [](auto& d) {
       d.ints("ids", {1, 2, 3, 4, 5, 9, 9, 6, 7, 9, 9, 8, 9, 3});
     },
     2},
    {"row 1: image 0 has 1 placeholders in one piece",
     [](auto& d) {
       d.ints("ids", {1, 2, 3, 4, 9, 5, 9, 6, 7, 9, 8, 9, 9, 3});
     },
     1},
    {"row 1: an image has the grid (1, 3, 4)",
     [](auto& d) {
       d.ints("image.grid", {1, 3, 4, 1, 2, 2, 1, 4, 2}, {3, 3});
     },
     1},
    {"row 1: an image has the grid (2, 2, 4)",
     [](auto& d) {
       d.ints("image.grid", {2, 2, 4, 1, 2, 2, 1, 4, 2}, {3, 3});
     },
     1},
    {"row 1: an image has the grid (1, 2, -4)",
     [](auto& d) {
       d.ints("image.grid", {1, 2, -4, 1, 2, 2, 1, 4, 2}, {3, 3});
     },
     1},
    {"row 1: an image has no pixels or no bytes",
     [](auto& d) {
       d.longs("image.bytes", {0, 200, 300});
     },
     1},
    {"row 1: the path of an image is empty",
     [](auto& d) {
       d.longs("image.path.offsets", {0, 0, 15, 20});
     },
     1},
    {"row 1: the path of an image holds a zero byte",
     [](auto& d) { d.text("image.path", std::string("a\0png/abs/b.pngc.png", 20)); }, 1},
};

}  // namespace

int main() {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.safetensors";
  DatasetBuilder().write(path);
  check_content(path, folder.path());
  for (const size_t shift : {1u, 2u, 3u, 5u}) {  // a writer that does not pad its header
    DatasetBuilder().write(path, shift);
    check_content(path, folder.path());
  }
  DatasetBuilder named;
  named.text("row.name", "episode-1/rows.jsonl:3b");
  named.longs("row.name.offsets", {0, 22, 23, 23});
  named.bytes("row.key", std::vector<uint8_t>(96), {3, 32});
  named.bytes("row.fallback", {0, 1, 2});
  named.tensors["something.new"] = {io::DType::f64, {0}, ""};  // unknown ones are ignored
  named.write(path);
  CHECK_EQUAL(io::EncodedDataset(path).row(0).name, "episode-1/rows.jsonl:3");
  CHECK_EQUAL(io::EncodedDataset(path).row(2).name, "row 2 of " + path);

  for (const Mutation& m : kMutations) {
    DatasetBuilder builder;
    m.change(builder);
    if (builder.about.empty()) {
      io::write_safetensors(path, {}, {});
    } else {
      builder.write(path);
    }
    if (m.row < 0) {
      CHECK_THROWS(io::EncodedDataset{path}, m.message);
    } else {
      const io::EncodedDataset d(path);
      CHECK_THROWS(d.row(m.row), m.message);
      for (int other = 0; other < 3; ++other)  // the other rows are as good as before
        if (other != m.row) CHECK_EQUAL(d.row(other).row, other);
    }
  }
  return test::finish();
}
