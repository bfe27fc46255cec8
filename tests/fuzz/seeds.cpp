#include "tests/fuzz/seeds.hpp"

#include <algorithm>

#include "benchmarks/large_schedule.hpp"
#include "executor/run.hpp"
#include "files/text_file.hpp"
#include "tests/support/bundled_files.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/tiny_network.hpp"

namespace stint {
namespace {

constexpr std::size_t max_seed_bytes = 9000;  // larger files only take longer

Schedule plan_of_tiny_network() {
  Request request;
  request.batch = 8;
  request.microbatches = 2;
  request.leaves = 2;
  request.grain = 1;
  return plan_of(tiny_network(), read_platform(STINT_SOURCE_DIR "/platforms/course.json"), request);
}

}  // namespace

std::vector<std::string> bundled_seeds(const std::string& folder, const std::string& format) {
  std::vector<std::string> texts;
  for (const std::string& path : bundled_files(folder, format)) texts.push_back(read_text(path));
  std::erase_if(texts, [](const std::string& text) { return text.size() > max_seed_bytes; });
  return texts;
}

std::vector<std::string> schedule_seeds() {
  std::vector<std::string> texts = bundled_seeds("schedules", "stint-schedule");
  texts.push_back(schedule_text(chain_recomputed()));
  texts.push_back(schedule_text(chain_offloaded()));
  texts.push_back(schedule_text(plan_of_tiny_network()));
  texts.push_back(schedule_text(large_schedule(1, {.lanes = 2, .rounds_per_look = 2})));
  return texts;
}

std::vector<std::string> report_seeds() {
  const RunOptions options{.steps = 1, .warmup_steps = 0, .pace = Pace::none};
  return {run_report_text(run(chain_recomputed(), options, false))};
}

}  // namespace stint
