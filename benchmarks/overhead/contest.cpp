#include "benchmarks/overhead/contest.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "benchmarks/overhead/served.hpp"

namespace stint {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The first step, which wakes the threads up, is not timed.
double fastest_step(const Step& step, double seconds_per_round) {
  double fastest = std::numeric_limits<double>::infinity();
  step();
  const auto round_start = Clock::now();
  do {
    const auto start = Clock::now();
    step();
    fastest = std::min(fastest, seconds_since(start));
  } while (seconds_since(round_start) < seconds_per_round);
  return fastest;
}

// Twice, because a second step starts from what the first has left.
double checked_steps(const Contestant& contestant, const TaskShape& shape) {
  Stamps stamps(static_cast<int>(shape.tasks.size()));
  const Step step = contestant.prepare(shape, stamps.work());
  for (int i = 0; i < 2; ++i) {
    step();
    stamps.check(shape);
  }
  return 0;
}

void check(const Contestant& contestant, const TaskShape& shape) {
  const Round round = [&] { return checked_steps(contestant, shape); };
  Served(contestant.name, [&] { return round; }).round();
}

std::unique_ptr<Served> start(const Contestant& contestant, const TaskShape& shape, Work work,
                              double seconds_per_round) {
  return std::make_unique<Served>(contestant.name, [&]() -> Round {
    return [step = contestant.prepare(shape, work), seconds_per_round] {
      return fastest_step(step, seconds_per_round);
    };
  });
}

Timing summary(std::vector<double> round_seconds, double tasks) {
  std::sort(round_seconds.begin(), round_seconds.end());
  return {round_seconds.front() / tasks, round_seconds[round_seconds.size() / 2] / tasks};
}

}  // namespace

std::vector<Timing> time_per_task(const std::vector<Contestant>& contestants,
                                  const TaskShape& shape, Work work,
                                  const ContestOptions& options) {
  for (const auto& contestant : contestants) check(contestant, shape);
  std::vector<std::unique_ptr<Served>> served;
  for (const auto& contestant : contestants)
    served.push_back(start(contestant, shape, work, options.seconds_per_round));
  std::vector<std::vector<double>> seconds(served.size());
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t i = 0; i < served.size(); ++i) seconds[i].push_back(served[i]->round());
  std::vector<Timing> timings;
  for (const auto& rounds : seconds)
    timings.push_back(summary(rounds, static_cast<double>(shape.tasks.size())));
  return timings;
}

}  // namespace stint
