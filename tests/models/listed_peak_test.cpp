#include "models/listed_peak.hpp"

#include <catch2/catch.hpp>

#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

// `w` is state of 100 bytes, `x` an input of 10; A makes y, B makes z.
Graph two_steps(const std::string& more_of_b, std::int64_t z_bytes = 20) {
  return parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "g",
    "tensors": [{"name": "w", "bytes": 100, "kind": "state"}, {"name": "x", "bytes": 10, "kind": "input"},
                {"name": "y", "bytes": 20}, {"name": "z", "bytes": )" +
                         std::to_string(z_bytes) + R"(}, {"name": "v", "bytes": 1}],
    "tasks": [{"name": "A", "reads": ["x"], "writes": ["y"]},
              {"name": "B", "reads": ["y"], "writes": ["z"])" +
                         more_of_b + R"(}, {"name": "C", "reads": ["z", "w"], "writes": ["v"]}],
    "results": ["v"]})",
                     "g");
}

}  // namespace

TEST_CASE("a chain that keeps everything takes a byte for every step and one for the input",
          "[listed_peak]") {
  for (const int steps : {1, 2, 5, 50}) CHECK(listed_peak_bytes(chain_graph(steps)) == steps + 1);
}

TEST_CASE("state is always there, an input until it was read", "[listed_peak]") {
  CHECK(listed_peak_bytes(two_steps("", 5)) == 100 + 10 + 20);
  CHECK(listed_peak_bytes(two_steps("")) == 100 + 20 + 20);
}

TEST_CASE("workspace counts while its task runs", "[listed_peak]") {
  CHECK(listed_peak_bytes(two_steps(R"(, "workspace_bytes": 7)")) == 100 + 20 + 20 + 7);
}

TEST_CASE("an output takes the place of an input that is given up, if it fits", "[listed_peak]") {
  const std::string over = R"(, "may_overwrite": {"z": "y"})";
  CHECK(listed_peak_bytes(two_steps(over)) == 100 + 10 + 20);
  CHECK(listed_peak_bytes(two_steps(over, 21)) == 100 + 20 + 21);
}

TEST_CASE("what somebody still needs is not given up", "[listed_peak]") {
  Graph graph = two_steps(R"(, "may_overwrite": {"z": "y"})");
  graph.results.push_back(tensors_by_name(graph).at("y"));
  CHECK(listed_peak_bytes(graph) == 100 + 20 + 20 + 1);
}

TEST_CASE("a whole lives from its first part that is written to the last read", "[listed_peak]") {
  const Graph graph = parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "g",
    "tensors": [{"name": "all", "bytes": 8}, {"name": "a", "bytes": 4, "part_of": {"tensor": "all"}},
                {"name": "b", "bytes": 4, "part_of": {"tensor": "all", "offset_bytes": 4}},
                {"name": "c", "bytes": 2}, {"name": "d", "bytes": 1}],
    "tasks": [{"name": "A", "writes": ["a"], "workspace_bytes": 1}, {"name": "B", "writes": ["b"]},
              {"name": "C", "reads": ["a"], "writes": ["c"]},
              {"name": "D", "reads": ["b", "c"], "writes": ["d"]}],
    "results": ["d"]})",
                                  "g");
  CHECK(listed_peak_bytes(graph) == 8 + 2 + 1);
}

TEST_CASE("what no task uses takes nothing, but for state", "[listed_peak]") {
  Graph graph = chain_graph(2);
  graph.tensors.push_back({"unread", 1000, Kind::input, {}});
  CHECK(listed_peak_bytes(graph) == 3);
  graph.tensors.push_back({"unused", 1000, Kind::state, {}});
  CHECK(listed_peak_bytes(graph) == 1003);
}
