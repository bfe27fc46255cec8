#include "executor/cpu/dnn/pools.hpp"

#include <algorithm>

#include "executor/cpu/dnn/dnn_forms.hpp"
#include "executor/cpu/dnn/plain_avg_pool.hpp"
#include "executor/cpu/dnn/plain_max_pool.hpp"

namespace stint {
namespace {

using dnnl::memory;

struct PoolProblem {
  dnnl::algorithm algorithm;
  DnnWindow window;
  memory::desc input;
  memory::desc output;
};

// A last window that reaches beyond the end, as `ceil` permits, reaches into more padding.
void reach_last_window(const KernelOperand& input, const KernelOperand& output, DnnWindow& window) {
  for (const int axis : {0, 1}) {
    const std::int64_t span = (window.kernel[axis] - 1) * (window.skipped[axis] + 1) + 1;
    const std::int64_t last = (output.shape[axis + 2] - 1) * window.stride[axis];
    const std::int64_t beyond = last + span - input.shape[axis + 2] - window.padding_begin[axis];
    window.padding_end[axis] = std::max(window.padding_end[axis], beyond);
  }
}

PoolProblem problem_of(dnnl::algorithm algorithm, DnnWindow window, const KernelOperand& input,
                       const KernelOperand& output) {
  reach_last_window(input, output, window);
  const auto [in, out] = image_forms(input, output);
  return {algorithm, std::move(window), in, out};
}

dnnl::pooling_forward::primitive_desc forward_of(const PoolProblem& p, dnnl::prop_kind prop_kind) {
  return chosen_implementation([&] {
    return dnnl::pooling_forward::primitive_desc(
        dnn_engine(), prop_kind, p.algorithm, p.input, p.output, p.window.stride, p.window.kernel,
        p.window.skipped, p.window.padding_begin, p.window.padding_end, dnn_attributes());
  });
}

dnnl::pooling_backward::primitive_desc backward_of(const PoolProblem& p) {
  const auto hint = forward_of(p, dnnl::prop_kind::forward_training);
  return chosen_implementation([&] {
    return dnnl::pooling_backward::primitive_desc(
        dnn_engine(), p.algorithm, p.input, p.output, p.window.stride, p.window.kernel,
        p.window.skipped, p.window.padding_begin, p.window.padding_end, hint, dnn_attributes());
  });
}

std::vector<DnnOperand> forward_operands(const PoolProblem& p) {
  return {{DNNL_ARG_SRC, read_place(0), p.input, p.input},
          {DNNL_ARG_DST, write_place(0), p.output, p.output}};
}

// `dy` is where the task reads it.
std::vector<DnnOperand> backward_operands(const PoolProblem& p, std::int64_t dy) {
  return {{DNNL_ARG_DIFF_DST, read_place(dy), p.output, p.output},
          {DNNL_ARG_DIFF_SRC, write_place(0), p.input, p.input}};
}

std::unique_ptr<CpuKernel> make_average(const TaskKernel& task, dnnl::algorithm algorithm,
                                        const DnnWindow& window) {
  auto kernel = std::make_unique<DnnKernel>();
  if (task.op.ends_with(".forward")) {
    const PoolProblem p = problem_of(algorithm, window, task.reads[0], task.writes[0]);
    kernel->add(forward_of(p, dnnl::prop_kind::forward_inference), forward_operands(p));
  } else {
    const PoolProblem p = problem_of(algorithm, window, task.writes[0], task.reads[0]);
    kernel->add(backward_of(p), backward_operands(p, 0));
  }
  return kernel;
}

// With indices, or without if they are left out.
class MaxForward : public CpuKernel {
 public:
  MaxForward(const PoolProblem& p, bool may_keep) {
    without_.add(forward_of(p, dnnl::prop_kind::forward_inference), forward_operands(p));
    if (!may_keep) return;
    const auto chosen = forward_of(p, dnnl::prop_kind::forward_training);
    auto operands = forward_operands(p);
    operands.push_back(
        {DNNL_ARG_WORKSPACE, write_place(1), chosen.workspace_desc(), chosen.workspace_desc()});
    with_.add(chosen, operands);
  }

  void run(const KernelArguments& arguments) override {
    const bool keeps = arguments.writes.size() > 1 && arguments.writes[1] != nullptr;
    (keeps ? with_ : without_).run(arguments);
  }
  std::int64_t workspace_bytes() const override {
    return std::max(with_.workspace_bytes(), without_.workspace_bytes());
  }
  std::string algorithm() const override { return without_.algorithm(); }

 private:
  DnnKernel with_;
  DnnKernel without_;
};

std::unique_ptr<CpuKernel> make_max_forward(const TaskKernel& task, const PoolProblem& p) {
  return std::make_unique<MaxForward>(p, task.writes.size() > 1);
}

std::unique_ptr<CpuKernel> make_max_backward(const PoolProblem& p) {
  const auto chosen = backward_of(p);
  auto operands = backward_operands(p, 1);
  operands.push_back(
      {DNNL_ARG_WORKSPACE, read_place(0), chosen.workspace_desc(), chosen.workspace_desc()});
  auto kernel = std::make_unique<DnnKernel>();
  kernel->add(chosen, operands);
  return kernel;
}

// Whether oneDNN has more than a reference loop, and keeps indices of the size that was planned.
bool is_for_dnn(const PoolProblem& p, const KernelOperand& output) {
  const auto chosen = forward_of(p, dnnl::prop_kind::forward_training);
  const std::int64_t window = p.window.kernel[0] * p.window.kernel[1];
  std::int64_t planned_bytes = window <= 256 ? 1 : 4;
  for (const std::int64_t size : output.shape) planned_bytes *= size;
  return !is_refused(chosen.impl_info_str()) &&
         static_cast<std::int64_t>(chosen.workspace_desc().get_size()) == planned_bytes;
}

}  // namespace

std::unique_ptr<CpuKernel> make_pool(const TaskKernel& task, const MaxPool2d& layer) {
  const bool forward = task.op.ends_with(".forward");
  const KernelOperand& input = forward ? task.reads[0] : task.writes[0];
  const KernelOperand& output = forward ? task.writes[0] : task.reads[1];
  const PoolProblem p =
      problem_of(dnnl::algorithm::pooling_max, window_of(layer, layer.dilation), input, output);
  if (!is_for_dnn(p, output)) return make_plain_max_pool(task, layer);
  return forward ? make_max_forward(task, p) : make_max_backward(p);
}

std::unique_ptr<CpuKernel> make_pool(const TaskKernel& task, const AvgPool2d& layer) {
  const bool forward = task.op.ends_with(".forward");
  const KernelOperand& input = forward ? task.reads[0] : task.writes[0];
  const KernelOperand& output = forward ? task.writes[0] : task.reads[0];
  if (layer.count_padding && reaches_beyond_padding(layer, input, output))
    return make_plain_avg_pool(task, layer);
  return make_average(task,
                      layer.count_padding ? dnnl::algorithm::pooling_avg_include_padding
                                          : dnnl::algorithm::pooling_avg_exclude_padding,
                      window_of(layer, {1, 1}));
}

std::unique_ptr<CpuKernel> make_pool(const TaskKernel& task, const GlobalAvgPool&) {
  const KernelOperand& image = task.op.ends_with(".forward") ? task.reads[0] : task.writes[0];
  const memory::dims size = {image.shape[2], image.shape[3]};
  return make_average(task, dnnl::algorithm::pooling_avg_exclude_padding,
                      {size, size, {0, 0}, {0, 0}, {0, 0}});
}

}  // namespace stint
