// R19: the request is met. R20, R21: what the file says is predicted is what the simulator
// computes. R22: the proof is consistent.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "schedules/rules.hpp"

namespace stint {
namespace {

void expect_within(const Judge& judge, const char* key, double seconds, double most) {
  if (seconds <= most || same_number(seconds, most)) return;
  judge.report(19, std::string("/request/") + key,
               fmt::format("the step takes {} s; expected at most {}", seconds, most));
}

void expect_no_recomputation(const Judge& judge) {
  std::vector<bool> executed(judge.schedule.graph.tasks.size(), false);
  for (int i = 0; i < static_cast<int>(judge.schedule.actions.size()); ++i) {
    const Action& action = judge.schedule.actions[i];
    if (action.what != Do::compute) continue;
    if (executed[action.task]) {
      judge.report(19, action_path(ActionId{i}),
                   judge.action(ActionId{i}) + " recomputes; expected none, as was asked");
    }
    executed[action.task] = true;
  }
}

// Offloading is moving a tensor away from a memory to bring it back later. State that returns to
// the buffer where it lives is not meant.
void expect_no_offloading(const Judge& judge) {
  const Schedule& schedule = judge.schedule;
  std::set<std::pair<int, int>> seen;  // tensor, memory
  for (const Buffer& buffer : schedule.buffers) {
    if (buffer.initial) seen.emplace(buffer.tensor, buffer.memory);
  }
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    const Action& action = schedule.actions[i];
    for (const BufferId id : action.writes) {
      if (id == no_buffer || schedule.buffers[id].initial) continue;
      const Buffer& buffer = schedule.buffers[id];
      const bool is_new = seen.emplace(buffer.tensor, buffer.memory).second;
      if (is_new || action.what != Do::copy) continue;
      if (schedule.graph.tensors[buffer.tensor].kind == Kind::state) continue;
      judge.report(19, action_path(ActionId{i}),
                   fmt::format("{} brings {} back to {}; expected no offloading, as was asked",
                               judge.action(ActionId{i}), judge.tensor(buffer.tensor),
                               judge.memory(buffer.memory)));
    }
  }
}

class PredictedCheck {
 public:
  PredictedCheck(const Judge& judge, const Simulation& simulation)
      : judge_(judge),
        given_(judge.schedule.predicted),
        right_(predict(judge.schedule, simulation)) {}

  void run() const {
    expect("seconds", given_.seconds, right_.seconds);
    expect("joules", given_.joules, right_.joules);
    expect_terms(given_.joules_by, right_.joules_by);
    expect_peaks();
    expect("executions", given_.executions, right_.executions);
    expect("recomputed", given_.recomputed, right_.recomputed);
    expect("copied_bytes", given_.copied_bytes, right_.copied_bytes);
    if (given_.objective.objective != judge_.schedule.request.objective) {
      report("objective/name",
             fmt::format("{}; expected the request's {}", to_string(given_.objective.objective),
                         to_string(judge_.schedule.request.objective)));
    }
    expect("objective/value", given_.objective.value, right_.objective.value);
  }

 private:
  void report(const std::string& key, const std::string& what) const {
    judge_.report(20, "/predicted/" + key, what);
  }
  void expect(const std::string& key, double given, double right, double scale = 0) const {
    if (same_number(given, right, scale)) return;
    report(key, fmt::format("{}; expected {}, as simulated", given, right));
  }
  void expect(const std::string& key, std::int64_t given, std::int64_t right) const {
    if (given != right) report(key, fmt::format("{}; expected {}, as simulated", given, right));
  }

  void expect_terms(const JoulesBy& given, const JoulesBy& right) const {
    const double total = right.total();
    expect("joules_by/compute", given.compute, right.compute, total);
    expect("joules_by/copy", given.copy, right.copy, total);
    expect("joules_by/switch", given.switches, right.switches, total);
    expect("joules_by/wait", given.wait, right.wait, total);
    expect("joules_by/active", given.active, right.active, total);
    expect("joules_by/idle", given.idle, right.idle, total);
    expect("joules_by/memory", given.memory, right.memory, total);
    expect("joules_by/base", given.base, right.base, total);
  }

  void expect_peaks() const {
    std::map<std::string, std::int64_t> given = given_.peak_bytes;
    for (const auto& [name, peak] : right_.peak_bytes) {
      expect("peak_bytes/" + pointer_step(name), given[name], peak);
      given.erase(name);
    }
    for (const auto& [name, peak] : given) {
      expect("peak_bytes/" + pointer_step(name), peak, std::int64_t{0});
    }
  }

  const Judge& judge_;
  const Predicted& given_;
  Predicted right_;
};

void expect_derived(const Judge& judge, ActionId id, const char* key,
                    const std::optional<double>& given, double right, double scale) {
  if (!given || same_number(*given, right, scale)) return;
  judge.report(21, action_path(id, key),
               fmt::format("{}: {}; expected {}, as simulated", judge.action(id), *given, right));
}

}  // namespace

void judge_request(const Judge& judge, const Simulation& simulation) {
  const Request& request = judge.schedule.request;
  const double seconds = simulation.makespan_seconds;
  if (request.deadline_seconds) {
    expect_within(judge, "deadline_seconds", seconds, *request.deadline_seconds);
  } else if (request.bill == Bill::deadline) {
    judge.report(19, "/request/bill", "deadline, but there is none; expected deadline_seconds");
  }
  if (request.bill == Bill::period) expect_within(judge, "bill", seconds, request.period_seconds);
  if (!request.recompute) expect_no_recomputation(judge);
  if (!request.offload) expect_no_offloading(judge);
}

void judge_predicted(const Judge& judge, const Simulation& simulation) {
  PredictedCheck(judge, simulation).run();
}

void judge_derived_fields(const Judge& judge, const Simulation& simulation) {
  for (int i = 0; i < static_cast<int>(judge.schedule.actions.size()); ++i) {
    const Action& action = judge.schedule.actions[i];
    const ActionId id{i};
    expect_derived(judge, id, "start_seconds", action.start_seconds, simulation.start_seconds[i],
                   simulation.makespan_seconds);
    expect_derived(judge, id, "seconds", action.seconds, simulation.seconds[i], 0);
    expect_derived(judge, id, "joules", action.joules, simulation.joules[i], 0);
  }
}

void judge_proof(const Judge& judge, const Simulation& simulation) {
  const Proof& proof = judge.schedule.predicted.objective;
  const double value = objective_value(judge.schedule, simulation);
  const std::string where = "/predicted/objective/";
  if (proof.lower_bound > value && !same_number(proof.lower_bound, value)) {
    judge.report(22, where + "lower_bound",
                 fmt::format("{}; expected at most the value, {}", proof.lower_bound, value));
  }
  const double gap = value == 0 ? 0 : (value - proof.lower_bound) / value;
  if (!same_number(proof.gap, gap, 1e3)) {  // 1e-9 of 1: a gap is relative already
    judge.report(22, where + "gap", fmt::format("{}; expected {}", proof.gap, gap));
  }
  if (judge.schedule.predicted.optimal && gap > 1e-9) {
    judge.report(22, "/predicted/optimal",
                 fmt::format("true with a gap of {}; expected a bound that meets the value", gap));
  }
}

}  // namespace stint
