#include <catch2/catch.hpp>
#include <cmath>

#include "files/input_error.hpp"
#include "files/json_reader.hpp"
#include "models/graph.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

// What check() says of the chain of two steps after a change, or nothing if it accepts it. Its
// tensors are x0 x1 x2 g2 g1 g0, its tasks F0 F1 B2 B1 B0.
template <typename Change>
std::string fault(Change change) {
  Graph graph = chain_graph(2, 8, 8);
  change(graph);
  try {
    check(graph);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TensorId add(Graph& graph, Tensor tensor) {
  graph.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

TensorId add_part(Graph& graph, const std::string& name, TensorId whole, std::int64_t offset,
                  std::int64_t bytes) {
  return add(graph, {.name = name,
                     .bytes = bytes,
                     .kind = graph.tensors[whole].kind,
                     .part_of = PartOf{whole, offset}});
}

TensorId add_state(Graph& graph, const std::string& name, std::int64_t bytes = 8) {
  return add(graph, {.name = name, .bytes = bytes, .kind = Kind::state, .part_of = {}});
}

constexpr TensorId x0{0};
constexpr TensorId x1{1};
constexpr TensorId x2{2};
constexpr TensorId g2{3};

}  // namespace

TEST_CASE("the chain is sound", "[check]") {
  REQUIRE(fault([](Graph&) {}).empty());
}

TEST_CASE("names are not empty and stay on one line", "[check]") {
  CHECK(fault([](Graph& g) { g.name = ""; }) ==
        "/name: an empty name; expected at least one character");
  CHECK(fault([](Graph& g) { g.tensors[1].name = "a\nb"; }) ==
        "/tensors/1/name: the name \"a\\u000ab\" has control characters; expected a name without");
  CHECK(fault([](Graph& g) { g.tasks[2].name = ""; }) ==
        "/tasks/2/name: an empty name; expected at least one character");
  CHECK(fault([](Graph& g) { g.tasks[0].seconds[""] = 1.0; }) ==
        "/tasks/0/seconds/: an empty name; expected at least one character");
  CHECK(fault([](Graph& g) { g.tasks[0].seconds["n0/cpu"] = 1.0; }).empty());
}

TEST_CASE("names are unique among tensors and among tasks", "[check]") {
  CHECK(fault([](Graph& g) { g.tensors[3].name = "x1"; }) ==
        "/tensors/3/name: a second tensor named \"x1\"; expected each name once");
  CHECK(fault([](Graph& g) { g.tasks[3].name = "F0"; }) ==
        "/tasks/3/name: a second task named \"F0\"; expected each name once");
  CHECK(fault([](Graph& g) { g.tasks[3].name = "x1"; }).empty());
}

TEST_CASE("a graph has tasks", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks.clear(); }) == "/tasks: no tasks; expected at least one");
}

TEST_CASE("sizes are not negative and their sum does not overflow", "[check]") {
  CHECK(fault([](Graph& g) { g.tensors[2].bytes = -1; }) ==
        "/tensors/2/bytes: -1; expected a whole number of at least 0");
  CHECK(fault([](Graph& g) { g.tasks[2].workspace_bytes = -1; }) ==
        "/tasks/2/workspace_bytes: -1; expected a whole number of at least 0");
  const std::string sum =
      ", too large a sum of all sizes; expected a sum of at most "
      "4611686018427387904";
  CHECK(fault([](Graph& g) { g.tensors[2].bytes = max_int64; }) ==
        "/tensors/2/bytes: 9223372036854775807" + sum);
  CHECK(fault([](Graph& g) { g.tasks[2].workspace_bytes = max_int64; }) ==
        "/tasks/2/workspace_bytes: 9223372036854775807" + sum);
  CHECK(fault([](Graph& g) { g.tensors[2].bytes = (std::int64_t{1} << 62) - 40; }).empty());
  CHECK(fault([](Graph& g) { g.tensors[2].bytes = (std::int64_t{1} << 62) - 39; }) ==
        "/tensors/5/bytes: 8" + sum);
}

TEST_CASE("parts lie inside their wholes", "[check]") {
  const auto part = [](std::int64_t offset, std::int64_t bytes) {
    return fault([&](Graph& g) { add_part(g, "p", x1, offset, bytes); });
  };
  CHECK(part(0, 8).empty());
  CHECK(part(8, 0).empty());
  const std::string rest = " of a whole of 8; expected a part inside its whole";
  CHECK(part(1, 8) == "/tensors/6/part_of: 8 bytes from byte 1 on" + rest);
  CHECK(part(-1, 1) == "/tensors/6/part_of: 1 bytes from byte -1 on" + rest);
  CHECK(part(9, 0) == "/tensors/6/part_of: 0 bytes from byte 9 on" + rest);
  CHECK(part(max_int64, 8) ==
        "/tensors/6/part_of: 8 bytes from byte 9223372036854775807 on" + rest);
}

