#include "models/graph_json.hpp"

#include <catch2/catch.hpp>

#include "files/text_file.hpp"
#include "tests/support/bundled_files.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/random_graph.hpp"

using namespace stint;

namespace {

const std::string schema = STINT_SOURCE_DIR "/models/stint-tasks.schema.json";

const std::string small = R"({"format": "stint-tasks", "version": 1, "name": "small",
 "tensors": [{"name": "x", "bytes": 8, "kind": "input"}, {"name": "y", "bytes": 8}],
 "tasks": [{"name": "F", "reads": ["x"], "writes": ["y"], "seconds": {"cpu": 1}}],
 "results": ["y"]})";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = small;
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// What the reader says once `from` is replaced, or nothing if it still reads the file.
std::string fault(const std::string& from, const std::string& to) {
  try {
    parse_graph(replaced(from, to), "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The same, for a fault that the schema must find as well.
std::string shape_fault(const std::string& from, const std::string& to) {
  CAPTURE(from, to);
  CHECK_FALSE(schema_fault(schema, replaced(from, to)).empty());
  return fault(from, to);
}

}  // namespace

TEST_CASE("a file is read field by field", "[graph_json]") {
  const Graph graph = parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "all",
    "description": "Everything once.",
    "tensors": [{"name": "p", "bytes": 2, "part_of": {"tensor": "w", "offset_bytes": 1}},
                {"name": "w", "bytes": 4, "kind": "state"}, {"name": "x", "bytes": 8, "kind": "input"},
                {"name": "y", "bytes": 8}, {"name": "z", "bytes": 0, "kind": "activation"}],
    "tasks": [{"name": "T", "phase": "update", "reads": ["x", "w"], "writes": ["y", "z"],
               "updates": ["p"], "optional": ["z"], "may_overwrite": {"z": "x"},
               "workspace_bytes": 16, "op": "conv2d.forward", "flops": 1e6, "bytes_moved": 64,
               "shape": "64x3x3", "features": {"tiles": 7, "rows": {"value": 3, "basis": "assumed"}},
               "seconds": {"cpu": {"value": 0.5, "basis": "measured", "source": "here"}, "cuda": 2},
               "parallel": {"max_workers": 4, "serial_fraction": 0.25}}],
    "results": ["z"]})",
                                  "f.json");
  CHECK(graph.name == "all");
  CHECK(graph.description == "Everything once.");
  REQUIRE(graph.tensors.size() == 5);
  CHECK(graph.tensors[0] == Tensor{"p", 2, Kind::state, PartOf{TensorId{1}, 1}});
  CHECK(graph.tensors[1] == Tensor{"w", 4, Kind::state, {}});
  CHECK(graph.tensors[2] == Tensor{"x", 8, Kind::input, {}});
  CHECK(graph.tensors[3] == Tensor{"y", 8, Kind::activation, {}});
  REQUIRE(graph.tasks.size() == 1);
  const Task& task = graph.tasks[0];
  CHECK(task.name == "T");
  CHECK(task.phase == Phase::update);
  CHECK(task.reads == std::vector{TensorId{2}, TensorId{1}});
  CHECK(task.writes == std::vector{TensorId{3}, TensorId{4}});
  CHECK(task.updates == std::vector{TensorId{0}});
  CHECK(task.optional == std::vector{TensorId{4}});
  CHECK(task.may_overwrite == std::vector{std::pair{TensorId{4}, TensorId{2}}});
  CHECK(task.workspace_bytes == 16);
  CHECK(task.seconds.at("cpu") == Quantity(0.5, Basis::measured, "here"));
  CHECK(task.seconds.at("cuda") == Quantity(2));
  CHECK(task.op == "conv2d.forward");
  CHECK(task.flops == 1e6);
  CHECK(task.bytes_moved == 64);
  CHECK(task.shape == "64x3x3");
  CHECK(task.features == std::map<std::string, double>{{"tiles", 7}, {"rows", 3}});
  CHECK(task.parallel == Parallel{4, 0.25});
  CHECK(graph.results == std::vector{TensorId{4}});
  CHECK(parse_graph(graph_text(graph), "again") == graph);
}

TEST_CASE("what a file leaves out has its default", "[graph_json]") {
  const Graph graph = parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "n",
    "tensors": [], "tasks": [{"name": "T"}]})",
                                  "f.json");
  Task task;
  task.name = "T";
  REQUIRE(graph.tasks == std::vector{task});
  REQUIRE(graph.results.empty());
}

