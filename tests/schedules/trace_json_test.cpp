#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "schedules/trace.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;
using nlohmann::json;

namespace {

std::vector<json> events(const Schedule& schedule, const std::string& phase) {
  const json trace = json::parse(trace_text(schedule, simulate(schedule)));
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

std::int64_t nanoseconds_of(const json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

// The integral of all counters of watts, in joules.
double joules_of_counters(const Schedule& schedule) {
  std::map<std::pair<int, std::string>, std::pair<double, double>> last;  // microseconds, watts
  double joules = 0;
  for (const json& event : events(schedule, "C")) {
    if (!event["args"].contains("watts")) continue;
    auto& [time, watts] = last[{event["pid"].get<int>(), event["name"].get<std::string>()}];
    joules += watts * (event["ts"].get<double>() - time) * 1e-6;
    time = event["ts"].get<double>();
    watts = event["args"]["watts"].get<double>();
  }
  return joules;
}

}  // namespace

TEST_CASE("a trace has a span for every action, with what it does", "[trace]") {
  const auto spans = events(chain_recomputed(), "X");
  REQUIRE(spans.size() == 13);
  CHECK(spans[0]["name"] == "F0");
  CHECK(spans[0]["cat"] == "forward");
  CHECK(spans[0]["dur"] == 1e6);
  CHECK(spans[0]["args"]["state"] == "2.8GHz");
  CHECK(spans[0]["args"]["joules"] == 7.0);
  CHECK(spans[0]["args"]["bytes"] == 2);
  CHECK(spans[7]["name"] == "F2 (again)");
  CHECK(spans[7]["cat"] == "recompute");
  CHECK(spans[7]["args"]["recomputed"] == true);
  CHECK(spans[7]["ts"] == 7e6);
}

TEST_CASE("copies stand on tracks of their own", "[trace]") {
  const auto spans = events(chain_offloaded(), "X");
  std::vector<json> copies;
  for (const json& span : spans) {
    if (span["cat"] == "copy") copies.push_back(span);
  }
  REQUIRE(copies.size() == 2);
  CHECK(copies[0]["name"] == "copy x1");
  CHECK(copies[0]["tid"] != copies[1]["tid"]);
  CHECK(copies[0]["args"]["bytes"] == 1);
}

TEST_CASE("every track of a trace has a name", "[trace]") {
  const Schedule schedule = training_step();
  std::map<std::pair<int, int>, std::string> names;
  for (const json& event : events(schedule, "M")) {
    if (event["name"] == "thread_name") names[{event["pid"], event["tid"]}] = event["args"]["name"];
  }
  for (const json& span : events(schedule, "X")) {
    CHECK(names.contains({span["pid"].get<int>(), span["tid"].get<int>()}));
  }
}

TEST_CASE("spans of one track never overlap", "[trace]") {
  Schedule schedule = GENERATE(chain_offloaded(), training_step());
  // Times that no nanosecond and no double represents exactly.
  for (Task& task : schedule.graph.tasks) {
    for (auto& [device, seconds] : task.seconds) seconds.value /= 3e7;
  }
  std::map<std::pair<int, int>, std::int64_t> free_at;
  for (const json& span : events(schedule, "X")) {
    const std::int64_t start = nanoseconds_of(span["ts"]);
    std::int64_t& free = free_at[{span["pid"].get<int>(), span["tid"].get<int>()}];
    CHECK(start >= free);
    free = start + nanoseconds_of(span["dur"]);
  }
}

TEST_CASE("a copy that occupies a worker stands on the worker's track too", "[trace]") {
  Schedule schedule = chain_offloaded();
  schedule.platform.links[0].blocking = true;
  schedule.actions[1].occupies = WorkerId{0};
  CHECK(events(schedule, "X").size() == 14);
}

TEST_CASE("the counter of a memory rises to its peak", "[trace]") {
  const Schedule schedule = GENERATE(chain_kept_whole(), chain_offloaded(), training_step());
  std::map<std::string, std::int64_t> peaks;
  for (const json& event : events(schedule, "C")) {
    if (!event["args"].contains("bytes")) continue;
    std::string memory = event["name"].get<std::string>();
    memory.resize(memory.size() - std::string(" bytes").size());
    peaks[memory] = std::max(peaks[memory], event["args"]["bytes"].get<std::int64_t>());
  }
  for (const auto& [memory, bytes] : schedule.predicted.peak_bytes) {
    CAPTURE(memory);
    CHECK(peaks[memory] == bytes);
  }
}

TEST_CASE("watts over time are the predicted energy, but for waiting and switching", "[trace]") {
  const Schedule schedule = GENERATE(chain_kept_whole(), chain_offloaded(), training_step());
  const JoulesBy by = simulate(schedule).joules_by;
  CHECK(joules_of_counters(schedule) == Approx(by.total() - by.wait - by.switches));
}

TEST_CASE("times beyond reason stay numbers", "[trace]") {
  Schedule schedule = chain_kept_whole();
  schedule.graph.tasks[0].seconds["cpu"] = 1e300;
  const auto spans = events(schedule, "X");
  CHECK(spans[0]["dur"].get<double>() == 9e15);
}
