// SimGrid and our simulator agree, where both models say the same by nature. Left out, because
// schedules/README.md says that they differ: joules of waiting and of switching, seconds of
// switching, and links of one channel whose copies are ready at the same moment.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "schedules/clock.hpp"
#include "schedules/simgrid.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/random_platform.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

// Planning and judging them is slow where nothing is optimised.
#ifdef NDEBUG
constexpr int random_cases = 300;
#else
constexpr int random_cases = 60;
#endif

constexpr double any_plan_will_do = 0.05;  // units of search

// What simgrid_replay prints of one folder.
struct SecondOpinion {
  double makespan_seconds = 0;
  double joules = 0;
  std::map<std::string, double> joules_of_host;
  std::map<std::string, double> joules_of_link;
};

// One program for all, which is much faster than one for each.
class Replays {
 public:
  void add(const Schedule& schedule) {
    REQUIRE(broken_rules(schedule) == std::vector<int>{});
    const std::string name = std::to_string(schedules_.size());
    std::filesystem::create_directory(folder_.path(name));
    const SimgridFiles files = simgrid_files(schedule);
    folder_.file(name + "/platform.xml", files.platform);
    folder_.file(name + "/replay.txt", files.replay);
    schedules_.push_back(schedule);
  }

  std::size_t size() const { return schedules_.size(); }

  // Calls judge(schedule, opinion) for all; not if the program was not built.
  template <typename Judge>
  void run(Judge judge) const {
    std::vector<std::string> folders;
    for (std::size_t i = 0; i < size(); ++i) folders.push_back(folder_.path(std::to_string(i)));
    const Ran ran = run_program("simgrid_replay", folders);
    if (ran.exit == 127) {
      WARN("simgrid_replay is not built");
      return;
    }
    CAPTURE(ran.err);
    REQUIRE(ran.exit == 0);
    CHECK(ran.err.empty());
    const auto opinions = parsed(ran.out, folders);
    REQUIRE(opinions.size() == size());
    for (std::size_t i = 0; i < size(); ++i) {
      CAPTURE(i, schedules_[i].graph.name, schedules_[i].platform.name);
      judge(schedules_[i], opinions[i]);
    }
  }

 private:
  static std::vector<SecondOpinion> parsed(const std::string& text,
                                           const std::vector<std::string>& folders) {
    std::vector<SecondOpinion> opinions;
    std::istringstream words(text);
    for (std::string word, name; words >> word;) {
      if (opinions.size() < folders.size() && word == folders[opinions.size()]) {
        opinions.emplace_back();
      } else if (word == "makespan_seconds") {
        words >> opinions.back().makespan_seconds;
      } else if (word == "joules") {
        words >> opinions.back().joules;
      } else if (words >> name) {
        words >> (word == "host" ? opinions.back().joules_of_host[name]
                                 : opinions.back().joules_of_link[name]);
      }
    }
    return opinions;
  }

  TemporaryFolder folder_;
  std::vector<Schedule> schedules_;
};

// To 1e-6 of it, or of a whole of which it is a small part.
auto about(double value, double whole = 0) {
  return Approx(value).epsilon(1e-6).margin(1e-6 * whole);
}

// The joules of SimGrid's hosts and links by the terms of ours; what devices draw is one.
struct Drawn {
  double base = 0;
  double memory = 0;
  double copy = 0;
  double devices = 0;
};

Drawn drawn(const Platform& platform, const SecondOpinion& opinion) {
  Drawn joules;
  std::set<std::string> nodes;
  for (const Node& node : platform.nodes) nodes.insert(node.name);
  for (const auto& [name, of_link] : opinion.joules_of_link) joules.copy += of_link;
  for (const auto& [name, of_host] : opinion.joules_of_host) {
    if (nodes.contains(name)) {
      joules.base += of_host;
    } else if (find_memory(platform, name)) {
      joules.memory += of_host;
    } else {
      (name.find('>') != std::string::npos ? joules.copy : joules.devices) += of_host;
    }
  }
  return joules;
}

void expect_agreement(const Schedule& schedule, const SecondOpinion& opinion) {
  const Simulation ours = simulate(schedule);
  const JoulesBy& by = ours.joules_by;
  const double joules = by.total() - by.wait - by.switches;
  CHECK(opinion.makespan_seconds == about(ours.makespan_seconds));
  CHECK(opinion.joules == about(joules));
  const Drawn theirs = drawn(schedule.platform, opinion);
  CHECK(theirs.base == about(by.base, joules));
  CHECK(theirs.memory == about(by.memory, joules));
  CHECK(theirs.copy == about(by.copy, joules));
  CHECK(theirs.devices == about(by.compute + by.idle + by.active, joules));
}

// Who goes first when two copies of a channel are ready at once is for each simulator to say.
bool shares_channels(const Schedule& schedule) {
  const auto all = workers(schedule.platform);
  const auto channel_of = channels(schedule.platform);
  std::map<int, std::set<int>> used;  // links by channel
  for (const Action& action : schedule.actions) {
    const int link = all[action.worker].link;
    if (link >= 0) used[channel_of[link]].insert(link);
  }
  return std::any_of(used.begin(), used.end(),
                     [](const auto& links) { return links.second.size() > 1; });
}

// Switching takes time that SimGrid does not know of.
Platform platform_for(std::uint64_t seed) {
  RandomPlatformOptions options;
  options.with_channels = false;
  options.with_fetching = seed % 3 == 0;
  Platform platform = random_platform(seed, options);
  for (Device& device : platform.devices) {
    for (PowerState& state : device.states) state.switch_seconds = 0.0;
  }
  return platform;
}

