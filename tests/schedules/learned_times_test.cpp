#include "schedules/learned_times.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/tiny_network.hpp"

using namespace stint;

namespace {

RunReport report_of(const Model& model, std::vector<MeasuredTask> tasks) {
  RunReport report;
  report.name = name_of(model);
  report.steps = 3;
  report.replayed_exactly = true;
  report.tasks = std::move(tasks);
  return report;
}

}  // namespace

TEST_CASE("a graph's tasks take the measured times on the devices that ran them",
          "[learned_times]") {
  Model model = chain_kept_whole().model;
  Platform platform = course_machine();
  const RunReport report = report_of(model, {{"F1", "n0/cpu", "", "", 2, 0.25},
                                             {"F2", "n9/cpu", "", "", 1, 0.5},
                                             {"no task", "n0/cpu", "", "", 1, 0.5}});
  learn_times(report, "report.json", model, platform);
  const Graph& graph = std::get<Graph>(model);
  CHECK(graph.tasks[1].name == "F1");
  CHECK(graph.tasks[1].seconds.at("n0/cpu").value == 0.25);
  CHECK(graph.tasks[1].seconds.at("n0/cpu").basis == Basis::measured);
  CHECK(graph.tasks[2].seconds == graph.tasks[0].seconds);
  CHECK(platform == course_machine());
  check(graph);
}

TEST_CASE("of a network the platform learns kernels, alike tasks by their mean",
          "[learned_times]") {
  Model model = tiny_network();
  Platform platform = course_machine();
  platform.devices[0].kernels.push_back({.op = "relu.forward",
                                         .shape = "8",
                                         .algorithm = "loop",
                                         .workspace_bytes = 64,
                                         .seconds = 9.0});
  const RunReport report = report_of(model, {{"r1", "n0/cpu", "relu.forward", "8", 1, 0.1},
                                             {"r2", "n0/cpu", "relu.forward", "8", 3, 0.3},
                                             {"l1", "n0/cpu", "linear.forward", "4x4", 1, 0.7}});
  learn_times(report, "report.json", model, platform);
  const std::vector<Kernel>& kernels = platform.devices[0].kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].seconds.value == Approx(0.25));
  CHECK(kernels[0].workspace_bytes == 64);
  CHECK(kernels[0].algorithm == "loop");
  CHECK(kernels[1].op == "linear.forward");
  CHECK(kernels[1].seconds.value == Approx(0.7));
  check(platform);
}

TEST_CASE("a link is as slow as its copies were together", "[learned_times]") {
  Model model = chain_offloaded().model;
  Platform platform = course_machine();
  RunReport report = report_of(model, {{"F1", "n0/cpu", "", "", 1, 1}});
  for (const double measured : {2.0, 4.0}) {
    RunAction copy{.predicted_seconds = 1, .measured_seconds = measured};
    copy.worker = "n0/ram>n0/disk";
    report.actions.push_back(copy);
  }
  learn_times(report, "report.json", model, platform);
  CHECK(platform.links[0].latency_seconds.value == Approx(1.5));
  CHECK(platform.links[0].bytes_per_second.value == Approx(2.0 / 3));
  CHECK(platform.links[1] == course_machine().links[1]);
}

TEST_CASE("a report that cannot teach is refused", "[learned_times]") {
  const auto refused = [](const RunReport& report) {
    Model model = chain_kept_whole().model;
    Platform platform = course_machine();
    try {
      learn_times(report, "report.json", model, platform);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Model model = chain_kept_whole().model;
  const RunReport good = report_of(model, {{"F1", "n0/cpu", "", "", 1, 1}});
  CHECK(refused(good).empty());
  RunReport bad = good;
  bad.name = "another";
  CHECK_THAT(refused(bad), Catch::StartsWith("report.json: /name: \"another\""));
  bad = good;
  bad.replayed_exactly = false;
  CHECK_THAT(refused(bad), Catch::Contains("/replayed_exactly"));
  bad = good;
  bad.tasks.clear();
  CHECK_THAT(refused(bad), Catch::Contains("/tasks"));
  bad = good;
  bad.tasks[0].device = "n7/cpu";
  CHECK_THAT(refused(bad), Catch::Contains("none of them"));
}
