#include "executor/cpu/dnn/dnn_kernels.hpp"

#include <omp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include "files/input_error.hpp"
#include "tests/executor/cpu/plain_layers.hpp"

using namespace stint;

namespace {

// Every number within float rounding of what it should be, relative to the greatest.
void require_close(const Numbers& found, const Numbers& expected) {
  REQUIRE(found.size() == expected.size());
  double scale = 0;
  for (const double number : expected) scale = std::max(scale, std::abs(number));
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    worst = std::max(worst, std::isnan(difference) ? HUGE_VAL : difference);
  }
  REQUIRE(worst <= 2e-5 * scale + 1e-6);
}

std::vector<Numbers> all_reads(const TaskKernel& task, const TaskMemory& memory) {
  std::vector<Numbers> reads;
  for (std::size_t i = 0; i < task.reads.size(); ++i) reads.push_back(memory.read(i));
  return reads;
}

using Bytes = std::vector<std::byte>;

std::vector<Bytes> all_writes(const TaskKernel& task, const TaskMemory& memory) {
  std::vector<Bytes> writes;
  for (std::size_t i = 0; i < task.writes.size(); ++i) writes.push_back(memory.written_bytes(i));
  return writes;
}

void require_right(const TaskKernel& task) {
  const auto kernel = make_dnn_kernel(task);
  CAPTURE(task.op, kernel->algorithm());
  TaskMemory memory(task, kernel->workspace_bytes(), 7);
  kernel->run(memory.arguments());
  const auto expected = plain_results(task, all_reads(task, memory));
  for (std::size_t i = 0; i < expected.size(); ++i) require_close(memory.written(i), expected[i]);
}

// Not for maxima, whose backward pass reads what forward wrote.
void require_right(const OneLayer& layer, std::size_t tasks) {
  for (const ImageLayout layout : {ImageLayout::nhwc, ImageLayout::nchw}) {
    CAPTURE(to_string(layout));
    const auto found = tasks_of(layer, layout);
    REQUIRE(found.size() == tasks);
    for (const TaskKernel& task : found) require_right(task);
  }
}

// Forward with indices, forward without, and backward.
void require_right_maxima(const OneLayer& layer, ImageLayout layout) {
  const TaskKernel forward = task_of(layer, layout, "max_pool2d.forward");
  const TaskKernel backward = task_of(layer, layout, "max_pool2d.backward");
  const auto kernel = make_dnn_kernel(forward);
  CAPTURE(to_string(layout), kernel->algorithm());
  TaskMemory memory(forward, kernel->workspace_bytes(), 3);
  TaskMemory without(forward, kernel->workspace_bytes(), 3);
  without.leave_out_write(1);
  kernel->run(memory.arguments());
  kernel->run(without.arguments());
  REQUIRE(memory.written(0) == plain_results(forward, {memory.read(0)})[0]);
  REQUIRE(without.written_bytes(0) == memory.written_bytes(0));

  const auto gradient = make_dnn_kernel(backward);
  TaskMemory back(backward, gradient->workspace_bytes(), 4);
  back.set_read(0, memory.written_bytes(1));
  gradient->run(back.arguments());
  require_close(back.written(0),
                plain_max_gradient(forward, backward, memory.read(0), back.read(1)));
}

// A layer of every kind, large enough for threads to be worth while to the library.
std::vector<OneLayer> large_layers() {
  return {{Conv2d{.filters = 48, .kernel = {3, 3}, .padding = {1, 1, 1, 1}}, {{4, 32, 28, 28}}},
          {Conv2d{.filters = 32, .kernel = {3, 3}, .groups = 32}, {{4, 32, 28, 28}}},
          {ConvTranspose2d{.filters = 16, .kernel = {2, 2}, .stride = {2, 2}}, {{4, 32, 14, 14}}},
          {AvgPool2d{.kernel = {3, 3}, .stride = {2, 2}}, {{4, 32, 28, 28}}},
          {GlobalAvgPool{}, {{4, 64, 28, 28}}},
          {Linear{.features = 200}, {{64, 300}}},
          {Matmul{.transpose_b = true}, {{4, 8, 64, 32}, {4, 8, 64, 32}}}};
}

std::vector<Bytes> results_of(const TaskKernel& task) {
  const auto kernel = make_dnn_kernel(task);
  TaskMemory memory(task, kernel->workspace_bytes(), 11);
  kernel->run(memory.arguments());
  return all_writes(task, memory);
}

}  // namespace