TEST_CASE("the writer's text is known to the byte", "[graph_json]") {
  REQUIRE(graph_text(chain_graph(1)) ==
          R"({"format": "stint-tasks",
 "version": 1,
 "name": "chain",
 "tensors": [
  {"name":"x0","bytes":1,"kind":"input"},
  {"name":"x1","bytes":1},
  {"name":"g1","bytes":0},
  {"name":"g0","bytes":0}],
 "tasks": [
  {"name":"F0","phase":"forward","reads":["x0"],"writes":["x1"],"seconds":{"cpu":1.0}},
  {"name":"B1","phase":"backward","reads":["x1"],"writes":["g1"],"seconds":{"cpu":1.0}},
  {"name":"B0","phase":"backward","reads":["x0","g1"],"writes":["g0"],"seconds":{"cpu":1.0}}],
 "results": ["g0"]})");
}

TEST_CASE("random graphs come back from their text, which conforms to the schema", "[graph_json]") {
  const std::uint64_t seed = GENERATE(range(0, 60));
  CAPTURE(seed);
  const Graph graph = random_graph(seed, {.tasks = 20});
  const std::string text = graph_text(graph);
  REQUIRE(parse_graph(text, "random") == graph);
  REQUIRE(graph_text(parse_graph(text, "random")) == text);
  REQUIRE(schema_fault(schema, text) == "");
}

TEST_CASE("bundled graphs are read, come back from their text and conform to the schema",
          "[graph_json]") {
  const auto files = bundled_files("models", "stint-tasks");
  REQUIRE(files.size() >= 3);
  for (const std::string& path : files) {
    CAPTURE(path);
    const Graph graph = read_graph(path);
    CHECK(parse_graph(graph_text(graph), "again") == graph);
    CHECK(schema_fault(schema, read_text(path)) == "");
    CHECK_FALSE(graph.description.empty());
  }
}

TEST_CASE("names of tensors that do not exist are refused wherever they stand", "[graph_json]") {
  const std::string rest = ": no tensor is named \"zz\"; expected the name of a tensor";
  CHECK(fault(R"("reads": ["x"])", R"("reads": ["zz"])") == "f.json: /tasks/0/reads/0" + rest);
  CHECK(fault(R"("writes": ["y"])", R"("writes": ["y", "zz"])") ==
        "f.json: /tasks/0/writes/1" + rest);
  CHECK(fault(R"("reads")", R"("updates": ["zz"], "reads")") ==
        "f.json: /tasks/0/updates/0" + rest);
  CHECK(fault(R"("reads")", R"("optional": ["zz"], "reads")") ==
        "f.json: /tasks/0/optional/0" + rest);
  CHECK(fault(R"("reads")", R"("may_overwrite": {"y": "zz"}, "reads")") ==
        "f.json: /tasks/0/may_overwrite/y" + rest);
  CHECK(fault(R"("reads")", R"("may_overwrite": {"zz": "x"}, "reads")") ==
        "f.json: /tasks/0/may_overwrite/zz" + rest);
  CHECK(fault(R"("results": ["y"])", R"("results": ["y", "zz"])") == "f.json: /results/1" + rest);
  CHECK(fault(R"({"name": "y", "bytes": 8})",
              R"({"name": "y", "bytes": 8, "part_of": {"tensor": "zz", "offset_bytes": 0}})") ==
        "f.json: /tensors/1/part_of/tensor" + rest);
}

TEST_CASE("unknown keys are refused, and the known ones told", "[graph_json]") {
  CHECK(shape_fault(R"("results")", R"("result": [], "results")") ==
        "f.json: /: unknown key \"result\"; expected only format, version, name, description, "
        "tensors, tasks, results");
  CHECK(shape_fault(R"("bytes": 8, "kind")", R"("bytes": 8, "shape": [], "kind")") ==
        "f.json: /tensors/0: unknown key \"shape\"; expected only name, bytes, kind, part_of");
  CHECK(shape_fault(R"("reads")", R"("read": [], "reads")") ==
        "f.json: /tasks/0: unknown key \"read\"; expected only name, phase, reads, writes, "
        "updates, optional, may_overwrite, workspace_bytes, seconds, op, flops, bytes_moved, "
        "shape, features, parallel");
  CHECK(shape_fault(R"("kind": "input")", R"("part_of": {"tensor": "y", "offset": 0})") ==
        "f.json: /tensors/0/part_of: unknown key \"offset\"; expected only tensor, offset_bytes");
  CHECK(shape_fault(R"("reads")", R"("parallel": {"workers": 1}, "reads")") ==
        "f.json: /tasks/0/parallel: unknown key \"workers\"; expected only max_workers, "
        "serial_fraction");
}

