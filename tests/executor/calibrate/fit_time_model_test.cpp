// Time models of machines whose prices are known.
#include "executor/calibrate/fit_time_model.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "schedules/cost.hpp"
#include "tests/executor/calibrate/made_up_machine.hpp"

using namespace stint;

namespace {

// Flops and bytes from a thousand to a billion, priced by the model.
std::vector<Observation> priced(const TimeModel& prices, int count) {
  std::mt19937_64 engine(1);
  const auto size = [&] { return std::pow(10.0, 3 + static_cast<double>(engine() % 6001) / 1000); };
  std::vector<Observation> seen;
  for (int i = 0; i < count; ++i) {
    const Task task = costs(size(), size());
    seen.push_back({task, modelled_seconds(task, prices)});
  }
  return seen;
}

}  // namespace

TEST_CASE("the fit finds a machine's prices and where its caches end", "[calibrate]") {
  const TimeModel machine{.terms = {{"constant", 2e-6}, {"flops", 1e-11}, {"bytes", 3e-11}},
                          .knots = {{"bytes", {{1 << 20, 5e-11}, {32 << 20, 2e-10}}}}};
  const TimeModel fitted =
      fit_time_model(priced(machine, 60), {32 << 10, 1 << 20, 16 << 20, 32 << 20});
  REQUIRE(fitted.terms.size() == 3);
  for (const auto& [name, price] : machine.terms)
    CHECK(fitted.terms.at(name).value == Approx(price.value).epsilon(1e-6));
  REQUIRE(fitted.knots.at("bytes").size() == 2);
  CHECK(fitted.knots.at("bytes").at(1 << 20).value == Approx(5e-11).epsilon(1e-6));
  CHECK(fitted.knots.at("bytes").at(32 << 20).value == Approx(2e-10).epsilon(1e-6));
  CHECK(fitted.terms.at("flops").basis == Basis::calibrated);
}

TEST_CASE("a reading that went wrong does not bend the fit", "[calibrate]") {
  const TimeModel machine{.terms = {{"constant", 1e-6}, {"flops", 1e-11}, {"bytes", 2e-11}}};
  std::vector<Observation> seen = priced(machine, 40);
  seen[7].seconds *= 3;
  seen[23].seconds *= 2;
  const TimeModel fitted = fit_time_model(seen, {});
  for (const auto& [name, price] : machine.terms)
    CHECK(fitted.terms.at(name).value == Approx(price.value).epsilon(0.02));
}

TEST_CASE("features of tasks are priced, and what has no price is left out", "[calibrate]") {
  const TimeModel machine{.terms = {{"tile_flops", 1e-11}, {"patch_elements", 4e-10}}};
  std::vector<Observation> seen;
  for (int i = 1; i <= 12; ++i) {
    Task task = costs(1e6 * i, 100);
    task.features = {{"tile_flops", 1e6 * i}, {"patch_elements", 1e4 * (i * 7 % 13)}};
    seen.push_back({task, modelled_seconds(task, machine)});
  }
  const TimeModel fitted = fit_time_model(seen, {});
  for (const Observation& one : seen)
    CHECK(modelled_seconds(one.task, fitted) == Approx(one.seconds).epsilon(1e-6));
  CHECK(fitted.terms.at("patch_elements").value == Approx(4e-10).epsilon(1e-6));
  CHECK(fitted.knots.empty());
}

TEST_CASE("held-out shapes do not move the fit", "[calibrate]") {
  const TimeModel machine{.terms = {{"constant", 1e-6}, {"flops", 1e-11}}};
  std::vector<Observation> seen = priced(machine, 20);
  const TimeModel fitted = fit_time_model(seen, {});
  for (int i = 0; i < 10; ++i) seen.push_back({costs(1e6, 1e6), 1.0, true});
  CHECK(fit_time_model(seen, {}) == fitted);
}

TEST_CASE("knots are the caches and a worker's shares of them", "[calibrate]") {
  CHECK(cache_knots({{1, 32768, 1}, {2, 1 << 20, 1}, {3, 32 << 20, 4}}) ==
        std::vector<std::int64_t>{16384, 32768, 65536, 1 << 19, 1 << 20, 2 << 20, 4 << 20, 8 << 20,
                                  16 << 20, 32 << 20});
  CHECK(cache_knots({{1, 0, 1}}).empty());
  CHECK(cache_knots({}).empty());
}
