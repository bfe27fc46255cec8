#include "benchmarks/starpu/starpu_call.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <numeric>

namespace stint {
namespace {

std::array<double, starpu_workers> busy;

void add_floats(const float* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double busy_seconds() { return std::accumulate(busy.begin(), busy.end(), 0.0); }
void forget_busy_seconds() { busy = {}; }

void clear_starpu_sum(void** buffers, void*) {
  std::memset(reinterpret_cast<void*>(STARPU_VECTOR_GET_PTR(buffers[0])), 0,
              std::size_t{STARPU_VECTOR_GET_NX(buffers[0])} * sizeof(float));
}

void add_starpu_sums(void** buffers, void*) {
  add_floats(reinterpret_cast<const float*>(STARPU_VECTOR_GET_PTR(buffers[1])),
             STARPU_VECTOR_GET_NX(buffers[0]),
             reinterpret_cast<float*>(STARPU_VECTOR_GET_PTR(buffers[0])));
}

void run_starpu_call(void** buffers, void* argument) {
  const double begin = clock_seconds();
  const StarpuCall& call = *static_cast<const StarpuCall*>(argument);
  const int worker = starpu_worker_get_id();
  call.jobs[worker]->run(call.step);
  for (const OwnSum& sum : call.sums)
    add_floats(reinterpret_cast<const float*>(sum.from), sum.floats,
               reinterpret_cast<float*>(STARPU_VECTOR_GET_PTR(buffers[sum.buffer])));
  busy[worker] += clock_seconds() - begin;
}

}  // namespace stint
