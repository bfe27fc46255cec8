#include "schedules/dot.hpp"

#include <catch2/catch.hpp>

#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;
using Catch::Contains;

namespace {

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("the picture of a graph has its tasks and what flows between them", "[dot]") {
  const std::string text = dot_text(chain_graph(5));
  CHECK(count(text, "fillcolor=\"#a6cee3\"") == 5);
  CHECK(count(text, "fillcolor=\"#b2df8a\"") == 6);
  CHECK_THAT(text, Contains("t0 -> t1 [label=\"x1\\n1 B\"]"));
  CHECK_THAT(text, Contains("s0 [label=\"x0\\n1 B\", shape=ellipse"));
  CHECK_THAT(text, Contains("t10 -> r11 "));
}

TEST_CASE("in the picture of a graph a whole comes from everyone who writes a part", "[dot]") {
  const std::string text = dot_text(parse_graph(training_graph, "training"));
  CHECK_THAT(text, Contains("t0 -> t2 [label=\"a\\n"));
  CHECK_THAT(text, Contains("t1 -> t2 [label=\"a\\n"));
  CHECK_THAT(text, Contains("shape=cylinder"));
  CHECK_THAT(text, Contains("style=bold"));
}

TEST_CASE("the picture of a schedule has a node for every action, dashed if it runs again",
          "[dot]") {
  const std::string text = dot_text(chain_recomputed());
  CHECK(count(text, "    a") == 13);
  CHECK(count(text, "dashed") == 2);
  CHECK_THAT(text, Contains("label=\"n0/cpu\""));
  CHECK_THAT(text, Contains("a1 -> a7 [label=\"x2\"]"));
}

TEST_CASE("in the picture of a schedule copies are ellipses and order without data is dotted",
          "[dot]") {
  const std::string text = dot_text(chain_offloaded());
  CHECK(count(text, "shape=ellipse") == 2);
  CHECK_THAT(text, Contains("a0 -> a1 [label=\"x1\"]"));
  CHECK(count(text, "a0 -> a1 ") == 1);
  CHECK_THAT(text, Contains("a1 -> a5 [style=dotted"));
}

TEST_CASE("the picture of a platform has its memories, devices and links", "[dot]") {
  const std::string text = dot_text(course_machine(2));
  CHECK_THAT(text, Contains("m0 [label=\"ram\\n16 GiB\", shape=cylinder"));
  CHECK_THAT(text, Contains("d0 [label=\"cpu\\n2 workers\\n2.8GHz: 7 W"));
  CHECK_THAT(text, Contains("m0 -> m1 "));
  CHECK_THAT(text, Contains("m1 -> m0 "));
}

TEST_CASE("names cannot break out of a picture", "[dot]") {
  Graph graph = chain_graph(2);
  graph.tasks[0].name = "a\"] b\\\n";
  CHECK_THAT(dot_text(graph), Contains("t0 [label=\"a\\\"] b\\\\\\n\""));
}

TEST_CASE("a schedule with names that name nothing is drawn without them", "[dot]") {
  Schedule schedule = chain_kept_whole();
  schedule.actions[0].worker = no_worker;
  schedule.actions[1].task = no_task;
  schedule.actions[2].reads = {no_buffer};
  schedule.actions[3].after = {ActionId{-1}};
  schedule.buffers[2].tensor = no_tensor;
  CHECK(count(dot_text(schedule), "    a") == 11);
}

TEST_CASE("Graphviz reads our pictures", "[.dot]") {
  const std::uint64_t seed = GENERATE(1, 2, 3);
  const std::string text =
      GENERATE_COPY(dot_text(random_graph(seed)), dot_text(random_platform(seed)),
                    dot_text(training_step()), dot_text(chain_offloaded()));
  const Ran ran = run_installed("dot", {"-Tsvg"}, text);
  if (ran.exit == 127) {
    WARN("dot is not installed");
    return;
  }
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 0);
  CHECK_THAT(ran.out, Contains("<svg"));
}
