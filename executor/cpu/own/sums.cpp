// Sums and products of tensors of one shape; others broadcast.
#include "executor/cpu/own/broadcasts.hpp"
#include "executor/cpu/own/lanes.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

void add(std::int64_t count, const float* a, const float* b, float* y) {
  map_elements(count, y, [=](auto load) { return load(a) + load(b); });
}

// More than two are added in their order. The output may lie where the last input does, which is
// thus read before it is written.
void add_all(std::int64_t count, const KernelArguments& arguments) {
  map_elements(count, write_at(arguments, 0), [&](auto load) {
    Lanes sum = load(read_at(arguments, 0));
    for (std::size_t i = 1; i < arguments.reads.size(); ++i) sum += load(read_at(arguments, i));
    return sum;
  });
}

bool broadcasts(const TaskKernel& kernel) {
  return kernel.reads.size() == 2 && kernel.reads[0].shape != kernel.reads[1].shape;
}

std::unique_ptr<CpuKernel> make_add(const TaskKernel& kernel) {
  if (broadcasts(kernel)) return make_broadcast_sum(kernel);
  const std::int64_t count = element_count(kernel.writes[0]);
  if (kernel.reads.size() == 2) {
    return loop_kernel([count](const KernelArguments& a) {
      add(count, read_at(a, 0), read_at(a, 1), write_at(a, 0));
    });
  }
  return loop_kernel([count](const KernelArguments& a) { add_all(count, a); });
}

std::unique_ptr<CpuKernel> make_mul(const TaskKernel& kernel) {
  if (broadcasts(kernel)) return make_broadcast_product(kernel);
  return loop_kernel([count = element_count(kernel.writes[0])](const KernelArguments& arguments) {
    const float* a = read_at(arguments, 0);
    const float* b = read_at(arguments, 1);
    map_elements(count, write_at(arguments, 0), [=](auto load) { return load(a) * load(b); });
  });
}

std::unique_ptr<CpuKernel> make_mul_backward_b(const TaskKernel& kernel) {
  const bool is_smaller = kernel.writes[0].shape != kernel.reads[0].shape;
  return is_smaller ? make_sums_of_products(kernel) : make_mul(kernel);
}

constexpr OwnKernel kernels[] = {{"add.forward", make_add},
                                 {"add.backward_b", make_sums},
                                 {"sum", make_add},
                                 {"mul.forward", make_mul},
                                 {"mul.backward_a", make_mul},
                                 {"mul.backward_b", make_mul_backward_b}};

}  // namespace

OwnKernels sum_kernels() { return kernels; }

}  // namespace stint
