// Networks trained for real: they learn.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "executor/data/npy.hpp"
#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;
using Catch::Contains;

namespace {

struct Example {
  Network network;
  std::int64_t batch = 16;
};

Example example(int which) {
  switch (which) {
    case 0:
      return {bundled_network("mlp"), 16};
    case 1:
      return {bundled_network("lenet5"), 16};
    case 2:
      return {bundled_network("dahl_cnn"), 16};
    case 3:
      return {normalised_network(), 16};
    default:
      return {small_transformer(), 8};
  }
}

double mean_of(const std::vector<double>& loss, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += loss[i];
  return sum / static_cast<double>(count);
}

std::string npy_of(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return npy_text({NpyType::f4,
                   std::move(shape),
                   {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}});
}

}  // namespace

TEST_CASE("the loss of every kind of network falls", "[training]") {
  const Example it = example(GENERATE(0, 1, 2, 3, 4));
  CAPTURE(it.network.name);
  const Schedule schedule = planned(it.network, {.request = {.batch = it.batch}}).value();
  const RunReport report = trained(schedule, 30, {.held_out_batches = 2});
  REQUIRE(report.loss.size() == 30);
  CHECK(report.replayed_exactly);
  CHECK(mean_of(report.loss, 25, 5) < 0.99 * mean_of(report.loss, 0, 5));
  REQUIRE(report.evaluation);
  CHECK(report.evaluation->loss < report.loss[0]);
  CHECK(report.evaluation->accuracy.value() > 0.1);
}

TEST_CASE("leaves and seeds decide bits", "[training]") {
  const auto state_with = [](std::int64_t leaves, std::int64_t seed) {
    const auto schedule =
        planned(normalised_network(), {.request = {.batch = 16, .leaves = leaves}}).value();
    return trained(schedule, 2, {.seed = seed}).state_sha256;
  };
  const std::string once = state_with(4, 0);
  CHECK(once == state_with(4, 0));
  CHECK(once != state_with(2, 0));
  CHECK(once != state_with(4, 1));
}

TEST_CASE("micro-batches see the samples of their batch, and the loss is its mean", "[training]") {
  const Network network = bundled_network("dahl_cnn");
  const auto losses = [&](std::int64_t microbatches) {
    const Request request{.batch = 16, .microbatches = microbatches};
    return trained(planned(network, {.request = request}).value(), 3).loss;
  };
  const auto whole = losses(1);
  const auto parts = losses(4);
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(parts[i] == Approx(whole[i]).epsilon(1e-4));
}

TEST_CASE("a batch of one trains", "[training]") {
  const Example it = example(GENERATE(1, 3, 4));
  CAPTURE(it.network.name);
  const RunReport report = trained(planned(it.network, {.request = {.batch = 1}}).value(), 3);
  for (const double loss : report.loss) CHECK(std::isfinite(loss));
}

TEST_CASE("saved state goes on where it was, bit by bit", "[training]") {
  const TemporaryFolder folder;
  const Schedule schedule = planned(small_transformer(), {.request = {.batch = 4}}).value();
  const std::string file = folder.path("state.npz");
  const RunReport all = trained(schedule, 5);
  trained(schedule, 3, {.save_file = file});
  const RunReport rest = trained(schedule, 2, {.load_file = file});
  CHECK(rest.state_sha256 == all.state_sha256);
  CHECK(rest.loss == std::vector<double>(all.loss.begin() + 3, all.loss.end()));
}

TEST_CASE("state of another network is refused", "[training]") {
  const TemporaryFolder folder;
  const std::string file = folder.path("state.npz");
  trained(planned(small_transformer(), {.request = {.batch = 2}}).value(), 1, {.save_file = file});
  const Schedule other = planned(bundled_network("mlp"), {.request = {.batch = 2}}).value();
  CHECK_THROWS_WITH(trained(other, 1, {.load_file = file}),
                    Contains("--load") && Contains("fc1.weight"));
  CHECK_THROWS_AS(trained(other, 1, {.load_file = folder.file("bad.npz", "no zip")}), InputError);
}

TEST_CASE("what is not a number in the data is none in the report, and nothing else happens",
          "[training]") {
  const TemporaryFolder folder;
  std::vector<float> pixels(4 * 784, 0.5F);
  pixels[1000] =
      GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
  const std::string images = folder.file("x.npy", npy_of({4, 784}, pixels));
  const std::string labels = folder.file("y.npy", npy_of({4}, {0, 1, 2, 3}));
  const Schedule schedule = planned(bundled_network("mlp"), {.request = {.batch = 4}}).value();
  const RunReport report = trained(schedule, 2, {.data = "npy:" + images + "," + labels});
  CHECK(report.replayed_exactly);
  CHECK(std::isnan(report.loss[0]));
  CHECK(std::isnan(parse_run_report(run_report_text(report), "report").loss[0]));
}

TEST_CASE("costs alone are replayed where that is asked for", "[training]") {
  const Schedule schedule = planned(bundled_network("mlp"), {.request = {.batch = 2}}).value();
  CHECK(trained(schedule, 1, {.pace = Pace::none, .synthetic = true}).loss.empty());
  CHECK_THROWS_WITH(trained(schedule, 1, {.synthetic = true, .save_file = "state.npz"}),
                    Contains("--save"));
}
