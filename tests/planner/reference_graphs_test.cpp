// Training graphs whose figures were computed by other programs: the peak of keeping everything in
// the order of the file, the most that one task needs at once, and the sum of all times.
#include <catch2/catch.hpp>

#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

struct Reference {
  const char* file;
  std::int64_t peak_bytes;
  std::int64_t working_set_bytes;
  double seconds;
};

}  // namespace

TEST_CASE("keep-all on one worker reaches the reference peaks, addresses included", "[keep-all]") {
  const auto reference = GENERATE(Reference{"chain32", 4915200, 1572864, 0.947462},
                                  Reference{"resnet120", 1187840, 262144, 0.107574},
                                  Reference{"unet60", 1814528, 786432, 0.297533});
  CAPTURE(reference.file);
  const Graph graph =
      read_graph(bundled(std::string("tests/planner/graphs/") + reference.file + ".json"));
  const Platform course = read_platform(bundled("platforms/course.json"));
  const Problem problem = make_problem(graph, course, {}, reference.file);
  const Outcome outcome = plan(problem, {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->predicted.peak_bytes.at("n0/ram") == reference.peak_bytes);
  CHECK(outcome.schedule->arenas.at("n0/ram") == reference.peak_bytes);
  CHECK(outcome.schedule->predicted.seconds == Approx(reference.seconds).epsilon(1e-12));
  CHECK(memory_bound(problem, MemoryId{0}).bytes == reference.working_set_bytes);
}
