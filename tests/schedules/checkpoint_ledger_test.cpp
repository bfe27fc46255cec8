#include "schedules/checkpoint_ledger.hpp"

#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

std::vector<LedgerEntry> ledger_of(const Schedule& schedule) {
  const Simulation simulation = simulate(schedule);
  return checkpoint_ledger(schedule, simulation, simulation.seconds);
}

}  // namespace

TEST_CASE("a plan that keeps everything has decided nothing", "[checkpoint_ledger]") {
  CHECK(ledger_of(chain_kept_whole()).empty());
  CHECK(ledger_table({}).empty());
}

TEST_CASE("a recomputation costs its work and frees its output until then", "[checkpoint_ledger]") {
  const auto ledger = ledger_of(chain_recomputed());
  REQUIRE(ledger.size() == 2);
  CHECK(ledger[0].decision == "recompute");
  CHECK(ledger[0].name == "F2");
  CHECK(ledger[0].memory == "n0/ram");
  CHECK(ledger[0].action == 7);
  CHECK(ledger[0].predicted.joules == Approx(7));
  CHECK(ledger[0].shared_joules == Approx(28));  // a second more of board and idle processor
  CHECK(ledger[0].bytes == 1);
  CHECK(ledger[0].byte_seconds == Approx(3));  // from the end of F3 at 4 s to 7 s
  CHECK(ledger[0].peak_bytes == 1);            // the peak is from 3 s to 6 s
  CHECK(ledger[1].name == "F0");
  CHECK(ledger[1].byte_seconds == Approx(8));
}

TEST_CASE("an offload costs both copies and frees the tensor between them", "[checkpoint_ledger]") {
  const auto ledger = ledger_of(chain_offloaded());
  REQUIRE(ledger.size() == 1);
  CHECK(ledger[0].decision == "offload");
  CHECK(ledger[0].name == "x1");
  CHECK(ledger[0].memory == "n0/ram");
  CHECK(ledger[0].predicted.seconds == Approx(2));
  CHECK(ledger[0].predicted.joules == Approx(4));
  CHECK(ledger[0].shared_joules == 0);  // others compute meanwhile
  CHECK(ledger[0].byte_seconds == Approx(4));
  CHECK(ledger[0].peak_bytes == 1);
  CHECK_THAT(ledger_table(ledger), Catch::Contains("offload") && Catch::Contains("1 decision"));
}

TEST_CASE("measured times price the decisions anew", "[checkpoint_ledger]") {
  const Schedule schedule = chain_recomputed();
  const Simulation simulation = simulate(schedule);
  std::vector<double> measured = simulation.seconds;
  for (double& seconds : measured) seconds *= 2;
  const auto ledger = checkpoint_ledger(schedule, simulation, measured);
  CHECK(ledger[0].measured.seconds == Approx(2));
  CHECK(ledger[0].measured.joules == Approx(14));
  CHECK(ledger[0].predicted.joules == Approx(7));
}

TEST_CASE("every recomputation of a plan has its entry, and what it frees fits",
          "[checkpoint_ledger]") {
  const int length = GENERATE(4, 7, 12);
  for (std::int64_t bytes = 3; bytes <= length; ++bytes) {
    CAPTURE(length, bytes);
    Request request;
    request.memory["n0/ram"] = bytes;
    request.offload = false;
    request.limit = 1;
    const Problem problem = make_problem(chain_graph(length), course_machine(), request, "chain");
    const Schedule schedule = plan(problem, {}).schedule.value();
    const auto ledger = ledger_of(schedule);
    CHECK(std::ssize(ledger) == schedule.predicted.recomputed);
    CHECK(ledger.size() > 0);
    for (const LedgerEntry& entry : ledger) {
      CHECK(entry.decision == "recompute");
      CHECK(entry.bytes == 1);
      CHECK(entry.byte_seconds >= 1);  // something was done meanwhile
      CHECK(entry.peak_bytes <= entry.bytes);
    }
  }
}
