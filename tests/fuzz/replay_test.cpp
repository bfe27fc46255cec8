// A little fuzzing in every test run: the same damage to the same files each time, without clang.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/onnx/read_onnx.hpp"
#include "tests/fuzz/json_mutator.hpp"
#include "tests/fuzz/message_mutator.hpp"
#include "tests/fuzz/onnx_seeds.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/fuzz/targets.hpp"

using namespace stint;

namespace {

// Damage is piled up on damage for a while, then it starts afresh from a seed.
void replay(const std::vector<std::string>& seeds, int count, void (*target)(const std::string&),
            std::string (*mutate)(const std::string&, std::mt19937_64&) = mutate_json) {
  constexpr int rounds_from_a_seed = 8;
  REQUIRE_FALSE(seeds.empty());
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i % rounds_from_a_seed == 0) text = seeds[random() % seeds.size()];
    text = mutate(text, random);
    try {
      target(text);
    } catch (const std::exception& error) {
      FAIL("mutation " << i << ": " << error.what() << "\n" << text.substr(0, 10000));
    }
  }
}

}  // namespace

TEST_CASE("damaged graphs are read or refused with one line", "[fuzz]") {
  replay(bundled_seeds("models", "stint-tasks"), 8000, fuzz_graph);
}

TEST_CASE("damaged networks are read or refused with one line", "[fuzz]") {
  replay(bundled_seeds("models", "stint-model"), 4000, fuzz_network);
}

TEST_CASE("damaged platforms are read or refused with one line", "[fuzz]") {
  replay(bundled_seeds("platforms", "stint-platform"), 8000, fuzz_platform);
}

TEST_CASE("damaged schedules are judged or refused with one line", "[fuzz]") {
  replay(schedule_seeds(), 4000, fuzz_schedule);
}

TEST_CASE("damaged schedules that the judge accepts replay as their graph computes", "[fuzz]") {
  replay(schedule_seeds(), 1000, fuzz_run);
}

TEST_CASE("damaged reports are read or refused with one line", "[fuzz]") {
  replay(report_seeds(), 1000, fuzz_report);
}

TEST_CASE("damaged ONNX files are read or refused with one line", "[fuzz]") {
  replay(onnx_seeds(), 5000, fuzz_onnx, mutate_message);
}

TEST_CASE("ONNX files to start from are good ones", "[fuzz]") {
  for (const std::string& bytes : onnx_seeds()) CHECK_NOTHROW(parse_onnx(bytes, "seed.onnx"));
}

TEST_CASE("damage is the same every time, and mostly still JSON", "[fuzz]") {
  const std::string text = bundled_seeds("models", "stint-tasks").front();
  std::mt19937_64 one(7);
  std::mt19937_64 two(7);
  int changed = 0;
  int closed = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string damaged = mutate_json(text, one);
    REQUIRE(mutate_json(text, two) == damaged);
    changed += damaged != text ? 1 : 0;
    closed += damaged.ends_with("}") ? 1 : 0;
  }
  REQUIRE(changed > 90);
  REQUIRE(closed > 80);
}