TEST_CASE("missing keys are refused", "[graph_json]") {
  CHECK(shape_fault(R"("format": "stint-tasks", )", "") ==
        "f.json: /: no key \"format\"; expected \"format\"");
  CHECK(shape_fault(R"("version": 1, )", "") ==
        "f.json: /: no key \"version\"; expected "
        "\"version\"");
  CHECK(shape_fault(R"("name": "small",)", "") == "f.json: /: no key \"name\"; expected \"name\"");
  CHECK(shape_fault(R"("name": "x", )", "") ==
        "f.json: /tensors/0: no key \"name\"; expected \"name\"");
  CHECK(shape_fault(R"("bytes": 8, )", "") ==
        "f.json: /tensors/0: no key \"bytes\"; expected \"bytes\"");
  CHECK(shape_fault(R"("name": "F", )", "") ==
        "f.json: /tasks/0: no key \"name\"; expected \"name\"");
  CHECK(shape_fault(R"("reads")", R"("parallel": {}, "reads")") ==
        "f.json: /tasks/0/parallel: no key \"max_workers\"; expected \"max_workers\"");
  CHECK(shape_fault(R"("kind": "input")", R"("part_of": {})") ==
        "f.json: /tensors/0/part_of: no key \"tensor\"; expected \"tensor\"");
}

TEST_CASE("values of a wrong type or out of range are refused", "[graph_json]") {
  CHECK(shape_fault("\"stint-tasks\"", "\"stint-model\"") ==
        "f.json: /format: the format \"stint-model\"; expected \"stint-tasks\"");
  CHECK(shape_fault(R"("version": 1)", R"("version": 2)") ==
        "f.json: /version: 2; expected a whole number from 1 to 1");
  CHECK(shape_fault(R"("small")", "7") == "f.json: /name: a number; expected a text");
  CHECK(shape_fault(R"("small")", R"("")") ==
        "f.json: /name: an empty name; expected at least one character");
  CHECK(shape_fault(R"("bytes": 8,)", R"("bytes": -1,)") ==
        "f.json: /tensors/0/bytes: -1; expected a whole number of at least 0");
  CHECK(shape_fault(R"("bytes": 8,)", R"("bytes": 1.5,)") ==
        "f.json: /tensors/0/bytes: 1.5; expected a whole number of at least 0");
  CHECK(shape_fault(R"("bytes": 8,)", R"("bytes": 99999999999999999999,)") ==
        "f.json: /tensors/0/bytes: 1e+20; expected a whole number of at least 0");
  CHECK(fault(R"("bytes": 8,)", R"("bytes": 1.0e3,)") ==
        "f.json: /tensors/0/bytes: 1000.0; expected a whole number of at least 0");
  CHECK(shape_fault(R"("bytes": 8,)", R"("bytes": {"value": 8, "basis": "measured"},)") ==
        "f.json: /tensors/0/bytes: an object; expected a whole number of at least 0");
  CHECK(shape_fault(R"("input")", R"("inputs")") ==
        "f.json: /tensors/0/kind: unknown word \"inputs\"; expected one of activation, input, "
        "state");
  CHECK(shape_fault(R"("kind": "input")", R"("kind": null)") ==
        "f.json: /tensors/0/kind: null; expected a text");
  CHECK(shape_fault(R"("reads")", R"("phase": "fowrard", "reads")") ==
        "f.json: /tasks/0/phase: unknown word \"fowrard\"; expected one of forward, loss, "
        "backward, update, other");
  CHECK(shape_fault(R"(["x"])", R"("x")") == "f.json: /tasks/0/reads: a text; expected a list");
  CHECK(shape_fault(R"(["x"])", "[1]") == "f.json: /tasks/0/reads/0: a number; expected a text");
  CHECK(shape_fault(R"({"cpu": 1})", "1") ==
        "f.json: /tasks/0/seconds: a number; expected an object");
  CHECK(shape_fault(R"({"cpu": 1})", R"({"cpu": -1})") ==
        "f.json: /tasks/0/seconds/cpu: -1; expected a number of at least 0");
  CHECK(shape_fault(R"({"cpu": 1})", R"({"cpu": {"value": 1, "basis": "guess"}})") ==
        "f.json: /tasks/0/seconds/cpu/basis: unknown word \"guess\"; expected one of measured, "
        "calibrated, datasheet, assumed");
  CHECK(shape_fault(R"({"cpu": 1})", "null") ==
        "f.json: /tasks/0/seconds: null; expected an object");
  CHECK(shape_fault(R"("reads")", R"("flops": -1, "reads")") ==
        "f.json: /tasks/0/flops: -1; expected a number of at least 0");
  CHECK(shape_fault(R"("reads")", R"("workspace_bytes": "1", "reads")") ==
        "f.json: /tasks/0/workspace_bytes: a text; expected a whole number of at least 0");
  CHECK(shape_fault(R"("reads")", R"("parallel": {"max_workers": 0}, "reads")") ==
        "f.json: /tasks/0/parallel/max_workers: 0; expected a whole number from 1 to 2147483647");
  CHECK(shape_fault(R"("reads")",
                    R"("parallel": {"max_workers": 2, "serial_fraction": 1.5}, "reads")") ==
        "f.json: /tasks/0/parallel/serial_fraction: 1.5; expected a number from 0 to 1");
  CHECK(shape_fault(R"("tasks": [)", R"("tasks": [], "description": [)") ==
        "f.json: /description: a list; expected a text");
}

