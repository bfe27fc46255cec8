#include "schedules/validate.hpp"

#include <catch2/catch.hpp>

#include "schedules/simulate.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

TEST_CASE("good schedules break no rule", "[validate]") {
  const Schedule schedule = GENERATE(chain_kept_whole(), chain_recomputed(), chain_offloaded());
  for (const Violation& violation : validate(schedule)) FAIL_CHECK(to_string(violation));
}

TEST_CASE("the course's chain kept whole needs 6 bytes", "[simulate]") {
  const Simulation simulation = simulate(chain_kept_whole());
  CHECK(simulation.peak_bytes[0] == 6);
  CHECK(simulation.makespan_seconds == 11.0);
  CHECK(simulation.joules_by.total() == 385.0);
}

TEST_CASE("the design's example takes 13 s and 455 J under 4 bytes", "[simulate]") {
  const Simulation simulation = simulate(chain_recomputed());
  CHECK(simulation.peak_bytes[0] == 4);
  CHECK(simulation.makespan_seconds == 13.0);
  CHECK(simulation.joules_by.compute == 91.0);
  CHECK(simulation.joules_by.idle == 104.0);
  CHECK(simulation.joules_by.base == 260.0);
}
