#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schedules/summary.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;
using nlohmann::json;

TEST_CASE("a schedule in JSON has the verdict and what the simulator predicts", "[summary_json]") {
  const Schedule schedule = chain_offloaded();
  const json answer = json::parse(summary_json(schedule, judge(schedule)));
  CHECK(answer["format"] == "stint-schedule");
  CHECK(answer["valid"] == true);
  CHECK(answer["violations"] == json::array());
  CHECK(answer["simulated"] == true);
  CHECK(answer["predicted"]["joules"] == 389.0);
  CHECK(answer["predicted"]["peak_bytes"]["n0/ram"] == 5);
  CHECK(answer["busy_seconds"]["n0/cpu/0"] == 11.0);
}

TEST_CASE("violations in JSON have their rule, place and fault", "[summary_json]") {
  Schedule schedule = chain_kept_whole();
  schedule.arenas["n0/ram"] = 5;
  const json answer = json::parse(summary_json(schedule, judge(schedule)));
  CHECK(answer["valid"] == false);
  REQUIRE(answer["violations"].size() >= 1);
  CHECK(answer["violations"][0]["rule"].get<std::string>().front() == 'R');
  CHECK(answer["violations"][0].contains("where"));
  CHECK(answer["violations"][0].contains("what"));
}

TEST_CASE("a graph and a platform in JSON give their numbers", "[summary_json]") {
  const json graph = json::parse(summary_json(chain_graph(5)));
  CHECK(graph["format"] == "stint-tasks");
  CHECK(graph["tasks"] == 11);
  CHECK(graph["tasks_by_phase"]["backward"] == 6);
  CHECK(graph["tensors_by_kind"]["activation"]["bytes"] == 5);
  CHECK(graph["work_by_device"]["cpu"]["critical_path_seconds"] == 11.0);
  CHECK(graph["working_set_bytes"] == 2);
  Platform machine = course_machine(4);
  machine.nodes[0].base_watts.basis = Basis::assumed;
  const json platform = json::parse(summary_json(machine));
  CHECK(platform["format"] == "stint-platform");
  CHECK(platform["workers"] == 4);
  CHECK(platform["assumed"] == json::array({"n0 base_watts"}));
}
