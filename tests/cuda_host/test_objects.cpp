#include "tests/cuda_host/test_objects.hpp"

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

cudaError_t launch_doubling(const float* x, float* y, int count, cudaStream_t stream) {
  const std::size_t argument_bytes[] = {sizeof(Doubling), sizeof(int)};
  stint_host_kernel(&kernel, "doubling", argument_bytes, 2, run_doubling);
  const std::size_t bytes = count * sizeof(float);
  const stint_device_range ranges[] = {{x, bytes, 0}, {y, bytes, 1}};
  stint_host_ranges(ranges, 2);
  Doubling doubling{x, y};
  void* arguments[] = {&doubling, &count};
  return cudaLaunchKernel(&kernel, dim3(1), dim3(32), arguments, 0, stream);
}

}  // namespace cuda_host
