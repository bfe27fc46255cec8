#include "tests/cuda_host/test_objects.hpp"

#include <cmath>

namespace cuda_host {
namespace {

struct Doubling {
  const float* x;
  float* y;
};

void run_doubling(void** arguments) {
  const auto& [x, y] = *static_cast<const Doubling*>(arguments[0]);
  for (int i = 0; i < *static_cast<const int*>(arguments[1]); ++i) y[i] = 2 * x[i];
}

const char kernel = 0;  // stands for the function that nvcc would make

}  // namespace

cudaError_t launch_doubling(const float* x, int declared_x, float* y, int declared_y, int count,
                            cudaStream_t stream) {
  const std::size_t argument_bytes[] = {sizeof(Doubling), sizeof(int)};
  stint_host_kernel(&kernel, "doubling", argument_bytes, 2, run_doubling);
  const stint_device_range ranges[] = {{x, declared_x * sizeof(float), 0},
                                       {y, declared_y * sizeof(float), 1}};
  stint_host_ranges(ranges, 2);
  Doubling doubling{x, y};
  void* arguments[] = {&doubling, &count};
  return cudaLaunchKernel(&kernel, dim3(1), dim3(32), arguments, 0, stream);
}

cudaError_t launch_doubling(const float* x, float* y, int count, cudaStream_t stream) {
  return launch_doubling(x, count, y, count, count, stream);
}

Floats random_floats(std::size_t count, std::mt19937_64& random) {
  Floats values(count);
  for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
  return values;
}

void expect_near(const Floats& found, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < found.size(); ++i)
    expect(std::abs(found[i] - expected[i]) < 1e-4, "element " + std::to_string(i) + " is " +
                                                        std::to_string(found[i]) + "; expected " +
                                                        std::to_string(expected[i]));
}

}  // namespace cuda_host
