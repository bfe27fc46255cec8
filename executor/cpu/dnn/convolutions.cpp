// Convolutions and their transposes. Images are wanted with their channels last, where every
// shape has an implementation that neither allocates nor falls back to a reference loop; weights
// are wanted as the implementation likes them.
#include "executor/cpu/dnn/convolutions.hpp"

#include <algorithm>

#include "executor/cpu/dnn/bias_sums.hpp"
#include "executor/cpu/dnn/dnn_forms.hpp"
#include "executor/cpu/dnn/weight_forms.hpp"

namespace stint {
namespace {

using dnnl::memory;

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
struct ConvolutionProblem {
  DnnWindow window;
  memory::desc input;
  memory::desc output;
  WeightSizes weight;
  memory::desc any_weight;
  memory::desc bias;  // empty if there is none
  bool is_narrow = false;
  bool is_ragged_pixel = false;
};

// Implementations that multiply small matrices are up to four times slower than those that slide
// where a group has fewer channels than a vector has lanes.
bool is_narrow(std::int64_t channels, std::int64_t filters, const Pair& kernel) {
  constexpr std::int64_t lanes = 16;
  return std::min(channels, filters) < lanes && kernel[0] * kernel[1] > 1;
}

// Of single pixels at a stride, oneDNN 3.2 gathers the image into a scratchpad that is too small
// where channels do not fill its blocks, and writes past it.
bool is_ragged_pixel(std::int64_t channels, std::int64_t filters, const DnnWindow& window) {
  constexpr std::int64_t block = 16;
  const bool is_pixel = window.kernel[0] * window.kernel[1] == 1;
  const bool has_stride = window.stride[0] * window.stride[1] > 1;
  return is_pixel && has_stride && (channels % block != 0 || filters % block != 0);
}

auto avoided(const ConvolutionProblem& problem) {
  return [&problem](std::string_view implementation) {
    return (problem.is_narrow && implementation.find("brg") != implementation.npos) ||
           (problem.is_ragged_pixel && implementation.find("1x1") != implementation.npos);
  };
}

// [filters, channels, kernel], with the groups before them if there are any.
void set_weight(ConvolutionProblem& problem, std::int64_t filters, std::int64_t channels,
                std::int64_t groups, ListedAs listed) {
  memory::dims sizes = {filters / groups, channels / groups, problem.window.kernel[0],
                        problem.window.kernel[1]};
  if (groups > 1) sizes.insert(sizes.begin(), groups);
  problem.weight = {sizes, listed};
  problem.any_weight = {sizes, memory::data_type::f32, memory::format_tag::any};
}

// Whole strides that are added at the end are padding that is not taken away there. Where there is
// less padding than that, oneDNN refuses.
void add_output_padding(const ConvTranspose2d& layer, DnnWindow& window) {
  for (const int axis : {0, 1})
    window.padding_end[axis] -=
        layer.output_padding[axis] / layer.stride[axis] * layer.stride[axis];
}
void add_output_padding(const Conv2d&, DnnWindow&) {}

template <typename Layer>
ConvolutionProblem problem_between(const Layer& layer, const KernelOperand& input,
                                   const KernelOperand& output) {
  constexpr bool transposed = std::is_same_v<Layer, ConvTranspose2d>;
  ConvolutionProblem problem{.window = window_of(layer, layer.dilation),
                             .input = channels_last_form(input),
                             .output = channels_last_form(output)};
  set_weight(problem, output.shape[1], input.shape[1], layer.groups,
             transposed ? ListedAs::inputs_first : ListedAs::counted);
  problem.is_narrow =
      is_narrow(input.shape[1] / layer.groups, output.shape[1] / layer.groups, layer.kernel);
  problem.is_ragged_pixel = is_ragged_pixel(input.shape[1] / layer.groups,
                                            output.shape[1] / layer.groups, problem.window);
  add_output_padding(layer, problem.window);
  return problem;
}

template <typename Kinds>
typename Kinds::Forward forward_of(const ConvolutionProblem& p) {
  return chosen_implementation(
      [&] {
        return typename Kinds::Forward(dnn_engine(), dnnl::prop_kind::forward_training,
                                       Kinds::algorithm, p.input, p.any_weight, p.bias, p.output,
                                       p.window.stride, p.window.skipped, p.window.padding_begin,
                                       p.window.padding_end, dnn_attributes());
      },
      avoided(p));
}

// The weight or its gradient, as it lies and as the implementation wants it.
DnnOperand weight_operand(int name, DnnPlace place, const KernelOperand& weight,
                          const memory::desc& wanted, const ConvolutionProblem& p,
                          DnnKernel& kernel) {
  kernel.set_weight_order([sizes = p.weight, wanted] { return weight_order_text(sizes, wanted); });
  return {name, place, weight_form(p.weight, weight.order), wanted};
}

template <typename Kinds>
void add_forward(const TaskKernel& task, const ConvolutionProblem& p, DnnKernel& kernel) {
  const auto chosen = forward_of<Kinds>(p);
  std::vector<DnnOperand> operands = {
      {DNNL_ARG_SRC, read_place(0), image_form(task.reads[0]), p.input},
      weight_operand(DNNL_ARG_WEIGHTS, read_place(1), task.reads[1], chosen.weights_desc(), p,
                     kernel),
      {DNNL_ARG_DST, write_place(0), image_form(task.writes[0]), p.output}};
  if (task.reads.size() > 2) operands.push_back({DNNL_ARG_BIAS, read_place(2), p.bias, p.bias});
  kernel.add(chosen, operands);
}

template <typename Kinds>
void add_backward_data(const TaskKernel& task, const ConvolutionProblem& p, DnnKernel& kernel) {
  const auto hint = forward_of<Kinds>(p);
  const auto chosen = chosen_implementation(
      [&] {
        return typename Kinds::BackwardData(
            dnn_engine(), Kinds::algorithm, p.input, p.any_weight, p.output, p.window.stride,
            p.window.skipped, p.window.padding_begin, p.window.padding_end, hint, dnn_attributes());
      },
      avoided(p));
  kernel.add(chosen, {weight_operand(DNNL_ARG_WEIGHTS, read_place(0), task.reads[0],
                                     chosen.weights_desc(), p, kernel),
                      {DNNL_ARG_DIFF_DST, read_place(1), image_form(task.reads[1]), p.output},
                      {DNNL_ARG_DIFF_SRC, write_place(0), image_form(task.writes[0]), p.input}});
}

template <typename Kinds>
void add_backward_weights(const TaskKernel& task, const ConvolutionProblem& p, DnnKernel& kernel) {
  const auto hint = forward_of<Kinds>(p);
  const auto chosen = chosen_implementation(
      [&] {
        return typename Kinds::BackwardWeights(dnn_engine(), Kinds::algorithm, p.input,
                                               p.any_weight, p.bias, p.output, p.window.stride,
                                               p.window.skipped, p.window.padding_begin,
                                               p.window.padding_end, hint, dnn_attributes());
      },
      avoided(p));
  std::vector<DnnOperand> operands = {
      {DNNL_ARG_SRC, read_place(0), image_form(task.reads[0]), p.input},
      {DNNL_ARG_DIFF_DST, read_place(1), image_form(task.reads[1]), p.output},
      weight_operand(DNNL_ARG_DIFF_WEIGHTS, write_place(0), task.writes[0],
                     chosen.diff_weights_desc(), p, kernel)};
  if (p.bias.get_size() > 0)
    operands.push_back({DNNL_ARG_DIFF_BIAS, write_place(1), p.bias, p.bias});
  kernel.add(chosen, operands);
}

// Forward and backward_data.
template <typename Kinds, typename Layer>
std::unique_ptr<CpuKernel> make_of_data(const TaskKernel& task, const Layer& layer) {
  auto kernel = std::make_unique<DnnKernel>();
  if (task.op.ends_with(".forward")) {
    ConvolutionProblem problem = problem_between(layer, task.reads[0], task.writes[0]);
    if (task.reads.size() > 2) problem.bias = vector_form(task.reads[2]);
    add_forward<Kinds>(task, problem, *kernel);
  } else {
    add_backward_data<Kinds>(task, problem_between(layer, task.writes[0], task.reads[1]), *kernel);
  }
  return kernel;
}

}  // namespace

std::unique_ptr<CpuKernel> make_convolution(const TaskKernel& task, const Conv2d& layer) {
  if (!task.op.ends_with(".backward_weights")) return make_of_data<Straight>(task, layer);
  ConvolutionProblem problem = problem_between(layer, task.reads[0], task.reads[1]);
  if (task.writes.size() > 1) problem.bias = vector_form(task.writes[1]);
  auto kernel = std::make_unique<DnnKernel>();
  add_backward_weights<Straight>(task, problem, *kernel);
  return kernel;
}

// The bias by a loop of ours: oneDNN's own takes longer than the rest.
std::unique_ptr<CpuKernel> make_convolution(const TaskKernel& task, const ConvTranspose2d& layer) {
  if (!task.op.ends_with(".backward_weights")) return make_of_data<Transposed>(task, layer);
  auto kernel = std::make_unique<DnnKernelWithBias>(task, 1);
  add_backward_weights<Transposed>(task, problem_between(layer, task.reads[0], task.reads[1]),
                                   *kernel);
  return kernel;
}

}  // namespace stint
