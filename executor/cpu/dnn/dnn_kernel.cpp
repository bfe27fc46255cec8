#include "executor/cpu/dnn/dnn_kernel.hpp"

#include <stdexcept>

namespace stint {
namespace {

constexpr std::int64_t alignment_bytes = 64;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

// The library takes what it only reads by the same handles as what it writes.
void* address(const KernelArguments& arguments, DnnPlace place) {
  switch (place.where) {
    case DnnPlace::Where::read:
      return const_cast<std::byte*>(arguments.reads[place.at]);
    case DnnPlace::Where::write:
      return arguments.writes[place.at];
    default:
      return arguments.workspace + place.at;
  }
}

}  // namespace

void DnnKernel::run(const KernelArguments& arguments) {
  use_one_thread();
  for (Step& step : steps_) {
    for (Bound& bound : step.bound) bound.memory.set_data_handle(address(arguments, bound.place));
    const auto count = static_cast<int>(step.arguments.size());
    const dnnl_status_t status =
        dnnl_primitive_execute(step.primitive.get(), stream_.get(), count, step.arguments.data());
    if (status != dnnl_success) throw std::runtime_error("oneDNN could not execute " + algorithm());
  }
}

void DnnKernel::add(const dnnl::primitive& primitive, const std::string& implementation,
                    const dnnl::memory::desc& scratchpad, const std::vector<DnnOperand>& operands) {
  std::vector<DnnOperand> direct = operands;
  for (DnnOperand& operand : direct) {
    if (operand.lies == operand.wanted) continue;
    const DnnPlace outside = operand.place;
    operand.place = take_workspace(operand.wanted);
    if (outside.where == DnnPlace::Where::read)
      add_reorder(operand.lies, outside, operand.wanted, operand.place);
  }
  add_step(primitive, scratchpad, direct);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].place.where == DnnPlace::Where::write && operands[i].lies != operands[i].wanted)
      add_reorder(operands[i].wanted, direct[i].place, operands[i].lies, operands[i].place);
  }
  implementations_ += (implementations_.empty() ? "" : " ") + implementation;
}

void DnnKernel::add_reorder(const dnnl::memory::desc& from_form, DnnPlace from,
                            const dnnl::memory::desc& to_form, DnnPlace to) {
  const dnnl::reorder::primitive_desc description(dnn_engine(), from_form, dnn_engine(), to_form,
                                                  dnn_attributes());
  add_step(dnnl::reorder(description), description.scratchpad_desc(),
           {{DNNL_ARG_FROM, from, from_form, from_form}, {DNNL_ARG_TO, to, to_form, to_form}});
}

void DnnKernel::add_step(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                         const std::vector<DnnOperand>& operands) {
  Step step{primitive, {}, {}};
  const auto bind = [&](int name, DnnPlace place, const dnnl::memory::desc& form) {
    step.bound.push_back({dnnl::memory(form, dnn_engine(), DNNL_MEMORY_NONE), place});
    step.arguments.push_back({name, step.bound.back().memory.get()});
  };
  for (const DnnOperand& operand : operands) bind(operand.name, operand.place, operand.wanted);
  if (scratchpad.get_size() > 0) bind(DNNL_ARG_SCRATCHPAD, take_workspace(scratchpad), scratchpad);
  steps_.push_back(std::move(step));
}

DnnPlace DnnKernel::take_workspace(const dnnl::memory::desc& form) {
  const DnnPlace place{DnnPlace::Where::workspace, workspace_bytes_};
  workspace_bytes_ += aligned(static_cast<std::int64_t>(form.get_size()));
  return place;
}

}  // namespace stint