TEST_CASE("a whole has bytes, exists and is no part of its parts", "[check]") {
  CHECK(fault([](Graph& g) {
          g.tensors[4].bytes = 0;
          add_part(g, "p", TensorId{4}, 0, 0);
        }) ==
        "/tensors/6/part_of: a part of \"g1\", which has 0 bytes; expected a whole of at "
        "least 1");
  CHECK(fault([](Graph& g) {
          g.tensors[1].part_of = PartOf{TensorId{99}, 0};
        }) == "/tensors/1/part_of/tensor: no such tensor; expected one of this graph");
  CHECK(fault([](Graph& g) {
          g.tensors[1].part_of = PartOf{no_tensor, 0};
        }) == "/tensors/1/part_of/tensor: no such tensor; expected one of this graph");
  CHECK(fault([](Graph& g) {
          g.tensors[1].part_of = PartOf{x2, 0};
          g.tensors[2].part_of = PartOf{x1, 0};
        }) ==
        "/tensors/1/part_of: its wholes are parts of each other in a circle; expected a "
        "whole that is no part in the end");
}

TEST_CASE("parts are of the kind of their whole", "[check]") {
  CHECK(fault([](Graph& g) {
          const TensorId w = add_state(g, "w");
          g.tensors[add_part(g, "p", w, 0, 4)].kind = Kind::activation;
        }) ==
        "/tensors/7/kind: activation, but \"w\" is state; expected a part to be of its "
        "whole's kind");
}

TEST_CASE("lists name tensors that exist, each once", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[0].reads = {TensorId{77}}; }) ==
        "/tasks/0/reads/0: no such tensor; expected one of this graph");
  CHECK(fault([](Graph& g) { g.results = {no_tensor}; }) ==
        "/results/0: no such tensor; expected one of this graph");
  CHECK(fault([](Graph& g) {
          g.tasks[0].reads = {x0, x0};
        }) == "/tasks/0/reads/1: \"x0\" is listed twice; expected each tensor once");
  CHECK(fault([](Graph& g) {
          g.tasks[0].writes = {x1, x1};
        }) == "/tasks/0/writes/1: \"x1\" is listed twice; expected each tensor once");
  CHECK(fault([](Graph& g) {
          const TensorId w = add_state(g, "w");
          g.tasks[0].updates = {w, w};
        }) == "/tasks/0/updates/1: \"w\" is listed twice; expected each tensor once");
  CHECK(fault([](Graph& g) {
          g.tasks[0].optional = {x1, x1};
        }) == "/tasks/0/optional/1: \"x1\" is listed twice; expected each tensor once");
  CHECK(fault([](Graph& g) {
          g.results = {x1, g2, x1};
        }) == "/results/2: \"x1\" is listed twice; expected each tensor once");
}

TEST_CASE("only activations are written and only state is updated", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[1].writes.push_back(x0); }) ==
        "/tasks/1/writes/1: \"x0\" is an input; expected an activation");
  CHECK(fault([](Graph& g) { g.tasks[1].writes.push_back(add_state(g, "w")); }) ==
        "/tasks/1/writes/1: \"w\" is state; expected it in updates");
  CHECK(fault([](Graph& g) { g.tasks[1].updates = {x0}; }) ==
        "/tasks/1/updates/0: \"x0\" is not state; expected state");
  CHECK(fault([](Graph& g) { g.tasks[1].updates = {x2}; }) ==
        "/tasks/1/updates/0: \"x2\" is not state; expected state");
}

TEST_CASE("optional outputs are outputs", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[1].optional = {x1}; }) ==
        "/tasks/1/optional/0: \"x1\" is not written; expected one of the writes");
  CHECK(fault([](Graph& g) { g.tasks[1].optional = {x2}; }).empty());
}

