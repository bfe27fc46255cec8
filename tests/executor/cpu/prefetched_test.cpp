// Batches that a planned action loads ahead, while others compute.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "tests/executor/cpu/trainings.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/cifar_files.hpp"

using namespace stint;

namespace {

std::vector<ActionId> loads_ahead(const Schedule& schedule) {
  std::vector<ActionId> loads;
  for (std::size_t a = 0; a < schedule.actions.size(); ++a) {
    const Action& action = schedule.actions[a];
    if (action.what == Do::load && action.for_step == 1) loads.push_back(static_cast<ActionId>(a));
  }
  return loads;
}

// False if it does not come true within half a minute.
bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

}  // namespace

TEST_CASE("batches loaded ahead give the same bits as those that are there", "[prefetch]") {
  const TemporaryFolder folder;
  write_cifar10(folder, 3, {});
  const std::string data = GENERATE(false, true) ? "cifar10:" + folder.path("") : "";
  const Network network = parse_network(cifar_network, "cifar");
  const Request request{.batch = 4, .leaves = 2};
  std::vector<std::string> states;
  int ahead = 0;
  for (const int workers : {1, 2, 4}) {
    for (const int percent : {0, 100}) {
      const auto schedule =
          planned(network, {.request = request, .workers = workers, .memory_percent = percent});
      REQUIRE(schedule);
      ahead += loads_ahead(*schedule).empty() ? 0 : 1;
      // An odd number of steps and an even one end in different halves.
      for (const std::int64_t steps : {4, 5})
        states.push_back(std::to_string(steps) +
                         trained(*schedule, steps, {.data = data}).state_sha256);
    }
  }
  CHECK(ahead >= 2);
  CHECK(ahead < 6);
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  CHECK(states.size() == 2);  // one for each number of steps
}

TEST_CASE("a training that goes on loads its first batch anew", "[prefetch]") {
  const TemporaryFolder folder;
  const std::string file = folder.path("state.npz");
  const Schedule schedule =
      planned(small_transformer(), {.request = {.batch = 4}, .workers = 4}).value();
  REQUIRE(loads_ahead(schedule).size() == 1);
  trained(schedule, 3, {.save_file = file});
  CHECK(trained(schedule, 2, {.load_file = file}).state_sha256 ==
        trained(schedule, 5).state_sha256);
}

TEST_CASE("the next batch is loaded while tasks compute, and they do not wait for it",
          "[prefetch]") {
  // A chain has all of its tasks on one worker.
  const Request request{.batch = 4, .strategy = "chain"};
  const Schedule schedule =
      planned(bundled_network("mlp"), {.request = request, .workers = 2}).value();
  const auto loads = loads_ahead(schedule);
  REQUIRE(loads.size() == 1);
  REQUIRE(schedule.actions[loads[0]].worker != schedule.actions.back().worker);
  const auto computes = std::count_if(schedule.actions.begin(), schedule.actions.end(),
                                      [](const Action& it) { return it.what == Do::compute; });
  std::atomic<std::int64_t> begun = 0;
  std::atomic<std::int64_t> loads_begun = 0;
  std::atomic<bool> overlapped = true;
  const auto before = [&](ActionId action, std::int64_t step) {
    if (action == loads[0]) {  // ends only when the last task has begun
      ++loads_begun;
      const auto all = (step + 1) * computes;
      if (!comes_true([&] { return begun == all; })) overlapped = false;
    } else if (schedule.actions[action].what == Do::compute && ++begun % computes == 0) {
      if (!comes_true([&] { return loads_begun == step + 1; })) overlapped = false;
    }
  };
  const RunReport report = replay_with(schedule, before, quick_options());
  CHECK(overlapped);
  CHECK(report.replayed_exactly);
}
