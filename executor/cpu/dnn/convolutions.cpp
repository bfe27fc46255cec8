// Convolutions and their transposes. Images are wanted with their channels last, where every
// shape has an implementation that neither allocates nor falls back to a reference loop; weights
// are wanted as the implementation likes them.
#include "executor/cpu/dnn/convolutions.hpp"

#include "executor/cpu/dnn/dnn_forms.hpp"

namespace stint {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

struct Straight {
  using Forward = dnnl::convolution_forward::primitive_desc;
  using BackwardData = dnnl::convolution_backward_data::primitive_desc;
  using BackwardWeights = dnnl::convolution_backward_weights::primitive_desc;
  static constexpr auto algorithm = dnnl::algorithm::convolution_direct;
};

struct Transposed {
  using Forward = dnnl::deconvolution_forward::primitive_desc;
  using BackwardData = dnnl::deconvolution_backward_data::primitive_desc;
  using BackwardWeights = dnnl::deconvolution_backward_weights::primitive_desc;
  static constexpr auto algorithm = dnnl::algorithm::deconvolution_direct;
};

// What the three products of one layer have in common.
struct Problem {
  DnnWindow window;
  memory::desc input;
  memory::desc output;
  memory::desc weight;  // in listed order
  memory::desc any_weight;
  memory::desc bias;  // empty if there is none
};

struct Images {
  const KernelOperand& input;
  const KernelOperand& output;
};

// [filters, channels, kernel], with the groups before them if there are any. `tags` are those of
// the listed order without and with groups.
void set_weight(Problem& problem, std::int64_t filters, std::int64_t channels, std::int64_t groups,
                Tag plain, Tag grouped) {
  memory::dims sizes = {filters / groups, channels / groups, problem.window.kernel[0],
                        problem.window.kernel[1]};
  if (groups > 1) sizes.insert(sizes.begin(), groups);
  problem.weight = {sizes, memory::data_type::f32, groups > 1 ? grouped : plain};
  problem.any_weight = {sizes, memory::data_type::f32, Tag::any};
}

template <typename Layer>
Problem problem_of(const Layer& layer, const Images& images) {
  constexpr bool transposed = std::is_same_v<Layer, ConvTranspose2d>;
  Problem problem{.window = window_of(layer, layer.dilation),
                  .input = channels_last_form(images.input),
                  .output = channels_last_form(images.output)};
  set_weight(problem, images.output.shape[1], images.input.shape[1], layer.groups,
             transposed ? Tag::iohw : Tag::oihw, transposed ? Tag::giohw : Tag::goihw);
  return problem;
}

// Rows and columns that are added at the end, in whole strides, count as padding taken away there.
void add_output_padding(const ConvTranspose2d& layer, DnnWindow& window) {
  for (const int axis : {0, 1})
    window.padding_end[axis] -=
        layer.output_padding[axis] / layer.stride[axis] * layer.stride[axis];
}
void add_output_padding(const Conv2d&, DnnWindow&) {}

template <typename Kinds>
typename Kinds::Forward forward_of(const Problem& p) {
  return chosen_implementation([&] {
    return typename Kinds::Forward(dnn_engine(), dnnl::prop_kind::forward_training,
                                   Kinds::algorithm, p.input, p.any_weight, p.bias, p.output,
                                   p.window.stride, p.window.skipped, p.window.padding_begin,
                                   p.window.padding_end, dnn_attributes());
  });
}

template <typename Kinds>
void add_forward(const TaskKernel& task, const Problem& p, DnnKernel& kernel) {
  const auto chosen = forward_of<Kinds>(p);
  std::vector<DnnOperand> operands = {
      {DNNL_ARG_SRC, read_place(0), image_form(task.reads[0]), p.input},
      {DNNL_ARG_WEIGHTS, read_place(1), p.weight, chosen.weights_desc()},
      {DNNL_ARG_DST, write_place(0), image_form(task.writes[0]), p.output}};
  if (task.reads.size() > 2) operands.push_back({DNNL_ARG_BIAS, read_place(2), p.bias, p.bias});
  kernel.add(chosen, operands);
}

template <typename Kinds>
void add_backward_data(const TaskKernel& task, const Problem& p, DnnKernel& kernel) {
  const auto hint = forward_of<Kinds>(p);
  const auto chosen = chosen_implementation([&] {
    return typename Kinds::BackwardData(
        dnn_engine(), Kinds::algorithm, p.input, p.any_weight, p.output, p.window.stride,
        p.window.skipped, p.window.padding_begin, p.window.padding_end, hint, dnn_attributes());
  });
  kernel.add(chosen, {{DNNL_ARG_WEIGHTS, read_place(0), p.weight, chosen.weights_desc()},
                      {DNNL_ARG_DIFF_DST, read_place(1), image_form(task.reads[1]), p.output},
                      {DNNL_ARG_DIFF_SRC, write_place(0), image_form(task.writes[0]), p.input}});
}

template <typename Kinds>
void add_backward_weights(const TaskKernel& task, const Problem& p, DnnKernel& kernel) {
  const auto hint = forward_of<Kinds>(p);
  const auto chosen = chosen_implementation([&] {
    return typename Kinds::BackwardWeights(
        dnn_engine(), Kinds::algorithm, p.input, p.any_weight, p.bias, p.output, p.window.stride,
        p.window.skipped, p.window.padding_begin, p.window.padding_end, hint, dnn_attributes());
  });
  std::vector<DnnOperand> operands = {
      {DNNL_ARG_SRC, read_place(0), image_form(task.reads[0]), p.input},
      {DNNL_ARG_DIFF_DST, read_place(1), image_form(task.reads[1]), p.output},
      {DNNL_ARG_DIFF_WEIGHTS, write_place(0), p.weight, chosen.diff_weights_desc()}};
  if (task.writes.size() > 1)
    operands.push_back({DNNL_ARG_DIFF_BIAS, write_place(1), p.bias, p.bias});
  kernel.add(chosen, operands);
}

template <typename Kinds, typename Layer>
std::unique_ptr<CpuKernel> make(const TaskKernel& task, const Layer& layer) {
  const auto problem_between = [&](const KernelOperand& input, const KernelOperand& output) {
    Problem problem = problem_of(layer, {input, output});
    add_output_padding(layer, problem.window);
    return problem;
  };
  auto kernel = std::make_unique<DnnKernel>();
  if (task.op.ends_with(".forward")) {
    Problem problem = problem_between(task.reads[0], task.writes[0]);
    if (task.reads.size() > 2) problem.bias = vector_form(task.reads[2]);
    add_forward<Kinds>(task, problem, *kernel);
  } else if (task.op.ends_with(".backward_data")) {
    add_backward_data<Kinds>(task, problem_between(task.writes[0], task.reads[1]), *kernel);
  } else {
    Problem problem = problem_between(task.reads[0], task.reads[1]);
    if (task.writes.size() > 1) problem.bias = vector_form(task.writes[1]);
    add_backward_weights<Kinds>(task, problem, *kernel);
  }
  return kernel;
}

}  // namespace

std::unique_ptr<CpuKernel> make_convolution(const TaskKernel& task, const Conv2d& layer) {
  return make<Straight>(task, layer);
}

std::unique_ptr<CpuKernel> make_convolution(const TaskKernel& task, const ConvTranspose2d& layer) {
  return make<Transposed>(task, layer);
}

}  // namespace stint
