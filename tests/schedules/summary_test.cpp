#include "schedules/summary.hpp"

#include <catch2/catch.hpp>

#include "platforms/here.hpp"
#include "schedules/prices.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;
using Catch::Contains;

namespace {

std::string summary_of(const Schedule& schedule) { return summary(schedule, judge(schedule)); }

}  // namespace

TEST_CASE("quantities are written as people read them", "[units]") {
  CHECK(bytes_text(6) == "6 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(13107200) == "12.5 MiB");
  CHECK(bytes_text(std::int64_t{1} << 34) == "16 GiB");
  CHECK(bytes_text(std::numeric_limits<std::int64_t>::max()) == "8 EiB");
  CHECK(seconds_text(0) == "0 s");
  CHECK(seconds_text(3.2) == "3.2 s");
  CHECK(seconds_text(0.0125) == "12.5 ms");
  CHECK(seconds_text(2e-6) == "2 us");
  CHECK(joules_text(455) == "455 J");
  CHECK(joules_text(12345) == "12.35 kJ");
  CHECK(joules_text(0.002) == "2 mJ");
  CHECK(watts_text(7.25) == "7.25 W");
  CHECK(bytes_per_second_text(3e9) == "3 GB/s");
  CHECK(percent_text(0.2285) == "22.9 %");
  CHECK(count_text(1, "memory", "memories") == "1 memory");
  CHECK(count_text(2, "memory", "memories") == "2 memories");
  CHECK(count_text(0, "task") == "0 tasks");
}

TEST_CASE("sums of bytes stop at the ends of 64 bits", "[units]") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(add_bytes(1, 2) == 3);
  CHECK(add_bytes(most, 1) == most);
  CHECK(add_bytes(-most, -most) == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("tables line up and stay on their lines", "[text_table]") {
  TextTable table({{"name", TextTable::Align::left}, {"size"}});
  CHECK(table.empty());
  table.row({"x", "10 B"});
  table.row({"größe\n", "1 B"});
  CHECK(table.text() ==
        "name         size\n"
        "x            10 B\n"
        "größe\\u000a   1 B\n");
}

TEST_CASE("the summary of a graph counts its tasks, bytes and seconds", "[summary]") {
  const std::string text = summary(chain_graph(5));
  CHECK_THAT(text, Contains("chain: a graph of 11 tasks, 12 tensors, 1 result\n"));
  CHECK_THAT(text, Contains("forward       5\n"));
  CHECK_THAT(text, Contains("backward      6\n"));
  CHECK_THAT(text, Contains("activation       11   5 B\n"));
  CHECK_THAT(text, Contains("cpu     11 s           11 s      11 of 11\n"));
  CHECK_THAT(text, Contains("working set  2 B"));
}

TEST_CASE("the working set counts the bytes of a part and its whole once", "[summary]") {
  const std::string text =
      summary(parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "p",
    "tensors": [{"name": "x", "bytes": 1, "kind": "input"}, {"name": "w", "bytes": 100},
                {"name": "a", "bytes": 60, "part_of": {"tensor": "w"}},
                {"name": "b", "bytes": 40, "part_of": {"tensor": "w", "offset_bytes": 60}},
                {"name": "y", "bytes": 7}],
    "tasks": [{"name": "F", "reads": ["x"], "writes": ["a", "b"], "seconds": {"cpu": 1}},
              {"name": "G", "reads": ["w", "a"], "writes": ["y"], "seconds": {"cpu": 1},
               "workspace_bytes": 3}],
    "results": ["y"]})",
                          "p.json"));
  CHECK_THAT(text, Contains("working set  110 B, the most that one task needs at once (by G)"));
}

