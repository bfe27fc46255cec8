// What own kernels promise beyond their references: accuracy of functions, masks, results in the
// place of inputs, and what becomes of numbers that are none.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "executor/cpu/own/dropout_mask.hpp"
#include "executor/cpu/own/own_kernel.hpp"

using namespace stint;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

KernelOperand samples_of(std::vector<std::int64_t> shape, Element element = Element::f32) {
  return {.shape = std::move(shape), .element = element, .has_samples = true};
}

using Floats = std::vector<float>;

std::byte* bytes_at(void* data) { return static_cast<std::byte*>(data); }

// One output the size of the last input; in its place if `overwrites`.
Floats run_kernel(const TaskKernel& kernel, std::vector<Floats> inputs, bool overwrites = false) {
  Floats output(inputs.back().size());
  KernelArguments arguments;
  for (Floats& input : inputs) arguments.reads.push_back(bytes_at(input.data()));
  arguments.writes = {bytes_at(overwrites ? inputs.back().data() : output.data())};
  make_own_kernel(kernel)->run(arguments);
  return overwrites ? inputs.back() : output;
}

TaskKernel element_kernel(const std::string& op, LayerKind layer, std::int64_t count,
                          std::size_t reads = 1) {
  TaskKernel kernel{.op = op, .origin = std::move(layer)};
  kernel.reads.assign(reads, samples_of({1, count}));
  kernel.writes = {samples_of({1, count})};
  kernel.samples = kernel.batch = 1;
  return kernel;
}

Floats spread(float low, float high, std::size_t count) {
  Floats values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(count - 1);
  return values;
}

// The largest distance from the exact value, in units of the last place of a float.
template <typename Exact>
double worst_error(const std::string& op, LayerKind layer, const Floats& x, Exact exact) {
  const auto count = static_cast<std::int64_t>(x.size());
  const Floats y = run_kernel(element_kernel(op, std::move(layer), count), {x});
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = exact(static_cast<double>(x[i]));
    const auto nearest = std::abs(static_cast<float>(expected));
    const auto unit = static_cast<double>(std::nextafter(nearest, infinity) - nearest);
    worst = std::max(worst, std::abs(static_cast<double>(y[i]) - expected) / unit);
  }
  return worst;
}

}  // namespace