// Any state for every action where it may have one of its own, so that workers differ.
void mix_states(Schedule& schedule, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto all = workers(schedule.platform);
  for (Action& action : schedule.actions) {
    if (action.what != Do::compute) continue;
    const Device& device = schedule.platform.devices[all[action.worker].device];
    if (device.settable != Settable::action || device.state_scope != StateScope::worker) continue;
    action.state = static_cast<int>(random() % device.states.size());
  }
}

Schedule random_schedule(std::uint64_t seed) {
  RandomGraphOptions options;
  options.tasks = 4 + static_cast<int>(seed % 24);
  Request request{.limit = any_plan_will_do};
  request.objective = seed % 2 == 0 ? Objective::time : Objective::energy;
  if (seed % 4 == 0) request.bill = Bill::period;
  request.period_seconds = request.bill == Bill::period ? 1e4 : 0;
  Schedule schedule = plan_of(random_graph(seed, options), platform_for(seed), request);
  mix_states(schedule, seed);
  for (Action& action : schedule.actions) {
    action.start_seconds = action.seconds = action.joules = std::nullopt;
  }
  schedule.predicted.objective.gap = 0;
  predict_again(schedule);
  return schedule;
}

bool copies(const Schedule& schedule) {
  return std::any_of(schedule.actions.begin(), schedule.actions.end(),
                     [](const Action& action) { return action.what == Do::copy; });
}

// Nothing if the machine cannot run the graph.
std::optional<Schedule> planned(const std::string& model, const std::string& platform) {
  try {
    Request request{.limit = any_plan_will_do};
    request.objective = Objective::time;  // uses more of the machine
    return plan_of(read_graph(bundled("models/" + model + ".json")),
                   read_platform(bundled("platforms/" + platform + ".json")), request);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("SimGrid agrees about schedules made by hand", "[.simgrid_replay]") {
  Replays replays;
  for (const Schedule& schedule :
       {chain_kept_whole(), chain_recomputed(), chain_offloaded(), training_step()}) {
    replays.add(schedule);
  }
  replays.run(expect_agreement);
}

TEST_CASE("SimGrid agrees about bundled graphs on bundled machines", "[.simgrid_replay]") {
  Replays replays;
  for (const char* model : {"branches", "chain5", "diamond", "unet_tasks"}) {
    for (const char* platform : {"course", "desk", "g5k-taurus", "xeon-v100-pcie",
                                 "a40-workstation", "dgx-a100", "jetson-tx2", "rpi4"}) {
      const auto schedule = planned(model, platform);
      if (schedule && !shares_channels(*schedule)) replays.add(*schedule);
    }
  }
  REQUIRE(replays.size() >= 16);
  replays.run(expect_agreement);
}

TEST_CASE("SimGrid agrees about random graphs on random machines", "[.simgrid_replay]") {
  Replays replays;
  int with_copies = 0;
  int with_fetched_bytes = 0;
  for (std::uint64_t seed = 0; seed < random_cases; ++seed) {
    CAPTURE(seed);
    const Schedule schedule = random_schedule(seed);
    REQUIRE_FALSE(shares_channels(schedule));
    with_copies += copies(schedule) ? 1 : 0;
    with_fetched_bytes += simulate(schedule).cache_joules > 0 ? 1 : 0;
    replays.add(schedule);
  }
  REQUIRE(with_copies > random_cases / 10);
  REQUIRE(with_fetched_bytes > random_cases / 10);
  replays.run(expect_agreement);
}

TEST_CASE("simgrid_replay refuses files that are not what they should be", "[.simgrid_replay]") {
  const TemporaryFolder folder;
  const Schedule schedule = chain_kept_whole();
  const std::string there = folder.path("");
  const auto refused = [&](const std::string& script) {
    folder.file("replay.txt", script);
    return run_program("simgrid_replay", {there});
  };
  const Ran none = run_program("simgrid_replay", {there});
  if (none.exit == 127) {
    WARN("simgrid_replay is not built");
    return;
  }
  CHECK(none.exit == 2);
  CHECK(run_program("simgrid_replay", {}).exit == 2);
  folder.file("platform.xml", simgrid_platform(schedule.platform));
  const std::string line_2 = "simgrid_replay: " + there + "/replay.txt: line 2: ";
  CHECK(refused("actor a\n0 jump\n").err == line_2 + "\"jump\"; expected exec, send or pass\n");
  CHECK(refused("actor a\n0 exec\n").err == line_2 + "no host; expected one\n");
  CHECK(refused("actor a\n0 exec n9/cpu 1 0\n").err ==
        line_2 + "no host \"n9/cpu\"; expected one of platform.xml\n");
  CHECK(refused("actor a\nzero pass\n").err == line_2 + "\"zero\"; expected a step's id\n");
  CHECK(refused("actor a\n0 exec n0/cpu 1 2\n").err ==
        line_2 + "state 2 of n0/cpu; expected 0 to 1\n");
  CHECK_THAT(refused("actor a\n0 pass after 1\n1 pass\n").err,
             Catch::EndsWith("replay.txt: 2 steps wait for ever; expected none\n"));
  CHECK(refused("0 pass\n").exit == 2);
  CHECK(refused(simgrid_replay(schedule)).exit == 0);
}