TEST_CASE("what may be overwritten is read, not state, and given up once", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[0].may_overwrite = {{x1, x0}}; }).empty());
  CHECK(fault([](Graph& g) {
          g.tasks[0].may_overwrite = {{x2, x0}};
        }) == "/tasks/0/may_overwrite/x2: \"x2\" is not written; expected one of the writes");
  CHECK(fault([](Graph& g) {
          g.tasks[0].may_overwrite = {{x1, x2}};
        }) == "/tasks/0/may_overwrite/x1: \"x2\" is not read; expected one of the reads");
  CHECK(fault([](Graph& g) {
          g.tasks[0].may_overwrite = {{TensorId{-5}, x2}};
        }) == "/tasks/0/may_overwrite/-5: -5 is not written; expected one of the writes");
  CHECK(fault([](Graph& g) {
          g.tasks[0].reads.push_back(add_state(g, "w"));
          g.tasks[0].may_overwrite = {{x1, TensorId{6}}};
        }) == "/tasks/0/may_overwrite/x1: \"w\" is state; expected what is not");
  CHECK(fault([](Graph& g) {
          g.tasks[0].writes.push_back(add(g, {"y/2", 8, Kind::activation, {}}));
          g.tasks[0].may_overwrite = {{x1, x0}, {TensorId{6}, x0}};
        }) == "/tasks/0/may_overwrite/y~12: \"x0\" is overwritten twice; expected at most once");
  CHECK(fault([](Graph& g) {
          g.tasks[0].may_overwrite = {{x1, x0}, {x1, x0}};
        }) == "/tasks/0/may_overwrite/x1: \"x1\" is listed twice; expected each tensor once");
}

TEST_CASE("costs are numbers that make sense", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[1].seconds["cpu"] = -1.0; }) ==
        "/tasks/1/seconds/cpu: -1; expected a number of at least 0");
  CHECK(fault([](Graph& g) { g.tasks[1].seconds["n0/cpu"] = std::nan(""); }) ==
        "/tasks/1/seconds/n0~1cpu: nan; expected a number of at least 0");
  CHECK(fault([](Graph& g) { g.tasks[1].flops = INFINITY; }) ==
        "/tasks/1/flops: inf; expected a number of at least 0");
  CHECK(fault([](Graph& g) { g.tasks[1].bytes_moved = -0.5; }) ==
        "/tasks/1/bytes_moved: -0.5; expected a number of at least 0");
  CHECK(fault([](Graph& g) { g.tasks[1].features["a/b"] = -0.5; }) ==
        "/tasks/1/features/a~1b: -0.5; expected a number of at least 0");
  CHECK(fault([](Graph& g) { g.tasks[1].features["flops"] = 1; }) ==
        "/tasks/1/features/flops: a feature that every task has; expected another name");
  CHECK(fault([](Graph& g) {
          g.tasks[1].parallel = Parallel{0, 0};
        }) == "/tasks/1/parallel/max_workers: 0; expected a whole number of at least 1");
  CHECK(fault([](Graph& g) {
          g.tasks[1].parallel = Parallel{2, 1.5};
        }) == "/tasks/1/parallel/serial_fraction: 1.5; expected a number from 0 to 1");
  CHECK(fault([](Graph& g) {
          g.tasks[1].parallel = Parallel{2, std::nan("")};
        }) == "/tasks/1/parallel/serial_fraction: nan; expected a number from 0 to 1");
  CHECK(fault([](Graph& g) { g.tasks[1].seconds.clear(); }).empty());
}

TEST_CASE("every byte has one writer", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[1].writes.push_back(x1); }) ==
        "/tasks/1/writes/1: \"F0\" writes bytes of \"x1\" too; expected one writer for every byte");
  CHECK(fault([](Graph& g) { g.tasks[1].writes.push_back(add_part(g, "p", x1, 3, 2)); }) ==
        "/tasks/1/writes/1: \"F0\" writes bytes of \"p\" too; expected one writer for every byte");
  CHECK(fault([](Graph& g) { g.tasks[0].writes.push_back(add_part(g, "p", x1, 3, 2)); }) ==
        "/tasks/0/writes/1: \"F0\" writes bytes of \"p\" too; expected one writer for every byte");
  CHECK(fault([](Graph& g) { g.tasks[1].writes.push_back(add_part(g, "p", x1, 3, 0)); }).empty());
}

TEST_CASE("a task updates every byte of state at most once, tasks in turn any number of times",
          "[check]") {
  CHECK(fault([](Graph& g) {
          const TensorId w = add_state(g, "w");
          g.tasks[0].updates = {w, add_part(g, "p", w, 0, 4)};
        }) ==
        "/tasks/0/updates/1: \"p\" shares bytes with another update; expected each byte once");
  CHECK(fault([](Graph& g) {
          const TensorId w = add_state(g, "w");
          g.tasks[0].updates = {add_part(g, "p", w, 0, 4), add_part(g, "q", w, 4, 4)};
          g.tasks[1].reads.push_back(w);
          g.tasks[1].updates = {w};
          g.tasks[2].updates = {w};
        }).empty());
}

