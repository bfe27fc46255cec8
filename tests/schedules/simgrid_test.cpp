#include "schedules/simgrid.hpp"

#include <catch2/catch.hpp>

#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;
using Catch::Contains;

namespace {

// The course's machine with two workers, each with a power state of its own.
Platform with_own_states() {
  Platform platform = course_machine(2);
  platform.devices[0].settable = Settable::action;
  return platform;
}

}  // namespace

TEST_CASE("a device is a host of SimGrid with a core for every worker", "[simgrid]") {
  CHECK_THAT(simgrid_platform(course_machine(4)),
             Contains("<host id=\"n0/cpu\" core=\"4\" speed=\"1000000000f,570000000f\">"
                      "<prop id=\"wattage_per_state\" value=\"8:8:36,8:8:17.6\"/></host>\n"));
}

TEST_CASE("active watts are what the first busy core of a host adds", "[simgrid]") {
  Platform platform = course_machine(2);
  platform.devices[0].active_watts = 1.5;
  CHECK_THAT(simgrid_platform(platform), Contains("value=\"8:9.5:23.5,8:9.5:14.3\""));
}

TEST_CASE("nodes and memories are hosts that always draw the same", "[simgrid]") {
  Platform platform = course_machine();
  platform.memories[1].static_watts = 3.0;
  const std::string text = simgrid_platform(platform);
  CHECK_THAT(text, Contains("<host id=\"n0\" core=\"1\" speed=\"1f\">"
                            "<prop id=\"wattage_per_state\" value=\"20:20:20\"/>"));
  CHECK_THAT(text, Contains("<host id=\"n0/ram\"") && Contains("value=\"0:0:0\""));
  CHECK_THAT(text, Contains("<host id=\"n0/disk\"") && Contains("value=\"3:3:3\""));
}

TEST_CASE("a link draws its joules per byte at full bandwidth, and has its own route",
          "[simgrid]") {
  const std::string text = simgrid_platform(course_machine());
  CHECK_THAT(text, Contains("<link id=\"n0/ram&gt;n0/disk\" bandwidth=\"2Bps\" latency=\"0s\">"
                            "<prop id=\"wattage_range\" value=\"0:4\"/></link>\n"));
  CHECK_THAT(text, Contains("<route src=\"n0/disk\" dst=\"n0/ram\" symmetrical=\"NO\">"
                            "<link_ctn id=\"n0/disk&gt;n0/ram\"/></route>\n"));
  CHECK_THAT(text, !Contains("host id=\"n0/ram&gt;n0/disk\""));
}

TEST_CASE("a link with active watts is a host as well", "[simgrid]") {
  Platform platform = course_machine();
  platform.links[0].active_watts = 0.5;
  CHECK_THAT(simgrid_platform(platform), Contains("<host id=\"n0/ram&gt;n0/disk\" core=\"1\" "
                                                  "speed=\"1f\"><prop id=\"wattage_per_state\" "
                                                  "value=\"0:0.5:0.5\"/></host>\n"));
}

TEST_CASE("workers that may differ in their power are hosts beside their device's", "[simgrid]") {
  const std::string text = simgrid_platform(with_own_states());
  CHECK_THAT(text, Contains("<host id=\"n0/cpu\" core=\"2\" speed=\"1f\">"
                            "<prop id=\"wattage_per_state\" value=\"8:8:8\"/>"));
  CHECK_THAT(text, Contains("<host id=\"n0/cpu/1\" core=\"1\" speed=\"1000000000f,570000000f\">"
                            "<prop id=\"wattage_per_state\" value=\"0:0:7,0:0:2.4\"/>"));
}

TEST_CASE("watts of an op class are a power state of SimGrid's host", "[simgrid]") {
  Schedule schedule = chain_kept_whole();
  schedule.platform.devices[0].states[0].busy_watts_by_class = {{"conv", 9.0}, {"gemm", 5.0}};
  schedule.graph.tasks[0].op = "matmul.forward";
  CHECK_THAT(simgrid_platform(schedule.platform),
             Contains("speed=\"1000000000f,570000000f,1000000000f,1000000000f\"") &&
                 Contains("value=\"8:8:15,8:8:10.4,8:8:17,8:8:13\""));
  const std::string script = simgrid_replay(schedule);
  CHECK_THAT(script, Contains("\n0 exec n0/cpu 1000000000 3\n"));
  CHECK_THAT(script, Contains("\n1 exec n0/cpu 1000000000 0\n"));
}