TEST_CASE("convolutions are what plain loops compute", "[dnn]") {
  const auto [name, layer] = GENERATE(table<std::string, OneLayer>({
      {"3×3", {Conv2d{.filters = 8, .kernel = {3, 3}, .padding = {1, 1, 1, 1}}, {{2, 16, 7, 9}}}},
      {"one channel",
       {Conv2d{.filters = 6, .kernel = {5, 5}, .padding = {2, 2, 2, 2}}, {{4, 1, 12, 12}}}},
      {"three channels, stride",
       {Conv2d{.filters = 17, .kernel = {7, 7}, .stride = {2, 2}, .padding = {3, 3, 3, 3}},
        {{1, 3, 15, 13}}}},
      {"odd counts", {Conv2d{.filters = 7, .kernel = {3, 2}, .stride = {2, 1}}, {{1, 5, 9, 11}}}},
      {"1×1", {Conv2d{.filters = 20, .kernel = {1, 1}, .bias = false}, {{2, 24, 5, 5}}}},
      {"1×1, stride", {Conv2d{.filters = 32, .kernel = {1, 1}, .stride = {2, 2}}, {{2, 32, 7, 6}}}},
      {"dilation",
       {Conv2d{.filters = 16, .kernel = {3, 3}, .padding = {2, 2, 2, 2}, .dilation = {2, 2}},
        {{2, 16, 9, 9}}}},
      {"lopsided padding",
       {Conv2d{.filters = 4, .kernel = {3, 3}, .stride = {2, 2}, .padding = {0, 1, 2, 0}},
        {{2, 6, 8, 8}}}},
      {"wide padding",
       {Conv2d{.filters = 4, .kernel = {3, 3}, .padding = {3, 3, 3, 3}}, {{1, 4, 4, 4}}}},
      {"groups",
       {Conv2d{.filters = 10, .kernel = {3, 3}, .padding = {1, 1, 1, 1}, .groups = 2},
        {{2, 6, 6, 5}}}},
      {"depthwise",
       {Conv2d{.filters = 32,
               .kernel = {3, 3},
               .stride = {2, 2},
               .padding = {1, 1, 1, 1},
               .groups = 32},
        {{2, 32, 9, 9}}}},
      {"depthwise, odd count",
       {Conv2d{.filters = 5, .kernel = {3, 3}, .groups = 5, .bias = false}, {{1, 5, 6, 6}}}},
      {"depthwise, dilation",
       {Conv2d{.filters = 16,
               .kernel = {3, 3},
               .padding = {2, 2, 2, 2},
               .dilation = {2, 2},
               .groups = 16},
        {{1, 16, 6, 6}}}},
      {"two filters a channel",
       {Conv2d{.filters = 8, .kernel = {3, 3}, .groups = 4}, {{1, 4, 5, 7}}}},
      {"one pixel", {Conv2d{.filters = 3, .kernel = {1, 1}}, {{3, 4, 1, 1}}}},
  }));
  CAPTURE(name);
  require_right(layer, 3);
}

TEST_CASE("transposed convolutions are what plain loops compute", "[dnn]") {
  const auto [name, layer] = GENERATE(table<std::string, OneLayer>({
      {"2×2, stride",
       {ConvTranspose2d{.filters = 16, .kernel = {2, 2}, .stride = {2, 2}}, {{2, 32, 5, 7}}}},
      {"4×4, padding",
       {ConvTranspose2d{.filters = 8, .kernel = {4, 4}, .stride = {2, 2}, .padding = {1, 1, 1, 1}},
        {{2, 16, 4, 4}}}},
      {"odd counts",
       {ConvTranspose2d{.filters = 3,
                        .kernel = {3, 3},
                        .stride = {2, 2},
                        .padding = {1, 1, 1, 1},
                        .output_padding = {1, 1}},
        {{1, 5, 4, 6}}}},
      {"no stride, no bias",
       {ConvTranspose2d{.filters = 7, .kernel = {3, 2}, .bias = false}, {{2, 3, 5, 5}}}},
      {"lopsided padding",
       {ConvTranspose2d{.filters = 4, .kernel = {3, 3}, .stride = {2, 1}, .padding = {0, 1, 1, 0}},
        {{1, 4, 5, 5}}}},
      {"dilation",
       {ConvTranspose2d{.filters = 4,
                        .kernel = {3, 3},
                        .padding = {0, 0, 1, 0},
                        .output_padding = {1, 0},
                        .dilation = {2, 2}},
        {{1, 4, 5, 5}}}},
      {"groups",
       {ConvTranspose2d{.filters = 6, .kernel = {3, 3}, .stride = {2, 2}, .groups = 2},
        {{2, 4, 4, 3}}}},
  }));
  CAPTURE(name);
  require_right(layer, 3);
}