TEST_CASE("everything read or asked for is computed", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[0].writes.clear(); }) ==
        "/tasks/1/reads/0: nobody computes \"x1\"; expected a task that writes it, or an input or "
        "state");
  CHECK(fault([](Graph& g) {
          g.results = {add(g, {"y", 0, Kind::activation, {}})};
        }) ==
        "/results/0: nobody computes \"y\"; expected a task that writes it, or an input or state");
  CHECK(fault([](Graph& g) { g.results = {x0, add_state(g, "w")}; }).empty());
}

TEST_CASE("parts tile the whole that is read or asked for", "[check]") {
  const auto tiled = [](std::int64_t offset, std::int64_t bytes) {
    return fault([&](Graph& g) {
      g.tasks[0].writes = {add_part(g, "p", x1, 0, 3), add_part(g, "q", x1, offset, bytes)};
    });
  };
  CHECK(tiled(3, 5).empty());
  CHECK(tiled(4, 4) ==
        "/tasks/1/reads/0: nobody computes byte 3 of \"x1\"; expected parts that "
        "tile it");
  CHECK(tiled(3, 4) ==
        "/tasks/1/reads/0: nobody computes byte 7 of \"x1\"; expected parts that "
        "tile it");
  CHECK(fault([](Graph& g) {
          const TensorId y = add(g, {"y", 8, Kind::activation, {}});
          g.tasks[0].writes.push_back(add_part(g, "p", y, 4, 4));
          g.results = {add_part(g, "v", y, 2, 6)};
        }) == "/results/0: nobody computes byte 0 of \"v\"; expected parts that tile it");
}

TEST_CASE("a whole that nobody asks for need not be tiled", "[check]") {
  CHECK(fault([](Graph& g) {
          const TensorId y = add(g, {"y", 8, Kind::activation, {}});
          g.tasks[0].writes.push_back(add_part(g, "p", y, 4, 4));
        }).empty());
}

TEST_CASE("a task does not read what it writes", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[0].reads.push_back(x1); }) ==
        "/tasks/0/reads/1: \"x1\" is written by the same task; expected what others write");
  CHECK(fault([](Graph& g) { g.tasks[0].reads.push_back(add_part(g, "p", x1, 3, 2)); }) ==
        "/tasks/0/reads/1: \"p\" is written by the same task; expected what others write");
}

TEST_CASE("tasks stand in an order that respects dependencies", "[check]") {
  CHECK(fault([](Graph& g) { std::swap(g.tasks[0], g.tasks[1]); }) ==
        "/tasks/0/reads/0: \"x1\" is written later, by \"F0\"; expected tasks in an order that "
        "respects dependencies");
}

TEST_CASE("a cycle is told with its tasks", "[check]") {
  CHECK(fault([](Graph& g) { g.tasks[0].reads.push_back(g2); }) ==
        "/tasks/0: a cycle, \"F0\" -> \"F1\" -> \"B2\" -> \"F0\"; expected tasks that do not wait "
        "for themselves");
}

TEST_CASE("of a long cycle only the beginning is told", "[check]") {
  Graph graph = chain_graph(20);
  graph.tasks[0].reads.push_back(TensorId{20});
  REQUIRE_THROWS_WITH(check(graph),
                      "/tasks/0: a cycle, \"F0\" -> \"F1\" -> \"F2\" -> \"F3\" -> \"F4\" -> \"F5\" "
                      "-> \"F6\" -> \"F7\" -> ... -> \"F0\"; expected tasks that do not wait for "
                      "themselves");
}

TEST_CASE("wholes of very many parts that are read very often are refused, not followed",
          "[check]") {
  Graph graph = chain_graph(15'000, 15'000);
  for (int i = 0; i < 15'000; ++i) add_part(graph, "p" + std::to_string(i), x0, i, 1);
  for (Task& task : graph.tasks) {
    if (task.name != "F0" && task.name != "B0") task.reads.push_back(x0);
  }
  REQUIRE_THROWS_WITH(check(graph),
                      Catch::EndsWith("tasks use wholes of too many parts too often; expected at "
                                      "most 100000000 parts in all lists together"));
}
