#include "planner/chains/recognise.hpp"

#include <catch2/catch.hpp>

#include "models/dependencies.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

Recognised recognised(const Graph& graph) { return recognise_chain(graph, dependencies(graph)); }

Graph graph_of(const std::string& tensors, const std::string& tasks) {
  return parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "test", "tensors": [)" +
                         tensors + R"(], "tasks": [)" + tasks + R"(], "results": []})",
                     "test");
}

std::string names(const Graph& graph, const std::vector<TaskId>& tasks) {
  std::string all;
  for (const TaskId task : tasks) all += graph.tasks[task].name + " ";
  return all;
}

const std::string step_tensors = R"({"name": "x0", "bytes": 1, "kind": "input"},
  {"name": "label", "bytes": 1, "kind": "input"}, {"name": "w", "bytes": 1, "kind": "state"},
  {"name": "m", "bytes": 1}, {"name": "s", "bytes": 1}, {"name": "x1", "bytes": 1}, {"name": "x2", "bytes": 1},
  {"name": "loss", "bytes": 1}, {"name": "g2", "bytes": 1}, {"name": "g1", "bytes": 1},
  {"name": "g0", "bytes": 1}, {"name": "dw", "bytes": 1})";

// A block of two tasks, a stage whose backward reads its output, updates at the end.
const std::string step_tasks = R"(
  {"name": "conv", "phase": "forward", "reads": ["x0", "w"], "writes": ["m", "s"], "seconds": {"cpu": 1}},
  {"name": "add", "phase": "forward", "reads": ["m", "s"], "writes": ["x1"], "seconds": {"cpu": 1}},
  {"name": "relu", "phase": "forward", "reads": ["x1"], "writes": ["x2"], "seconds": {"cpu": 1}},
  {"name": "L", "phase": "loss", "reads": ["x2", "label"], "writes": ["loss"], "seconds": {"cpu": 1}},
  {"name": "Lb", "phase": "backward", "reads": ["x2", "label"], "writes": ["g2"], "seconds": {"cpu": 1}},
  {"name": "relub", "phase": "backward", "reads": ["x2", "g2"], "writes": ["g1"], "seconds": {"cpu": 1}},
  {"name": "convb", "phase": "backward", "reads": ["x0", "m", "g1", "w"], "writes": ["g0", "dw"], "seconds": {"cpu": 1}},
  {"name": "U", "phase": "update", "reads": ["dw"], "updates": ["w"], "seconds": {"cpu": 1}})";

}  // namespace

TEST_CASE("the course's chain has a stage for every backward, the last without a forward",
          "[recognise]") {
  const auto chain = recognised(chain_graph(5)).chain;
  REQUIRE(chain);
  CHECK(chain->stages.size() == 6);
  CHECK_FALSE(chain->last_forward);
  CHECK(chain->input.size() == 1);
  for (const TaskStage& stage : chain->stages) {
    CHECK(stage.backward.size() == 1);
    CHECK(stage.backward_reads_input);
    CHECK(stage.tape.empty());
  }
}

TEST_CASE("a chain needs no phases if every tensor is read once on the way forward",
          "[recognise]") {
  Graph graph = chain_graph(5);
  for (Task& task : graph.tasks) task.phase = Phase::other;
  const auto chain = recognised(graph).chain;
  REQUIRE(chain);
  CHECK(chain->stages.size() >= 5);
}

TEST_CASE("blocks, outputs read back, labels and updates find their stage", "[recognise]") {
  const Graph graph = graph_of(step_tensors, step_tasks);
  const auto chain = recognised(graph).chain;
  REQUIRE(chain);
  REQUIRE(chain->stages.size() == 3);
  CHECK(names(graph, chain->stages[0].forward) == "conv add ");
  CHECK(names(graph, chain->stages[0].backward) == "convb U ");
  CHECK(chain->stages[0].tape.size() == 1);  // m
  CHECK(names(graph, chain->stages[1].forward) == "relu ");
  CHECK(names(graph, chain->stages[1].backward) == "relub ");
  CHECK(chain->stages[1].backward_reads_output);
  CHECK_FALSE(chain->stages[1].backward_reads_input);
  CHECK(names(graph, chain->stages[2].backward) == "L Lb ");
  CHECK(chain->stages[2].own_input.size() == 1);  // label
}

TEST_CASE("stages that a backward task reads across become one", "[recognise]") {
  Graph graph = chain_graph(5);
  graph.tasks.back().reads.push_back(TensorId{3});  // B0 reads x3
  const auto chain = recognised(graph).chain;
  REQUIRE(chain);
  CHECK(chain->stages.size() == 4);
  CHECK(chain->stages[0].forward.size() == 3);
  CHECK(chain->stages[0].backward_reads_output);
}

TEST_CASE("what is not a chain is told why", "[recognise]") {
  const auto why = [](const Graph& graph) { return recognised(graph).why_not; };
  CHECK(why(graph_of(R"({"name": "a", "bytes": 1, "kind": "input"}, {"name": "b", "bytes": 1})",
                     R"({"name": "T", "phase": "forward", "reads": ["a"], "writes": ["b"]})")) ==
        "there is no backward task");
  CHECK(why(graph_of(R"({"name": "a", "bytes": 1, "kind": "input"}, {"name": "b", "bytes": 1},
                         {"name": "c", "bytes": 1}, {"name": "d", "bytes": 1})",
                     R"({"name": "T", "phase": "forward", "reads": ["a"], "writes": ["b", "c"]},
                        {"name": "U", "phase": "loss", "reads": ["b", "c"], "writes": ["d"]})")) ==
        "no single tensor separates earlier forward tasks from later ones");
  Graph updating = graph_of(step_tensors, step_tasks);
  updating.tasks[0].updates = {TensorId{2}};
  updating.tasks[0].reads = {TensorId{0}};
  CHECK(why(updating) == "the forward task conv updates state");
  Graph parts = chain_graph(2);
  parts.tensors[1].part_of = PartOf{TensorId{2}, 0};
  CHECK(why(parts) == "the tensor x1 is a part of another");
}