TEST_CASE("more output padding than oneDNN can express is refused", "[dnn]") {
  const OneLayer layer = {
      ConvTranspose2d{.filters = 4, .kernel = {3, 3}, .output_padding = {1, 0}, .dilation = {2, 2}},
      {{1, 4, 5, 5}}};
  for (const TaskKernel& task : tasks_of(layer, ImageLayout::nhwc))
    REQUIRE_THROWS_AS(make_dnn_kernel(task), InputError);
}

TEST_CASE("averages are what plain loops compute", "[dnn]") {
  const auto [name, layer] = GENERATE(table<std::string, OneLayer>({
      {"2×2", {AvgPool2d{.kernel = {2, 2}, .stride = {2, 2}}, {{2, 16, 6, 8}}}},
      {"six channels", {AvgPool2d{.kernel = {2, 2}, .stride = {2, 2}}, {{3, 6, 7, 7}}}},
      {"padding left out",
       {AvgPool2d{.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1, 1, 1}}, {{1, 5, 6, 9}}}},
      {"padding counted",
       {AvgPool2d{
            .kernel = {3, 3}, .stride = {1, 2}, .padding = {1, 1, 1, 1}, .count_padding = true},
        {{2, 16, 6, 9}}}},
      {"a last window that is cut",
       {AvgPool2d{.kernel = {3, 3}, .stride = {2, 2}, .ceil = true}, {{2, 3, 6, 8}}}},
      {"a last window beyond the padding, which is counted",
       {AvgPool2d{.kernel = {3, 3},
                  .stride = {2, 2},
                  .padding = {1, 1, 1, 1},
                  .ceil = true,
                  .count_padding = true},
        {{2, 3, 6, 8}}}},
      {"windows apart", {AvgPool2d{.kernel = {1, 2}, .stride = {3, 4}}, {{2, 3, 6, 9}}}},
      {"over everything", {GlobalAvgPool{}, {{2, 20, 7, 5}}}},
      {"over one pixel", {GlobalAvgPool{}, {{2, 3, 1, 1}}}},
  }));
  CAPTURE(name);
  require_right(layer, 2);
}

TEST_CASE("maxima are what plain loops find, and their gradients go where they came from",
          "[dnn]") {
  const auto [name, layer] = GENERATE(table<std::string, OneLayer>({
      {"2×2", {MaxPool2d{.kernel = {2, 2}, .stride = {2, 2}}, {{2, 16, 6, 8}}}},
      {"six channels", {MaxPool2d{.kernel = {2, 2}, .stride = {2, 2}}, {{3, 6, 7, 7}}}},
      {"windows overlap",
       {MaxPool2d{.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1, 1, 1}}, {{2, 20, 9, 7}}}},
      {"one channel", {MaxPool2d{.kernel = {3, 2}, .stride = {1, 2}}, {{1, 1, 5, 6}}}},
      {"a last window that is cut",
       {MaxPool2d{.kernel = {3, 3}, .stride = {2, 2}, .ceil = true}, {{2, 3, 6, 8}}}},
      {"dilation",
       {MaxPool2d{.kernel = {3, 3}, .stride = {1, 2}, .padding = {1, 1, 1, 1}, .dilation = {2, 2}},
        {{2, 5, 8, 9}}}},
      {"254 places", {MaxPool2d{.kernel = {2, 127}, .stride = {2, 100}}, {{1, 3, 4, 230}}}},
      {"255 places", {MaxPool2d{.kernel = {15, 17}, .stride = {3, 3}}, {{1, 3, 20, 20}}}},
      {"256 places", {MaxPool2d{.kernel = {16, 16}, .stride = {3, 3}}, {{1, 3, 20, 20}}}},
      {"more than 256 places", {MaxPool2d{.kernel = {17, 16}, .stride = {2, 2}}, {{1, 3, 20, 20}}}},
  }));
  CAPTURE(name);
  for (const ImageLayout layout : {ImageLayout::nhwc, ImageLayout::nchw})
    require_right_maxima(layer, layout);
}

TEST_CASE("linear layers are what plain loops compute", "[dnn]") {
  const bool bias = GENERATE(true, false);
  const auto input = GENERATE(values<std::vector<std::int64_t>>(
      {{4, 40}, {1, 33}, {3, 1}, {2, 5, 24}, {64, 100}, {2, 3, 4, 7}}));
  const std::int64_t features = GENERATE(1, 10, 130);
  CAPTURE(bias, input, features);
  require_right({Linear{.features = features, .bias = bias}, {input}}, 3);
}