TEST_CASE("names cannot break out of SimGrid's platform", "[simgrid]") {
  Platform platform = course_machine();
  platform.nodes[0].name = "a\"&<b";
  CHECK_THAT(simgrid_platform(platform), Contains("<host id=\"a&quot;&amp;&lt;b\" "));
}

TEST_CASE("a script has an actor for every worker and link that has something to do", "[simgrid]") {
  CHECK(simgrid_replay(chain_offloaded()) ==
        "# A step for simgrid_replay.\n"
        "precision 1.3e-12\n"
        "actor n0/cpu/0\n"
        "0 exec n0/cpu 1000000000 0\n"
        "2 exec n0/cpu 1000000000 0\n"
        "3 exec n0/cpu 1000000000 0\n"
        "4 exec n0/cpu 1000000000 0\n"
        "5 exec n0/cpu 1000000000 0 after 1\n"
        "6 exec n0/cpu 1000000000 0\n"
        "8 exec n0/cpu 1000000000 0\n"
        "9 exec n0/cpu 1000000000 0\n"
        "10 exec n0/cpu 1000000000 0\n"
        "11 exec n0/cpu 1000000000 0 after 7\n"
        "12 exec n0/cpu 1000000000 0\n"
        "actor n0/ram>n0/disk\n"
        "1 send n0/ram n0/disk 1 0.5 after 0\n"
        "actor n0/disk>n0/ram\n"
        "7 send n0/disk n0/ram 1 0.5 after 6\n");
}

TEST_CASE("copies of one channel name it by its first link", "[simgrid]") {
  const std::string script = simgrid_replay(training_step());
  CHECK_THAT(script, Contains("send n0/ram n0/hbm 8 0.5 within n0/ram>n0/hbm after "));
  CHECK_THAT(script, Contains("send n0/hbm n0/ram 8 0.5 within n0/ram>n0/hbm beside "
                              "n0/hbm>n0/ram after "));
}

TEST_CASE("a copy that occupies a worker waits for it, and the worker for the copy", "[simgrid]") {
  Schedule schedule = chain_offloaded();
  schedule.platform.links[0].blocking = true;
  schedule.platform.devices[0].active_watts = 1.0;
  schedule.actions[1].occupies = WorkerId{0};
  schedule.actions[1].after.clear();
  const std::string script = simgrid_replay(schedule);
  CHECK_THAT(script, Contains("\n1 send n0/ram n0/disk 1 0.5 beside n0/cpu after 0\n"));
  CHECK_THAT(script, Contains("\n2 exec n0/cpu/0 1000000000 0 beside n0/cpu after 1\n"));
  CHECK_THAT(script, Contains("\n3 exec n0/cpu/0 1000000000 0 beside n0/cpu\n"));
}

TEST_CASE("a script lasts for the billing window where that is not the makespan", "[simgrid]") {
  Schedule schedule = chain_kept_whole();
  CHECK_THAT(simgrid_replay(schedule), !Contains("until"));
  schedule.request.deadline_seconds = 20.0;
  CHECK_THAT(simgrid_replay(schedule), !Contains("until"));
  schedule.request.bill = Bill::deadline;
  CHECK_THAT(simgrid_replay(schedule), Contains("\nuntil 20\n"));
  schedule.request.bill = Bill::period;
  schedule.request.period_seconds = 30;
  CHECK_THAT(simgrid_replay(schedule), Contains("\nuntil 30\n"));
}

TEST_CASE("a cache that has joules for bytes beyond it is a host whose flops are such bytes",
          "[simgrid]") {
  Schedule schedule = chain_kept_whole();
  Device& device = schedule.platform.devices[0];
  device.caches = {{1, 1, 1, {}}, {2, 1, 1, 0.5}};
  CHECK_THAT(simgrid_platform(schedule.platform),
             Contains("<host id=\"n0/cpu/cache1\" core=\"1\" speed=\"1000000000000000f\">"
                      "<prop id=\"wattage_per_state\" value=\"0:0:500000000000000\"/></host>\n") &&
                 !Contains("n0/cpu/cache0"));
  // The second task finds the byte that the first wrote, and no room beside it for its own.
  CHECK_THAT(simgrid_replay(schedule),
             Contains("\n1 exec n0/cpu 1000000000 0 fetch n0/cpu/cache1 1\n"));
}

TEST_CASE("a script's flops hold what bytes take that are in no cache", "[simgrid]") {
  Schedule schedule = chain_kept_whole();
  Device& device = schedule.platform.devices[0];
  device.caches = {{1, 1, 1, {}}};
  device.time_model["cache"].terms["level1"] = 0.25;
  CHECK_THAT(simgrid_replay(schedule), Contains("\n1 exec n0/cpu 1250000000 0\n"));
}
