// Prices of caches, from a clock that knows them, and times of tasks without their traffic.
#include "executor/calibrate/measure_caches.hpp"

#include <catch2/catch.hpp>

#include "schedules/cache_traffic.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

Device with_caches(int workers) {
  Device device;
  device.name = "cpu";
  device.workers = workers;
  device.caches = {{1, 32 << 10, 1}, {2, 1 << 20, 1}, {3, 32 << 20, 8}};
  return device;
}

// Bytes beyond the worker's share of each level cost 1, 2 and 4 ps more.
ByteClock made_up(std::int64_t share_of_third) {
  return [share_of_third](std::int64_t bytes) {
    return 1e-11 + (bytes > 32 << 10 ? 1e-12 : 0) + (bytes > 1 << 20 ? 2e-12 : 0) +
           (bytes > share_of_third ? 4e-12 : 0);
  };
}

}  // namespace

TEST_CASE("each cache is priced by what a byte costs beyond it", "[calibrate]") {
  const int workers = GENERATE(1, 2, 8);
  const TimeModel prices = cache_prices_of(with_caches(workers), made_up((32 << 20) / workers));
  CHECK(prices.terms.at("level1").value == Approx(1e-12));
  CHECK(prices.terms.at("level2").value == Approx(2e-12));
  CHECK(prices.terms.at("level3").value == Approx(4e-12));
  CHECK(prices.terms.at("level3").basis == Basis::measured);
}

TEST_CASE("a cache beyond which nothing is slower has no price", "[calibrate]") {
  CHECK(cache_prices_of(with_caches(1), [](std::int64_t) { return 1e-11; }).terms.empty());
  CHECK(cache_prices_of(Device{}, made_up(1 << 20)).terms.empty());
}

TEST_CASE("this machine's clock reads something", "[calibrate]") {
  const double seconds = byte_clock(0, false)(1 << 14);
  CHECK(seconds > 0);
  CHECK(seconds < 1e-6);
}

TEST_CASE("traffic in listed order is taken out of the times of tasks, but for a quarter",
          "[calibrate]") {
  const Network network = read_network(bundled("models/lenet5.json"));
  const NetworkStep step{network, {.batch = 8}};
  const LoweredNetwork lowered = lower_with_kernels(network, step.lowering);
  const StepClock ten = [](const NetworkStep&, const LoweredNetwork& l) {
    return std::vector<double>(l.graph.tasks.size(), 10.0);
  };
  Device device = with_caches(1);
  CHECK(without_traffic(ten, device)(step, lowered) == ten(step, lowered));
  device.time_model[cache_prices].terms["level1"] = {1e-3};
  double least = 10;
  double most = 0;
  for (const double seconds : without_traffic(ten, device)(step, lowered)) {
    least = std::min(least, seconds);
    most = std::max(most, seconds);
  }
  CHECK(least == 2.5);
  CHECK(most > 9);
  CHECK(most <= 10);
}