TEST_CASE("functions are exact to a few units in the last place", "[kernels]") {
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  CHECK(worst_error("sigmoid.forward", Sigmoid{}, spread(-80, 80, 100'003), sigmoid) < 4);
  CHECK(worst_error("tanh.forward", Tanh{}, spread(-12, 12, 100'003),
                    [](double x) { return std::tanh(x); }) < 3);
  CHECK(worst_error("tanh.forward", Tanh{}, spread(-1e-3F, 1e-3F, 1'003),
                    [](double x) { return std::tanh(x); }) < 2);
  const auto gelu = [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); };
  CHECK(worst_error("gelu.forward", Gelu{}, spread(-1, 8, 100'003), gelu) < 6);
}

TEST_CASE("gelu of large negative numbers is nearly zero", "[kernels]") {
  const Floats x = spread(-100, -1, 1'003);
  const Floats y = run_kernel(element_kernel("gelu.forward", Gelu{}, 1'003), {x});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact =
        static_cast<double>(x[i]) / 2 * std::erfc(-static_cast<double>(x[i]) / std::sqrt(2.0));
    CHECK(std::abs(static_cast<double>(y[i]) - exact) <=
          2e-7 * std::abs(static_cast<double>(x[i])));
  }
}

TEST_CASE("what is not a number stays so, and infinities have their limits", "[kernels]") {
  const Floats x = {not_a_number, infinity, -infinity, 0.0F};
  const auto run = [&](const std::string& op, LayerKind layer) {
    return run_kernel(element_kernel(op, std::move(layer), 4), {x});
  };
  for (const Floats& y : {run("relu.forward", Relu{}), run("relu.forward", Relu{6}),
                          run("sigmoid.forward", Sigmoid{}), run("tanh.forward", Tanh{}),
                          run("gelu.forward", Gelu{}), run("softmax.forward", Softmax{})})
    CHECK(std::isnan(y[0]));
  CHECK(run("relu.forward", Relu{})[1] == infinity);
  CHECK(run("relu.forward", Relu{6})[1] == 6.0F);
  CHECK(run("sigmoid.forward", Sigmoid{})[1] == 1.0F);
  CHECK(run("sigmoid.forward", Sigmoid{})[2] == 0.0F);
  CHECK(run("tanh.forward", Tanh{})[2] == -1.0F);
}

TEST_CASE("an output may take the place of the last input", "[kernels]") {
  const std::int64_t count = 35;
  const Floats kept = spread(-2, 2, count), dy = spread(1, -1, count);
  const auto [op, layer] =
      GENERATE(table<std::string, LayerKind>({{"relu.backward", Relu{}},
                                              {"gelu.backward", Gelu{}},
                                              {"sigmoid.backward", Sigmoid{}},
                                              {"tanh.backward", Tanh{}},
                                              {"mul.forward", Mul{}},
                                              {"add.forward", Add{}},
                                              {"softmax.backward", Softmax{}}}));
  const TaskKernel kernel = element_kernel(op, layer, count, 2);
  CAPTURE(op);
  CHECK(run_kernel(kernel, {kept, dy}, true) == run_kernel(kernel, {kept, dy}));
}

TEST_CASE("random bits are those of Philox 2x32-10", "[kernels]") {
  CHECK(random_bits({0, 0}, 0) == 0xff1dae59U);
  CHECK(random_bits({0x13198a2eU, 0}, 0x85a308d3243f6a88U) == 0xdd7ce038U);
}

TEST_CASE("dropout keeps its share, other elements in every step and layer", "[kernels]") {
  const std::int64_t count = 100'000;
  const auto masked = [&](std::int64_t step, std::int64_t seed, std::int64_t layer_seed) {
    const TaskKernel kernel =
        element_kernel("dropout.forward", Dropout{.probability = 0.3, .seed = layer_seed}, count);
    Floats ones(count, 1.0F), result(count);
    KernelArguments arguments;
    arguments.reads = {bytes_at(ones.data())};
    arguments.writes = {bytes_at(result.data())};
    arguments.step = step;
    arguments.seed = seed;
    make_own_kernel(kernel)->run(arguments);
    return result;
  };
  const auto agreeing = [&](const Floats& a, const Floats& b) {
    std::int64_t same = 0;
    for (std::size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
    return static_cast<double>(same) / count;
  };
  const Floats first = masked(0, 1, 2);
  CHECK(masked(0, 1, 2) == first);
  CHECK(agreeing(first, Floats(count, 0.0F)) == Approx(0.3).margin(0.006));
  CHECK(agreeing(first, Floats(count, 1.0F / 0.7F)) == Approx(0.7).margin(0.006));
  const double by_chance = 0.7 * 0.7 + 0.3 * 0.3;
  CHECK(agreeing(first, masked(1, 1, 2)) == Approx(by_chance).margin(0.008));
  CHECK(agreeing(first, masked(0, 2, 2)) == Approx(by_chance).margin(0.008));
  CHECK(agreeing(first, masked(0, 1, 3)) == Approx(by_chance).margin(0.008));
}

TEST_CASE("a label that is no class is seen in the loss and its gradient", "[kernels]") {
  const std::int32_t label = GENERATE(-1, 3, 2'000'000'000, -100);
  TaskKernel kernel{.op = "cross_entropy.forward", .origin = LossKind{CrossEntropy{}}};
  kernel.reads = {samples_of({2, 3}), samples_of({2}, Element::int32)};
  kernel.writes = {{.shape = {}}};
  kernel.samples = kernel.batch = 2;
  Floats prediction(6, 0.5F), gradient(6, 0.0F);
  std::vector<std::int32_t> labels = {1, label};
  float loss = 0;
  KernelArguments arguments;
  arguments.reads = {bytes_at(prediction.data()), bytes_at(labels.data())};
  arguments.writes = {bytes_at(&loss)};
  make_own_kernel(kernel)->run(arguments);
  CHECK(std::isnan(loss));
  kernel.op = "cross_entropy.backward";
  kernel.writes = {samples_of({2, 3})};
  arguments.writes = {bytes_at(gradient.data())};
  make_own_kernel(kernel)->run(arguments);
  CHECK_FALSE(std::isnan(gradient[0]));
  CHECK(std::isnan(gradient[3]));
}

TEST_CASE("statistics of a batch far from zero keep their digits", "[kernels]") {
  const std::int64_t rows = 5000;
  TaskKernel kernel{.op = "batch_norm.statistics", .origin = LayerKind{BatchNorm{}}};
  kernel.reads = {samples_of({rows, 2})};
  kernel.writes = {{.shape = {2, 2}}};
  Floats x(2 * rows), statistics(4);
  for (std::int64_t i = 0; i < rows; ++i) {
    x[2 * i] = 1000.0F + 0.125F * static_cast<float>(i % 2);
    x[2 * i + 1] = 7.0F;
  }
  KernelArguments arguments;
  arguments.reads = {bytes_at(x.data())};
  arguments.writes = {bytes_at(statistics.data())};
  make_own_kernel(kernel)->run(arguments);
  CHECK(statistics[0] == 1000.0625F);
  CHECK(statistics[2] == 0.00390625F);
  CHECK(statistics[1] == 7.0F);
  CHECK(statistics[3] == 0.0F);
}