TEST_CASE("a linear layer whose rows begin at multiples of 4 KiB is what plain loops compute",
          "[dnn]") {
  require_right({Linear{.features = 130}, {{130, 2560}}}, 3);
}

TEST_CASE("products of activations are what plain loops compute", "[dnn]") {
  const bool transpose_a = GENERATE(false, true);
  const bool transpose_b = GENERATE(false, true);
  const auto batch = GENERATE(values<std::vector<std::int64_t>>({{2}, {1}, {2, 3}, {3, 1, 2}}));
  const auto [m, k, n] = GENERATE(table<std::int64_t, std::int64_t, std::int64_t>(
      {{5, 7, 3}, {16, 32, 48}, {1, 4, 9}, {6, 1, 1}}));
  const auto shape = [&](std::int64_t rows, std::int64_t columns, bool transposed) {
    auto sizes = batch;
    sizes.push_back(transposed ? columns : rows);
    sizes.push_back(transposed ? rows : columns);
    return sizes;
  };
  CAPTURE(transpose_a, transpose_b, batch, m, k, n);
  require_right(
      {Matmul{transpose_a, transpose_b}, {shape(m, k, transpose_a), shape(k, n, transpose_b)}}, 3);
}

TEST_CASE("a kernel gives the same bits every time, and those of another of its kind", "[dnn]") {
  for (const OneLayer& layer : large_layers()) {
    for (const TaskKernel& task : tasks_of(layer, ImageLayout::nhwc)) {
      CAPTURE(task.op);
      const auto kernel = make_dnn_kernel(task);
      TaskMemory memory(task, kernel->workspace_bytes(), 11);
      kernel->run(memory.arguments());
      const auto first = all_writes(task, memory);
      kernel->run(memory.arguments());
      REQUIRE(all_writes(task, memory) == first);
      REQUIRE(results_of(task) == first);
    }
  }
}

TEST_CASE("a kernel gives the same bits in a thread that may use several", "[dnn]") {
  for (const OneLayer& layer : large_layers()) {
    for (const TaskKernel& task : tasks_of(layer, ImageLayout::nhwc)) {
      CAPTURE(task.op);
      const auto expected = results_of(task);
      const auto kernel = make_dnn_kernel(task);
      TaskMemory memory(task, kernel->workspace_bytes(), 11);
      int threads_before = 0;
      int threads_after = 0;
      std::thread([&] {
        omp_set_num_threads(4);
        threads_before = omp_get_max_threads();
        kernel->run(memory.arguments());
        threads_after = omp_get_max_threads();
      }).join();
      REQUIRE(threads_before == 4);
      REQUIRE(threads_after == 1);
      REQUIRE(all_writes(task, memory) == expected);
      std::vector<Bytes> made_there;
      std::thread([&] {
        omp_set_num_threads(4);
        made_there = results_of(task);
      }).join();
      REQUIRE(made_there == expected);
    }
  }
}

TEST_CASE("what is left of a workspace changes nothing", "[dnn]") {
  const TaskKernel task = task_of(large_layers()[0], ImageLayout::nchw, "conv2d.backward_weights");
  const auto kernel = make_dnn_kernel(task);
  REQUIRE(kernel->workspace_bytes() > 0);
  TaskMemory memory(task, kernel->workspace_bytes(), 11);
  kernel->run(memory.arguments());
  const auto first = all_writes(task, memory);
  std::fill_n(memory.arguments().workspace, kernel->workspace_bytes(), std::byte{0x55});
  kernel->run(memory.arguments());
  REQUIRE(all_writes(task, memory) == first);
}

TEST_CASE("kernels name the library, its version and the implementation", "[dnn]") {
  for (const OneLayer& layer : large_layers()) {
    for (const TaskKernel& task : tasks_of(layer, ImageLayout::nchw)) {
      const std::string name = make_dnn_kernel(task)->algorithm();
      CAPTURE(task.op);
      CHECK_THAT(name, Catch::StartsWith("dnnl 3."));
      CHECK_THAT(name, !Catch::Contains("gemm:jit") && !Catch::Contains("ref:"));
    }
  }
}

TEST_CASE("oneDNN makes no kernels of other operations", "[dnn]") {
  REQUIRE(make_dnn_kernel({.op = "relu.forward", .origin = LayerKind{Relu{}}}) == nullptr);
  REQUIRE(make_dnn_kernel({.op = "sum"}) == nullptr);
}
