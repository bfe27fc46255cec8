#include "executor/program.hpp"

#include <algorithm>

#include "executor/operands.hpp"
#include "files/input_error.hpp"
#include "platforms/names.hpp"
#include "schedules/happens_before.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

// A place in a worker's list: that many entries of it must be done.
struct Need {
  WorkerId worker = no_worker;
  int count = 0;
};

class Compiler {
 public:
  Compiler(const Schedule& schedule, const Lanes& lists, const HappensBefore& before)
      : schedule_(schedule), lists_(lists), before_(before), lane_of_(lists.lists.size(), -1) {}

  void lay_out_lanes(Program& program) {
    for (int w = 0; w < static_cast<int>(lists_.lists.size()); ++w) {
      if (lists_.lists[w].empty()) continue;
      lane_of_[w] = static_cast<int>(program.lanes.size());
      program.lanes.push_back({.worker = WorkerId{w}});
    }
    for (Lane& lane : program.lanes) {
      fill(lane, program);
      lane.sleeps_between_steps =
          wait_between_steps(schedule_, lists_.lists[lane.worker]) == Wait::sleep;
    }
    for (const Lane& lane : program.lanes) {
      for (const WaitFor& wait : lane.waits) {
        program.lanes[wait.lane].entries[wait.count - 1].publishes = true;
      }
    }
  }

 private:
  void fill(Lane& lane, const Program& program) {
    const auto& list = lists_.lists[lane.worker];
    lane.entries.reserve(list.size());
    for (int position = 0; position < static_cast<int>(list.size()); ++position) {
      const ActionId id = list[position];
      const Action& action = schedule_.actions[id];
      const bool performs = action.worker == lane.worker;
      Entry entry{.action = id,
                  .job = performs ? program.jobs[id].get() : nullptr,
                  .sleeps = action.wait == Wait::sleep};
      entry.first_wait = static_cast<std::uint32_t>(lane.waits.size());
      for (const Need& need : performs ? needs_of(id) : end_of(id)) {
        lane.waits.push_back({lane_of_[need.worker], static_cast<std::uint32_t>(need.count)});
      }
      entry.last_wait = static_cast<std::uint32_t>(lane.waits.size());
      lane.entries.push_back(entry);
    }
  }

  // The worker that a copy occupies goes on when the copy has ended.
  std::vector<Need> end_of(ActionId copy) const {
    return {{lists_.own[copy].lane, lists_.own[copy].position + 1}};
  }

  // What the action must wait for, without what follows from the rest.
  std::vector<Need> needs_of(ActionId id) const {
    const Action& action = schedule_.actions[id];
    std::vector<Need> needs;
    if (lists_.occupied[id] > 0) needs.push_back({action.occupies, lists_.occupied[id]});
    for (const ActionId earlier : action.after) {
      if (!follows_from_own_list(id, earlier) && !follows_from_another(action.after, earlier)) {
        needs.push_back({lists_.own[earlier].lane, lists_.own[earlier].position + 1});
      }
    }
    keep_the_furthest(needs);
    return needs;
  }

  bool follows_from_own_list(ActionId id, ActionId earlier) const {
    const LanePosition own = lists_.own[id];
    if (own.position == 0) return false;
    const ActionId previous = lists_.lists[own.lane][own.position - 1];
    return previous == earlier || before_(earlier, previous);
  }

  bool follows_from_another(const std::vector<ActionId>& after, ActionId earlier) const {
    return std::any_of(after.begin(), after.end(),
                       [&](ActionId other) { return before_(earlier, other); });
  }

  static void keep_the_furthest(std::vector<Need>& needs) {
    std::sort(needs.begin(), needs.end(), [](const Need& a, const Need& b) {
      return a.worker != b.worker ? a.worker < b.worker : a.count > b.count;
    });
    const auto same_worker = [](const Need& a, const Need& b) { return a.worker == b.worker; };
    needs.erase(std::unique(needs.begin(), needs.end(), same_worker), needs.end());
  }

  const Schedule& schedule_;
  const Lanes& lists_;
  const HappensBefore& before_;
  std::vector<int> lane_of_;  // by worker
};

std::unique_ptr<Job> make_job(const Action& action, const Operands& operands, double seconds,
                              Backend& backend) {
  switch (action.what) {
    case Do::compute:
      return backend.compute(action, operands, seconds);
    case Do::copy:
      return backend.copy(action, operands, seconds);
    case Do::load:
      break;
  }
  return backend.load(action, operands, seconds);
}

}  // namespace

Program compile(const Schedule& schedule, const std::vector<double>& seconds, Backend& backend) {
  const auto worker_count = static_cast<int>(workers(schedule.platform).size());
  const Lanes lists = lanes(schedule, worker_count);
  const auto order = topological_order(schedule, lists);
  if (!order) throw InputError("/actions", "the order has a cycle; expected none");
  const HappensBefore before(schedule, lists, *order);
  const HalfChooser halves(schedule, before);
  Program program;
  program.jobs.reserve(schedule.actions.size());
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    program.jobs.push_back(make_job(schedule.actions[i], operands(schedule, halves, ActionId{i}),
                                    seconds[i], backend));
  }
  Compiler(schedule, lists, before).lay_out_lanes(program);
  return program;
}

}  // namespace stint
