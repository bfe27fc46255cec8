#include "planner/pieces.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

// whole = [a | b | c] of 4 bytes each; left lies over a and b, and view over the first half of b.
const char* const cut_graph = R"({"format": "stint-tasks", "version": 1, "name": "cut",
 "tensors": [{"name": "whole", "bytes": 12},
  {"name": "left", "bytes": 8, "part_of": {"tensor": "whole", "offset_bytes": 0}},
  {"name": "a", "bytes": 4, "part_of": {"tensor": "left", "offset_bytes": 0}},
  {"name": "b", "bytes": 4, "part_of": {"tensor": "left", "offset_bytes": 4}},
  {"name": "c", "bytes": 4, "part_of": {"tensor": "whole", "offset_bytes": 8}},
  {"name": "view", "bytes": 2, "part_of": {"tensor": "whole", "offset_bytes": 4}},
  {"name": "out", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}},
  {"name": "B", "writes": ["b"], "seconds": {"cpu": 1}},
  {"name": "C", "writes": ["c"], "seconds": {"cpu": 1}},
  {"name": "R", "reads": ["left", "view"], "writes": ["out"], "seconds": {"cpu": 1}}],
 "results": ["out"]})";

}  // namespace

TEST_CASE("tensors that share no bytes cover themselves", "[pieces]") {
  const Problem problem = problem_of(cut_graph, plain_machine());
  const auto id = tensors_by_name(problem.graph());
  const auto cover = covers(problem, {id.at("a"), id.at("c"), id.at("out")});
  CHECK(cover.at(id.at("a")) == id.at("a"));
  CHECK(cover.at(id.at("c")) == id.at("c"));
  CHECK(cover.at(id.at("out")) == id.at("out"));
}

TEST_CASE("tensors that share bytes are covered by the smallest whole of both", "[pieces]") {
  const Problem problem = problem_of(cut_graph, plain_machine());
  const auto id = tensors_by_name(problem.graph());
  CHECK(covers(problem, {id.at("a"), id.at("left")}).at(id.at("a")) == id.at("left"));
  // b and view share bytes, and are parts of the whole only: that takes c along.
  const auto cover = covers(problem, {id.at("a"), id.at("b"), id.at("c"), id.at("view")});
  for (const char* name : {"a", "b", "c", "view"}) CHECK(cover.at(id.at(name)) == id.at("whole"));
}

TEST_CASE("a tensor that is read is covered by the pieces that tasks wrote", "[pieces]") {
  const Problem problem = problem_of(cut_graph, plain_machine());
  const auto id = tensors_by_name(problem.graph());
  const Pieces all = pieces(problem);
  const auto names = [&](const char* tensor) {
    std::vector<std::string> list;
    for (const PieceId piece : all.of_tensor[id.at(tensor)])
      list.push_back(problem.graph().tensors[all.tensor[piece]].name);
    return list;
  };
  CHECK(names("left") == std::vector<std::string>{"a", "b"});
  CHECK(names("view") == std::vector<std::string>{"b"});
  CHECK(names("whole") == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a tensor is wanted if somebody reads one of its bytes", "[pieces]") {
  const Problem problem = problem_of(cut_graph, plain_machine());
  const auto id = tensors_by_name(problem.graph());
  const auto want = wanted(problem);
  CHECK(want[id.at("a")]);
  CHECK(want[id.at("out")]);
  CHECK_FALSE(want[id.at("c")]);
}
