#include "tests/repository/include_rule.hpp"

#include <catch2/catch.hpp>

#include "tests/repository/tracked_files.hpp"

using namespace stint;

namespace {

SourceFiles our_sources() {
  SourceFiles sources;
  for (const std::string& path : tracked_files()) {
    if (path.ends_with(".cpp") || path.ends_with(".hpp") || path.ends_with(".cu"))
      sources[path] = tracked_text(path);
  }
  return sources;
}

// The rule broken by one line in one file, or "".
std::string fault_of(const std::string& file, const std::string& line) {
  const auto violations = include_violations({{file, "// A file.\n#pragma once\n" + line + "\n"}});
  return violations.empty() ? "" : violations.front();
}

}  // namespace

TEST_CASE("every include keeps the rule between folders", "[repository]") {
  const SourceFiles sources = our_sources();
  REQUIRE(sources.size() > 20);
  for (const std::string& violation : include_violations(sources)) FAIL_CHECK(violation);
}

TEST_CASE("an include that goes up or sideways is found", "[repository]") {
  const auto [file, included] = GENERATE(table<std::string, std::string>({
      {"models/graph.hpp", "platforms/platform.hpp"},
      {"models/graph.cpp", "schedules/schedule.hpp"},
      {"platforms/names.cpp", "models/graph.hpp"},
      {"schedules/validate.cpp", "planner/plan.hpp"},
      {"schedules/main.cpp", "executor/run.hpp"},
      {"planner/plan.cpp", "executor/run.hpp"},
      {"executor/run.cpp", "planner/plan.hpp"},
      {"models/files/sha256.cpp", "models/graph.hpp"},
      {"planner/plan.cpp", "tests/support/random_graph.hpp"},
  }));
  CAPTURE(file, included);
  REQUIRE_THAT(fault_of(file, "#include \"" + included + "\""), Catch::Contains("may not include"));
  REQUIRE_FALSE(fault_of(file, "  #  include \"" + included + "\"").empty());
}

TEST_CASE("includes that go down are allowed", "[repository]") {
  REQUIRE(fault_of("models/graph.hpp", "#include \"files/quantity.hpp\"").empty());
  REQUIRE(fault_of("models/segments.hpp", "#include \"models/graph.hpp\"").empty());
  REQUIRE(fault_of("schedules/cost.hpp", "#include \"platforms/platform.hpp\"").empty());
  REQUIRE(fault_of("executor/run.hpp", "#include \"schedules/schedule.hpp\"").empty());
  REQUIRE(fault_of("tests/planner/x.cpp", "#include \"executor/run.hpp\"").empty());
  REQUIRE(fault_of("planner/plan.cpp", "// says #include \"executor/run.hpp\"").empty());
}

TEST_CASE("a library outside its place is found", "[repository]") {
  const auto [file, included] = GENERATE(table<std::string, std::string>({
      {"models/graph.hpp", "nlohmann/json.hpp"},
      {"planner/plan.cpp", "files/json_reader.hpp"},
      {"planner/plan.cpp", "CLI/CLI.hpp"},
      {"models/graph_algorithms.hpp", "boost/graph/adjacency_list.hpp"},
      {"planner/plan.cpp", "hwloc.h"},
      {"schedules/validate.cpp", "ortools/sat/cp_model.h"},
      {"schedules/validate.cpp", "protozero/pbf_writer.hpp"},
      {"schedules/simulate.cpp", "simgrid/s4u.hpp"},
      {"executor/run.cpp", "cuda_runtime.h"},
      {"executor/cpu/kernel.hpp", "dnnl.hpp"},
      {"models/graph.cpp", "valijson/validator.hpp"},
  }));
  CAPTURE(file, included);
  REQUIRE_THAT(fault_of(file, "#include <" + included + ">"), Catch::Contains("may include it"));
}

TEST_CASE("a library in its place is allowed", "[repository]") {
  REQUIRE(fault_of("models/graph_json.cpp", "#include <nlohmann/json.hpp>").empty());
  REQUIRE(fault_of("schedules/main.cpp", "#include <CLI/CLI.hpp>").empty());
  REQUIRE(fault_of("models/segments.cpp", "#include <boost/graph/graph_traits.hpp>").empty());
  REQUIRE(fault_of("platforms/here.cpp", "#include <hwloc.h>").empty());
  REQUIRE(fault_of("schedules/simgrid_replay.cpp", "#include <simgrid/s4u.hpp>").empty());
  REQUIRE(fault_of("planner/cp_sat.cpp", "#include <protozero/pbf_writer.hpp>").empty());
  REQUIRE(fault_of("models/onnx/proto.cpp", "#include <protozero/pbf_reader.hpp>").empty());
  REQUIRE(fault_of("executor/cuda/arena.cu", "#include <cuda_runtime.h>").empty());
}

TEST_CASE("a second file that sees the solver is found", "[repository]") {
  const std::string line = "#include <protozero/pbf_writer.hpp>\n";
  REQUIRE(include_violations({{"planner/a.cpp", line}, {"planner/b.cpp", line}}).size() == 1);
}