TEST_CASE("the summary of a platform names its parts and its assumed prices", "[summary]") {
  Platform platform = course_machine(3);
  CHECK_THAT(summary(platform), Contains("prices: none assumed"));
  platform.devices[0].idle_watts = {8.0, Basis::assumed, "a guess"};
  platform.nodes[0].base_watts = {20.0, Basis::datasheet, "its label"};
  const std::string text = summary(platform);
  CHECK_THAT(text, Contains("desk: a platform of 1 node, 1 device, 2 memories, 2 links\n"));
  CHECK_THAT(text, Contains("n0/disk  storage   256 GiB"));
  CHECK_THAT(text, Contains("n0/cpu           1.6GHz   0.57               2.4 W  no\n"));
  CHECK_THAT(text, Contains("prices: 1 of 11 assumed, 9 stated, 1 datasheet\n"));
  CHECK_THAT(text, Contains("assumed: n0/cpu idle_watts\n"));
}

TEST_CASE("this machine is shown with its prices assumed", "[summary]") {
  CHECK_THAT(summary(discover_platform()), Contains(" assumed"));
}

TEST_CASE("the summary of a schedule says what was asked, predicted and proved", "[summary]") {
  const std::string text = summary_of(chain_offloaded());
  CHECK_THAT(text, Contains("chain on desk: a schedule of 13 actions by strategy by hand"));
  CHECK_THAT(text, Contains("verdict    valid\n"));
  CHECK_THAT(text, Contains("least energy, n0/ram within 5 B, billed for the makespan\n"));
  CHECK_THAT(text, Contains("predicted  11 s, 389 J, 2 B copied\n"));
  CHECK_THAT(text, Contains("gap of 1.0 % to what is proved to be needed, 385 J (by work)\n"));
  CHECK_THAT(text, Contains("base      220 J  56.6 %\n"));
  CHECK_THAT(text, Contains("n0/ram    5 B    5 B    5 B    16 GiB\n"));
  CHECK_THAT(text, Contains("n0/cpu/0             11  11 s  100.0 %\n"));
  CHECK_THAT(summary_of(chain_recomputed()), Contains("2 of 13 executions recompute"));
  CHECK_THAT(summary_of(chain_recomputed()), Contains("optimal: meets the lower bound of 455 J"));
}

// Ten of the eleven tasks miss a byte.
TEST_CASE("joules of bytes that are in no cache are told apart", "[summary]") {
  Schedule schedule = chain_kept_whole();
  CHECK_THAT(summary_of(schedule), !Contains("caches"));
  schedule.platform.devices[0].caches = {{2, 1, 1, Quantity(0.5, Basis::assumed, "")}};
  CHECK_THAT(summary_of(schedule), Contains("\n  of it caches ") && Contains(" 5 J "));
  CHECK_THAT(summary_of(schedule), Contains("prices     1 of "));
}

TEST_CASE("a schedule that does not hold is shown as such", "[summary]") {
  Schedule schedule = chain_kept_whole();
  schedule.predicted.joules = 1;
  CHECK_THAT(summary_of(schedule), Contains("NOT VALID: 1 violation, the first R20 /predicted"));
  CHECK_THAT(summary_of(schedule), Contains("predicted  11 s, 385 J"));

  schedule.actions[0].after = {ActionId{5}};
  CHECK_THAT(summary_of(schedule), Contains("the file's word: it cannot be simulated"));
  schedule.unresolved.push_back({"/actions/0/worker", "no worker"});
  schedule.actions[0].worker = no_worker;
  CHECK_THAT(summary_of(schedule), Contains("the first R1 /actions/0/worker: no worker"));
}

TEST_CASE("two schedules are compared line by line", "[summary]") {
  const Schedule first = chain_kept_whole(), second = chain_recomputed();
  const std::string text = comparison(first, judge(first), second, judge(second));
  CHECK_THAT(text, Contains("model             chain    chain     same\n"));
  CHECK_THAT(text, Contains("time               11 s     13 s  +18.2 %\n"));
  CHECK_THAT(text, Contains("peak of n0/ram      6 B      4 B  -33.3 %\n"));
  CHECK_THAT(text, Contains("recomputed            0        2"));
}

TEST_CASE("random graphs and platforms are summarised without a fault", "[summary]") {
  const std::uint64_t seed = GENERATE(range(0, 50));
  CHECK_THAT(summary(random_graph(seed)), Contains("a graph of "));
  CHECK_THAT(summary(random_platform(seed)), Contains("a platform of "));
}
