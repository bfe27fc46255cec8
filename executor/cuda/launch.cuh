// The one place where kernels of our own are launched. Each is a struct of sizes and pointers, with
// what it does to one element, or to one row that is summed up, written once for devices and for
// the host: `elements` runs it for every index, `rows` sums every row by so many lanes and a fixed
// tree, then lets every lane finish its share. So a row's sum has the same order of additions
// everywhere.
//
// Every launch says which bytes it reads and writes. On a GPU nobody asks; a test may put a host
// implementation of the CUDA runtime in place of the real one, which defines the two functions
// below, runs the host's version, and watches for races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "executor/cuda/calls.hpp"

extern "C" {
struct stint_device_range {
  const void* first;
  std::size_t bytes;
  int writes;
};
__attribute__((weak)) void stint_host_kernel(const void* kernel, const char* name,
                                             const std::size_t* argument_bytes, int argument_count,
                                             void (*run)(void** arguments));
__attribute__((weak)) void stint_host_ranges(const stint_device_range* ranges, int count);
}

namespace stint {

using DeviceRanges = std::initializer_list<stint_device_range>;

template <typename Number>
stint_device_range reads(const Number* first, std::int64_t count) {
  return {first, first == nullptr ? 0 : static_cast<std::size_t>(count) * sizeof(Number), 0};
}
template <typename Number>
stint_device_range writes(Number* first, std::int64_t count) {
  return {first, first == nullptr ? 0 : static_cast<std::size_t>(count) * sizeof(Number), 1};
}

inline void declare(DeviceRanges ranges) {
  if (stint_host_ranges != nullptr)
    stint_host_ranges(ranges.begin(), static_cast<int>(ranges.size()));
}

constexpr int lanes_of_row = 256;  // threads of a block
constexpr std::int64_t most_blocks = 0x7fffffff;

template <typename Element>
__global__ void run_elements(Element element, std::int64_t count) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) element(i);
}
template <typename Element>
void run_elements_on_host(void** arguments) {
  const auto& element = *static_cast<const Element*>(arguments[0]);
  const std::int64_t count = *static_cast<const std::int64_t*>(arguments[1]);
  for (std::int64_t i = 0; i < count; ++i) element(i);
}

template <typename Row>
__global__ void run_rows(Row row, std::int64_t) {
  __shared__ typename Row::Sum sums[lanes_of_row];
  const std::int64_t at = blockIdx.x;
  const int lane = static_cast<int>(threadIdx.x);
  sums[lane] = row.sum(at, lane);
  for (int half = lanes_of_row / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) sums[lane] = Row::merged(sums[lane], sums[lane + half]);
  }
  __syncthreads();
  row.finish(at, sums[0], lane);
}
template <typename Row>
void run_rows_on_host(void** arguments) {
  const auto& row = *static_cast<const Row*>(arguments[0]);
  const std::int64_t count = *static_cast<const std::int64_t*>(arguments[1]);
  typename Row::Sum sums[lanes_of_row];
  for (std::int64_t at = 0; at < count; ++at) {
    for (int lane = 0; lane < lanes_of_row; ++lane) sums[lane] = row.sum(at, lane);
    for (int half = lanes_of_row / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane)
        sums[lane] = Row::merged(sums[lane], sums[lane + half]);
    for (int lane = 0; lane < lanes_of_row; ++lane) row.finish(at, sums[0], lane);
  }
}

template <typename Body>
void know_on_host(void (*kernel)(Body, std::int64_t), const char* name, void (*run)(void**)) {
  static_assert(std::is_trivially_copyable_v<Body>);
  if (stint_host_kernel == nullptr) return;
  constexpr std::size_t bytes[] = {sizeof(Body), sizeof(std::int64_t)};
  stint_host_kernel(reinterpret_cast<const void*>(kernel), name, bytes, 2, run);
}

template <typename Body>
void launch(void (*kernel)(Body, std::int64_t), const char* name, cudaStream_t stream,
            std::int64_t count, std::int64_t blocks, DeviceRanges ranges, const Body& body) {
  if (blocks > most_blocks)
    throw CudaError(std::string("a launch of ") + name + " has too many elements; expected fewer");
  declare(ranges);
  kernel<<<static_cast<unsigned>(blocks), lanes_of_row, 0, stream>>>(body, count);
  expect_launched(name);
}

// element(i) for i < count.
template <typename Element>
void elements(const char* name, cudaStream_t stream, std::int64_t count, DeviceRanges ranges,
              const Element& element) {
  static const bool known =
      (know_on_host(run_elements<Element>, name, run_elements_on_host<Element>), true);
  static_cast<void>(known);
  if (count == 0) return;
  const std::int64_t blocks = (count + lanes_of_row - 1) / lanes_of_row;
  launch(run_elements<Element>, name, stream, count, blocks, ranges, element);
}

// row.finish(r, Σ over lanes of row.sum(r, lane), lane) for r < count and every lane.
template <typename Row>
void rows(const char* name, cudaStream_t stream, std::int64_t count, DeviceRanges ranges,
          const Row& row) {
  static const bool known = (know_on_host(run_rows<Row>, name, run_rows_on_host<Row>), true);
  static_cast<void>(known);
  if (count == 0) return;
  launch(run_rows<Row>, name, stream, count, count, ranges, row);
}

// Sums that rows are made of.
struct OneSum {
  double a;
};
struct TwoSums {
  double a, b;
};
__host__ __device__ inline OneSum added(OneSum left, OneSum right) { return {left.a + right.a}; }
__host__ __device__ inline TwoSums added(TwoSums left, TwoSums right) {
  return {left.a + right.a, left.b + right.b};
}

}  // namespace stint
