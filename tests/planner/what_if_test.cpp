#include "planner/what_if.hpp"

#include <catch2/catch.hpp>

#include "planner/outcome_json.hpp"
#include "planner/plan.hpp"
#include "planner/report.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

Outcome planned(const Problem& problem) {
  Outcome outcome = plan(problem, {});
  REQUIRE(outcome.schedule);
  return outcome;
}

Platform with_disk(double bytes_per_second) {
  Platform platform = plain_machine();
  platform.memories.push_back({.name = "disk", .bytes = 1000, .kind = MemoryKind::storage});
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
    Link link;
    link.from = static_cast<MemoryId>(from);
    link.to = static_cast<MemoryId>(to);
    link.bytes_per_second = bytes_per_second;
    platform.links.push_back(link);
  }
  return platform;
}

}  // namespace

TEST_CASE("one byte more saves what the next point of the course's chain costs less", "[what-if]") {
  const Problem problem = problem_of(chain_graph(5), plain_machine(), within("n0/ram", 4));
  const Outcome outcome = planned(problem);
  const auto answers = what_if(problem, *outcome.schedule, {});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].change == "1 B more of n0/ram");
  CHECK(answers[0].saves == Approx(455 - 420));
  CHECK(answers[0].saves_at_most == Approx(455 - 420));
  CHECK(what_if_text(outcome.schedule->predicted, answers) ==
        "what if   1 B more of n0/ram would save 35 J (7.7 %); proved: no plan saves more than "
        "35 J");
  CHECK_THAT(outcome_text(outcome, answers), Catch::Contains("\"from\": \"neighbouring solve\""));
}

TEST_CASE("where everything is kept and nothing is due there is nothing to ask", "[what-if]") {
  const Problem problem = problem_of(chain_graph(5), plain_machine());
  const Outcome outcome = planned(problem);
  const auto answers = what_if(problem, *outcome.schedule, {});
  CHECK(answers.empty());
  CHECK_THAT(what_if_text(outcome.schedule->predicted, answers),
             Catch::Contains("nothing limits this plan"));
}

TEST_CASE("faster links are asked for where a memory is short, both directions at once",
          "[what-if]") {
  const Problem problem = problem_of(chain_graph(5), with_disk(2), within("n0/ram", 3));
  const Outcome outcome = planned(problem);
  const auto answers = what_if(problem, *outcome.schedule, {});
  REQUIRE(answers.size() == 2);
  CHECK(answers[1].change == "2e-10 GB/s more between n0/ram and n0/disk");
  for (const WhatIf& answer : answers) {
    CHECK(answer.saves >= 0);
    CHECK(answer.saves_at_most >= answer.saves);
  }
}

TEST_CASE("a later deadline that is billed for costs what is always on", "[what-if]") {
  Request request;
  request.deadline_seconds = 20;
  request.bill = Bill::deadline;
  const Problem problem = problem_of(chain_graph(5), plain_machine(), request);
  const auto answers = what_if(problem, *planned(problem).schedule, {});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].saves == Approx(-28));
}

TEST_CASE("a later deadline lets slow states save", "[what-if]") {
  Request request;
  request.deadline_seconds = 11.5;
  const Problem problem = problem_of(chain_graph(5), with_slow_state(Settable::action), request);
  const auto answers = what_if(problem, *planned(problem).schedule, {});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].change == "1 s more until the deadline");
  CHECK(answers[0].saves >= 0);
  CHECK(answers[0].saves_at_most >= answers[0].saves);
}
