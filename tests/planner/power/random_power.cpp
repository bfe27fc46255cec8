#include "tests/planner/power/random_power.hpp"

#include <random>

namespace stint {
namespace {

class Making {
 public:
  Making(std::uint64_t seed, const RandomPowerOptions& options)
      : random_(seed), options_(options) {}

  PowerProblem make() {
    problem_.units.resize(options_.lanes);
    if (options_.costly_switches) add_switch_costs();
    last_.assign(options_.lanes, -1);
    for (int a = 0; a < options_.actions; ++a) add_action(a);
    problem_.watts = below(3) == 0 ? 0 : number(60);
    problem_.fixed_joules = number(10);
    set_deadline();
    return std::move(problem_);
  }

 private:
  int below(int most) { return static_cast<int>(random_() % static_cast<std::uint64_t>(most)); }
  double number(int most) { return below(most * 100) / 100.0; }

  void add_switch_costs() {
    for (PowerUnit& unit : problem_.units) {
      for (int s = 0; s < options_.states; ++s)
        unit.entering.push_back({number(1) * 0.3, number(4)});
    }
  }

  void add_action(int a) {
    PowerAction action;
    action.unit = below(options_.lanes);
    if (last_[action.unit] >= 0) action.after.push_back(last_[action.unit]);
    if (a > 0 && below(2) == 0) action.after.push_back(below(a));
    last_[action.unit] = a;
    const double seconds = 0.1 + number(3);
    for (int s = 0; s < options_.states; ++s) {
      const double speed = 1.0 / (s + 1) + number(1) * 0.3;
      action.choices.push_back({seconds / speed, (5 + number(40)) * speed * seconds});
    }
    const bool shares = options_.shared_states && problem_.groups > 0 && below(2) == 0;
    action.group = shares ? below(problem_.groups) : problem_.groups++;
    problem_.actions.push_back(std::move(action));
  }

  void set_deadline() {
    if (below(4) == 0) return;
    const auto seconds = [&](int state) {
      return price(problem_, PowerChoices(problem_.actions.size(), state)).seconds;
    };
    const double fast = seconds(0);
    const double slow = seconds(options_.states - 1);
    problem_.deadline_seconds = fast + (slow - fast) * (below(110) - 5) / 100.0;
  }

  std::mt19937_64 random_;
  RandomPowerOptions options_;
  PowerProblem problem_;
  std::vector<int> last_;
};

}  // namespace

PowerProblem random_power(std::uint64_t seed, const RandomPowerOptions& options) {
  return Making(seed, options).make();
}

}  // namespace stint
