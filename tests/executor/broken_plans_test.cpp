// Plans broken behind the judge's back: replay itself notices, by the bits it ends with. And plans
// that the judge still accepts after damage end with the right bits.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "schedules/validate.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/schedule_breaker.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

bool refused(const Schedule& schedule) {
  try {
    replay(schedule);
  } catch (const std::exception&) {
    return true;
  }
  return false;
}

// With all that it computes as a result, so that no action is in vain.
Schedule good_plan(TrainingStep& step) {
  Schedule& schedule = step.builder.schedule();
  for (Graph* graph : {&model_graph(schedule), &schedule.graph}) {
    graph->results.push_back(tensors_by_name(*graph).at("norm"));
  }
  return step.builder.finish();
}

// Lets everything else go first.
BeforeAction late(ActionId slow) {
  return [slow](ActionId action, std::int64_t) {
    if (action == slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
}

}  // namespace

TEST_CASE("a wait that was removed shows in the bits, and is refused at the door",
          "[broken][races]") {
  TrainingStep step;
  const Schedule good = good_plan(step);
  const ReferenceRun expected = reference_run(good.graph, 3);
  int removed = 0;
  for (std::size_t i = 0; i < good.actions.size(); ++i) {
    for (const ActionId earlier : good.actions[i].after) {
      Schedule broken = good;
      std::erase(broken.actions[i].after, earlier);
      predict_again(broken);
      if (validate(broken).empty()) continue;  // it followed from others
      CAPTURE(i, static_cast<int>(earlier));
      CHECK(refused(broken));
      CHECK(hashes(replay_with(broken, late(earlier))) != expected);
      ++removed;
    }
  }
  CHECK(removed >= 5);
}

TEST_CASE("replays a plan with one wait removed, for the thread sanitizer to see", "[.racing]") {
  TrainingStep step;
  Schedule schedule = step.builder.finish();
  schedule.actions[step.gc_back].after.clear();  // no longer waits for what it copies
  RunOptions options = quick_options();
  options.steps = 50;
  replay_with(
      schedule, [](ActionId, std::int64_t) {}, options);
}

TEST_CASE("buffers that overlap show in the bits, and are refused at the door", "[broken][races]") {
  TrainingStep step;
  const Schedule good = good_plan(step);
  const ReferenceRun expected = reference_run(good.graph, 3);
  for (const auto& [moved, onto] : {std::pair(step.tape, step.c),
                                    {step.tape, step.w},
                                    {step.gw, step.w},
                                    {step.norm, step.w}}) {
    Schedule broken = good;
    broken.buffers[moved].offset = broken.buffers[onto].offset;
    CHECK(refused(broken));
    CHECK(hashes(replay_with(broken, [](ActionId, std::int64_t) {})) != expected);
  }
}

TEST_CASE("damaged plans that the judge accepts end with the right bits", "[broken]") {
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Schedule good = random_plan(seed);
    const ReferenceRun expected = reference_run(good.graph, 3);
    for (std::uint64_t variant = 0; variant < 10; ++variant) {
      Schedule schedule = good;
      const std::string damage = break_schedule(schedule, seed * 1000 + variant);
      if (!can_be_simulated(validate(schedule))) continue;
      predict_again(schedule);
      if (!validate(schedule).empty()) continue;
      CAPTURE(seed, variant, damage);
      const RunReport report = replay_with(schedule, random_delays(seed));
      REQUIRE(report.replayed_exactly);
      REQUIRE(hashes(report) == expected);
      ++accepted;
    }
  }
  CHECK(accepted > 100);
}
