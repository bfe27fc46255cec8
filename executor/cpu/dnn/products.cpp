#include "executor/cpu/dnn/products.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>

#include "executor/cpu/dnn/dnn_kernel.hpp"

namespace stint {
namespace {

using dnnl::memory;

// So many matrices, one after the other; a transposed one lies column by column.
struct Matrices {
  DnnPlace place;
  std::int64_t count = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool transposed = false;
};

Matrices transpose_of(Matrices m) {
  std::swap(m.rows, m.columns);
  m.transposed = !m.transposed;
  return m;
}

memory::desc form_of(const Matrices& m) {
  memory::dims sizes = {m.rows, m.columns};
  memory::dims strides = m.transposed ? memory::dims{1, m.rows} : memory::dims{m.columns, 1};
  if (m.count > 1) {
    sizes.insert(sizes.begin(), m.count);
    strides.insert(strides.begin(), m.rows * m.columns);
  }
  return {sizes, memory::data_type::f32, strides};
}

std::int64_t product_of(const std::vector<std::int64_t>& sizes, std::size_t but_last) {
  return std::accumulate(sizes.begin(), sizes.end() - but_last, std::int64_t{1},
                         std::multiplies<>());
}

// All dimensions but the last are rows.
Matrices rows_of(const KernelOperand& operand, DnnPlace place) {
  return {place, 1, product_of(operand.shape, 1), operand.shape.back()};
}

// One matrix for all dimensions but the last two.
Matrices matrices_of(const KernelOperand& operand, DnnPlace place) {
  const auto& shape = operand.shape;
  return {place, product_of(shape, 2), shape[shape.size() - 2], shape.back()};
}

// result = left right + bias, if there is one.
void add_product(const Matrices& left, const Matrices& right, const Matrices& result,
                 const Matrices* bias, DnnKernel& kernel) {
  const memory::desc bias_form = bias ? form_of(*bias) : memory::desc();
  const auto chosen = chosen_implementation([&] {
    return bias ? dnnl::matmul::primitive_desc(dnn_engine(), form_of(left), form_of(right),
                                               bias_form, form_of(result), dnn_attributes())
                : dnnl::matmul::primitive_desc(dnn_engine(), form_of(left), form_of(right),
                                               form_of(result), dnn_attributes());
  });
  std::vector<DnnOperand> operands;
  const auto add = [&](int name, const Matrices& m) {
    operands.push_back({name, m.place, form_of(m), form_of(m)});
  };
  add(DNNL_ARG_SRC, left);
  add(DNNL_ARG_WEIGHTS, right);
  add(DNNL_ARG_DST, result);
  if (bias) add(DNNL_ARG_BIAS, *bias);
  kernel.add(chosen, operands);
}

// The sums of columns, in double precision and row after row: the same bits everywhere.
void sum_columns(const float* matrix, std::int64_t rows, std::int64_t columns, float* sums) {
  constexpr std::int64_t tile = 64;
  for (std::int64_t first = 0; first < columns; first += tile) {
    const std::int64_t width = std::min(tile, columns - first);
    std::array<double, tile> sum{};
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* from = matrix + row * columns + first;
      for (std::int64_t i = 0; i < width; ++i) sum[i] += static_cast<double>(from[i]);
    }
    for (std::int64_t i = 0; i < width; ++i) sums[first + i] = static_cast<float>(sum[i]);
  }
}

// The gradient of a linear layer's weight by oneDNN, and that of its bias by a loop.
class LinearWeights : public DnnKernel {
 public:
  explicit LinearWeights(const TaskKernel& task)
      : has_bias_(task.writes.size() > 1), dy_(rows_of(task.reads[1], read_place(1))) {
    add_product(transpose_of(dy_), rows_of(task.reads[0], read_place(0)),
                rows_of(task.writes[0], write_place(0)), nullptr, *this);
  }

  void run(const KernelArguments& arguments) override {
    DnnKernel::run(arguments);
    if (!has_bias_) return;
    sum_columns(reinterpret_cast<const float*>(arguments.reads[1]), dy_.rows, dy_.columns,
                reinterpret_cast<float*>(arguments.writes[1]));
  }

 private:
  bool has_bias_;
  Matrices dy_;
};

// left right, whose result is stored transposed if so said.
void add_stored(const Matrices& left, const Matrices& right, const Matrices& result,
                bool transposed, DnnKernel& kernel) {
  if (transposed)
    add_product(transpose_of(right), transpose_of(left), result, nullptr, kernel);
  else
    add_product(left, right, result, nullptr, kernel);
}

}  // namespace

std::unique_ptr<CpuKernel> make_linear(const TaskKernel& task) {
  if (task.op == "linear.backward_weights") return std::make_unique<LinearWeights>(task);
  auto kernel = std::make_unique<DnnKernel>();
  const Matrices result = rows_of(task.writes[0], write_place(0));
  if (task.op == "linear.forward") {
    const Matrices bias{read_place(2), 1, 1, result.columns};
    add_product(rows_of(task.reads[0], read_place(0)),
                transpose_of(rows_of(task.reads[1], read_place(1))), result,
                task.reads.size() > 2 ? &bias : nullptr, *kernel);
  } else {
    add_product(rows_of(task.reads[1], read_place(1)), rows_of(task.reads[0], read_place(0)),
                result, nullptr, *kernel);
  }
  return kernel;
}

std::unique_ptr<CpuKernel> make_matmul(const TaskKernel& task, const Matmul& layer) {
  auto kernel = std::make_unique<DnnKernel>();
  const Matrices first = matrices_of(task.reads[0], read_place(0));
  const Matrices second = matrices_of(task.reads[1], read_place(1));
  const Matrices result = matrices_of(task.writes[0], write_place(0));
  const auto factor = [](const Matrices& m, bool transposed) {
    return transposed ? transpose_of(m) : m;
  };
  if (task.op == "matmul.forward")
    add_product(factor(first, layer.transpose_a), factor(second, layer.transpose_b), result,
                nullptr, *kernel);
  else if (task.op == "matmul.backward_a")  // reads b and dy
    add_stored(second, factor(first, !layer.transpose_b), result, layer.transpose_a, *kernel);
  else  // reads a and dy
    add_stored(factor(first, !layer.transpose_a), second, result, layer.transpose_b, *kernel);
  return kernel;
}

}  // namespace stint
