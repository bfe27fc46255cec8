#include "executor/cpu/dnn/products.hpp"

#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "executor/cpu/dnn/bias_sums.hpp"
#include "executor/cpu/dnn/weight_forms.hpp"

namespace stint {
namespace {

using dnnl::memory;

// So many matrices, one after the other; a transposed one lies column by column. A weight may be
// packed already.
struct Matrices {
  DnnPlace place;
  std::int64_t count = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool transposed = false;
  std::string order;
};

Matrices transpose_of(Matrices m) {
  std::swap(m.rows, m.columns);
  m.transposed = !m.transposed;
  return m;
}

WeightSizes weight_sizes(const Matrices& m) {
  return {{m.rows, m.columns}, m.transposed ? ListedAs::inputs_first : ListedAs::counted};
}

memory::desc form_of(const Matrices& m) {
  memory::dims sizes = {m.rows, m.columns};
  if (!m.order.empty()) return weight_form(weight_sizes(m), m.order);
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
  return {place, 1, product_of(operand.shape, 1), operand.shape.back(), false, operand.order};
}

// One matrix for all dimensions but the last two.
Matrices matrices_of(const KernelOperand& operand, DnnPlace place) {
  const auto& shape = operand.shape;
  return {place, product_of(shape, 2), shape[shape.size() - 2], shape.back()};
}

// Rows that begin several times 4 KiB apart share few sets of the cache: then a packed copy of the
// whole right factor pays, if enough rows use it and it is neither flat nor too large. Of powers of
// two the library thinks itself.
bool is_packed(const Matrices& left, const Matrices& right) {
  constexpr std::int64_t most_elements_packed = 4 << 20;  // 16 MiB
  const auto columns = static_cast<std::uint64_t>(right.columns);
  return !right.transposed && right.rows <= most_elements_packed / right.columns &&
         right.count == 1 && left.rows >= 128 && right.rows > 128 && columns > 2048 &&
         columns % 512 == 0 && !std::has_single_bit(columns);
}

memory::desc wanted_right(const Matrices& left, const Matrices& right) {
  if (!is_packed(left, right)) {
    Matrices listed = right;
    listed.order.clear();
    return form_of(listed);
  }
  return {{right.rows, right.columns}, memory::data_type::f32, memory::format_tag::any};
}

// result = left right + bias, if there is one.
void add_product(const Matrices& left, const Matrices& right, const Matrices& result,
                 const Matrices* bias, DnnKernel& kernel) {
  const memory::desc bias_form = bias ? form_of(*bias) : memory::desc();
  const memory::desc right_form = wanted_right(left, right);
  const auto chosen = chosen_implementation([&] {
    return bias ? dnnl::matmul::primitive_desc(dnn_engine(), form_of(left), right_form, bias_form,
                                               form_of(result), dnn_attributes())
                : dnnl::matmul::primitive_desc(dnn_engine(), form_of(left), right_form,
                                               form_of(result), dnn_attributes());
  });
  std::vector<DnnOperand> operands;
  const auto add = [&](int name, const Matrices& m, const memory::desc& wanted) {
    operands.push_back({name, m.place, form_of(m), wanted});
  };
  add(DNNL_ARG_SRC, left, form_of(left));
  add(DNNL_ARG_WEIGHTS, right, chosen.weights_desc());
  add(DNNL_ARG_DST, result, form_of(result));
  if (bias) add(DNNL_ARG_BIAS, *bias, bias_form);
  if (right.count == 1)
    kernel.set_weight_order([sizes = weight_sizes(right), wanted = chosen.weights_desc()] {
      return weight_order_text(sizes, wanted);
    });
  kernel.add(chosen, operands);
}

// left right, whose result is stored transposed if so said.
void add_stored(const Matrices& left, const Matrices& right, const Matrices& result,
                bool transposed, DnnKernel& kernel) {
  if (transposed)
    add_product(transpose_of(right), transpose_of(left), result, nullptr, kernel);
  else
    add_product(left, right, result, nullptr, kernel);
}

std::unique_ptr<CpuKernel> make_linear_weights(const TaskKernel& task) {
  auto kernel = std::make_unique<DnnKernelWithBias>(task, task.reads[1].shape.size() - 1);
  add_product(transpose_of(rows_of(task.reads[1], read_place(1))),
              rows_of(task.reads[0], read_place(0)), rows_of(task.writes[0], write_place(0)),
              nullptr, *kernel);
  return kernel;
}

}  // namespace

std::unique_ptr<CpuKernel> make_linear(const TaskKernel& task) {
  if (task.op == "linear.backward_weights") return make_linear_weights(task);
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