TEST_CASE("duplicates within a list are refused by the reader and the schema", "[graph_json]") {
  CHECK(shape_fault(R"(["x"])", R"(["x", "x"])") ==
        "f.json: /tasks/0/reads/1: \"x\" is listed twice; expected each tensor once");
  CHECK(shape_fault(R"("results": ["y"])", R"("results": ["y", "y"])") ==
        "f.json: /results/1: \"y\" is listed twice; expected each tensor once");
}

TEST_CASE("a graph without tasks is refused by the reader and the schema", "[graph_json]") {
  const std::string empty = R"({"format": "stint-tasks", "version": 1, "name": "n", "tensors": [],
                                "tasks": [], "results": []})";
  CHECK_THROWS_WITH(parse_graph(empty, "f.json"),
                    "f.json: /tasks: no tasks; expected at least one");
  CHECK_FALSE(schema_fault(schema, empty).empty());
}

TEST_CASE("a part states the kind of its whole or none", "[graph_json]") {
  const auto with_kind = [](const std::string& kind) {
    return fault(R"({"name": "y", "bytes": 8})",
                 R"({"name": "y", "bytes": 8}, {"name": "v", "bytes": 1, )" + kind +
                     R"("part_of": {"tensor": "x", "offset_bytes": 1}})");
  };
  CHECK(with_kind("").empty());
  CHECK(with_kind(R"("kind": "input", )").empty());
  CHECK(with_kind(R"("kind": "state", )") ==
        "f.json: /tensors/2/kind: state, but \"x\" is input; expected a part to be of its whole's "
        "kind");
}

TEST_CASE("parts in a circle are refused, not followed", "[graph_json]") {
  CHECK(fault(R"({"name": "y", "bytes": 8})",
              R"({"name": "y", "bytes": 8, "part_of": {"tensor": "y", "offset_bytes": 0}})") ==
        "f.json: /tensors/1/part_of: its wholes are parts of each other in a circle; expected a "
        "whole that is no part in the end");
}

TEST_CASE("faults of a graph inside another document name their place in that document",
          "[graph_json]") {
  const auto embedded = [](const std::string& from, const std::string& to) {
    const auto document = parse_json(R"({"graph": )" + replaced(from, to) + "}", "s.json");
    return graph_from_json(JsonReader(document, "s.json").child("graph"));
  };
  CHECK_THROWS_WITH(embedded(R"(["x"])", R"(["zz"])"),
                    "s.json: /graph/tasks/0/reads/0: no tensor is named \"zz\"; expected the name "
                    "of a tensor");
  CHECK_THROWS_WITH(embedded(R"(["x"])", R"(["x", "y"])"),
                    "s.json: /graph/tasks/0/reads/1: \"y\" is written by the same task; expected "
                    "what others write");
}

TEST_CASE("a file that cannot be read or parsed is bad input", "[graph_json]") {
  CHECK_THROWS_AS(read_graph("/nonexistent/file.json"), InputError);
  CHECK_THROWS_WITH(parse_graph(small.substr(0, 40), "f.json"),
                    "f.json: / (line 1, column 40): the file ends too early; expected the rest of "
                    "a JSON document");
}

TEST_CASE("kinds and phases have the names that files use", "[graph_json]") {
  CHECK(to_string(Kind::state) == "state");
  CHECK(to_string(Kind::activation) == "activation");
  CHECK(to_string(Phase::other) == "other");
  CHECK(to_string(Phase::loss) == "loss");
}

TEST_CASE("tensors are found by name", "[graph_json]") {
  const auto ids = tensors_by_name(chain_graph(1));
  REQUIRE(ids.size() == 4);
  REQUIRE(ids.at("g1") == 2);
}
