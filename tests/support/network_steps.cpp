#include "tests/support/network_steps.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "models/training/tree.hpp"

namespace stint {
namespace {

bool lies_last(const KernelOperand& operand) {
  return operand.channels_last && operand.shape.size() == 4;
}

// Where element i of the listed order lies in memory.
std::int64_t memory_place(const KernelOperand& operand, std::int64_t i) {
  if (!lies_last(operand)) return i;
  const std::int64_t channels = operand.shape[1], pixels = operand.shape[2] * operand.shape[3];
  const std::int64_t pixel = i % pixels, channel = i / pixels % channels;
  return (i / (pixels * channels) * pixels + pixel) * channels + channel;
}

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() % 1'000'003) / 1'000'003.0;
}

double first_value(const Tensor& tensor, Element element, std::mt19937_64& random) {
  if (element == Element::int32) return static_cast<double>(random() % 3);
  const bool positive = tensor.name.find("running_var") != std::string::npos ||
                        tensor.name.find(".square") != std::string::npos;
  if (positive) return uniform(random, 0.5, 1.5);
  return tensor.kind == Kind::state ? uniform(random, -0.4, 0.4) : uniform(random, -1, 1);
}

// So that the same network begins with the same values however it is lowered.
std::vector<std::size_t> by_name(const Graph& graph) {
  std::vector<std::size_t> numbers(graph.tensors.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::sort(numbers, {}, [&](std::size_t i) { return graph.tensors[i].name; });
  return numbers;
}

}  // namespace

RootPlace root_place(const Graph& graph, TensorId tensor) {
  RootPlace place{tensor, 0};
  while (const auto& part = graph.tensors[place.root].part_of) {
    place.offset_bytes += part->offset_bytes;
    place.root = part->tensor;
  }
  return place;
}

ReferenceStep::ReferenceStep(const LoweredNetwork& lowered, std::uint64_t seed)
    : lowered_(lowered),
      values_(lowered.graph.tensors.size()),
      elements_(lowered.graph.tensors.size(), Element::f32) {
  for (std::size_t i = 0; i < lowered.kernels.size(); ++i) {
    const Task& task = lowered.graph.tasks[i];
    const TaskKernel& kernel = lowered.kernels[i];
    for (const auto& operand : kernel.reads) elements_[task.reads[operand.place]] = operand.element;
    for (const auto& operand : kernel.writes)
      elements_[task.writes[operand.place]] = operand.element;
  }
  // A whole that is only read in parts is of their kind.
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const TensorId root = root_place(lowered.graph, static_cast<TensorId>(i)).root;
    if (elements_[i] != Element::f32) elements_[root] = elements_[i];
  }
  std::mt19937_64 random(seed);
  for (const std::size_t i : by_name(lowered.graph)) {
    const Tensor& tensor = lowered.graph.tensors[i];
    if (tensor.part_of) continue;
    values_[i].resize(tensor.bytes / bytes_of(elements_[i]), 0.0);
    if (tensor.kind == Kind::activation) continue;
    for (double& value : values_[i])
      value = static_cast<double>(static_cast<float>(first_value(tensor, elements_[i], random)));
  }
}

Element ReferenceStep::element(TensorId tensor) const {
  return elements_[root_place(lowered_.graph, tensor).root];
}

std::int64_t ReferenceStep::first_element(TensorId tensor) const {
  return root_place(lowered_.graph, tensor).offset_bytes / bytes_of(element(tensor));
}

std::int64_t ReferenceStep::count(TensorId tensor) const {
  return lowered_.graph.tensors[tensor].bytes / bytes_of(element(tensor));
}

std::vector<double> ReferenceStep::values(TensorId tensor) const {
  const auto begin =
      values_[root_place(lowered_.graph, tensor).root].begin() + first_element(tensor);
  return {begin, begin + count(tensor)};
}

void ReferenceStep::set(TensorId tensor, std::size_t i, double value) {
  values_[root_place(lowered_.graph, tensor).root][first_element(tensor) + i] = value;
}

ReferenceTensor ReferenceStep::gather(TensorId tensor, const KernelOperand& operand) const {
  const std::vector<double> lying = values(tensor);
  ReferenceTensor listed{operand.shape, lying};
  for (std::int64_t i = 0; i < listed.count(); ++i) listed[i] = lying[memory_place(operand, i)];
  return listed;
}

void ReferenceStep::scatter(TensorId tensor, const KernelOperand& operand,
                            const ReferenceTensor& result) {
  for (std::int64_t i = 0; i < result.count(); ++i) {
    const double value = rounds_ ? static_cast<double>(static_cast<float>(result[i])) : result[i];
    set(tensor, memory_place(operand, i), value);
  }
}

void ReferenceStep::run(TaskId id) {
  const Task& task = lowered_.graph.tasks[id];
  const TaskKernel& kernel = lowered_.kernels[id];
  ReferenceTask reference{.kernel = kernel};
  for (const auto& operand : kernel.reads)
    reference.reads.push_back(gather(task.reads[operand.place], operand));
  for (const auto& operand : kernel.writes) {
    reference.writes.push_back(gather(task.writes[operand.place], operand));
    for (double& value : reference.writes.back().values) value = 0;
  }
  for (const auto& operand : kernel.updates)
    reference.updates.push_back(gather(task.updates[operand.place], operand));
  run_reference(reference);
  for (std::size_t i = 0; i < kernel.writes.size(); ++i)
    scatter(task.writes[kernel.writes[i].place], kernel.writes[i], reference.writes[i]);
  for (std::size_t i = 0; i < kernel.updates.size(); ++i)
    scatter(task.updates[kernel.updates[i].place], kernel.updates[i], reference.updates[i]);
}

void ReferenceStep::run_to_loss() {
  for (std::size_t i = 0; i < lowered_.graph.tasks.size(); ++i) {
    const Phase phase = lowered_.graph.tasks[i].phase;
    if (phase == Phase::forward || phase == Phase::loss) run(static_cast<TaskId>(i));
  }
}

KernelStep::KernelStep(const LoweredNetwork& lowered, std::int64_t misalignment_bytes)
    : lowered_(lowered),
      misalignment_bytes_(misalignment_bytes),
      bytes_(lowered.graph.tensors.size()) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (!lowered.graph.tensors[i].part_of)
      bytes_[i].resize(lowered.graph.tensors[i].bytes + 64 + misalignment_bytes);
  }
}

std::int64_t KernelStep::offset_of(TensorId tensor) const {
  const RootPlace place = root_place(lowered_.graph, tensor);
  const auto past = reinterpret_cast<std::uintptr_t>(bytes_[place.root].data()) % 64;
  return static_cast<std::int64_t>((64 - past) % 64) + misalignment_bytes_ + place.offset_bytes;
}

std::byte* KernelStep::at(TensorId tensor) {
  return bytes_[root_place(lowered_.graph, tensor).root].data() + offset_of(tensor);
}

std::vector<std::byte> KernelStep::bytes(TensorId tensor) const {
  const auto begin = bytes_[root_place(lowered_.graph, tensor).root].begin() + offset_of(tensor);
  return {begin, begin + lowered_.graph.tensors[tensor].bytes};
}

void KernelStep::set(TensorId tensor, Element element, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<float>(values[i]);
    const auto integer = static_cast<std::int32_t>(values[i]);
    const void* from = element == Element::f32 ? static_cast<const void*>(&number) : &integer;
    std::memcpy(at(tensor) + i * bytes_of(element), from, bytes_of(element));
  }
}

std::vector<double> KernelStep::values(TensorId tensor, Element element) const {
  const std::vector<std::byte> lying = bytes(tensor);
  std::vector<double> values(lying.size() / bytes_of(element));
  for (std::size_t i = 0; i < values.size(); ++i) {
    float number = 0;
    std::int32_t integer = 0;
    void* to = element == Element::f32 ? static_cast<void*>(&number) : &integer;
    std::memcpy(to, lying.data() + i * bytes_of(element), bytes_of(element));
    values[i] = element == Element::f32 ? static_cast<double>(number) : integer;
  }
  return values;
}

// Partial results of one leaf stand in `partials`, by output; other results in their places.
void KernelStep::run_leaf(const Task& task, const TaskKernel& kernel, std::int64_t leaf,
                          std::vector<std::vector<std::byte>>& partials) {
  const TaskKernel one = leaf_of(kernel);
  CpuKernel& made = pool_.get(one);
  KernelArguments arguments;
  const auto offset = [&](const KernelOperand& operand) {
    return operand.has_samples ? leaf * bytes_of(operand) : 0;
  };
  for (const KernelOperand& read : one.reads)
    arguments.reads.push_back(at(task.reads[read.place]) + offset(read));
  for (const KernelOperand& write : one.writes) {
    partials.emplace_back(is_partial(kernel, write) ? bytes_of(write) : 0);
    arguments.writes.push_back(is_partial(kernel, write)
                                   ? partials.back().data()
                                   : at(task.writes[write.place]) + offset(write));
  }
  for (const KernelOperand& update : one.updates) {
    arguments.updates_from.push_back(at(task.updates[update.place]));
    arguments.updates_to.push_back(at(task.updates[update.place]));
  }
  std::vector<std::byte> workspace(made.workspace_bytes() + 64);
  const auto past = reinterpret_cast<std::uintptr_t>(workspace.data()) % 64;
  arguments.workspace = workspace.data() + (64 - past) % 64;
  arguments.first_sample = kernel.first_sample + leaf * one.samples;
  made.run(arguments);
}

void KernelStep::run(TaskId id) {
  const Task& task = lowered_.graph.tasks[id];
  const TaskKernel& kernel = lowered_.kernels[id];
  std::vector<std::vector<std::vector<std::byte>>> nodes(kernel.leaves);  // [node][output]
  for (std::int64_t leaf = 0; leaf < kernel.leaves; ++leaf)
    run_leaf(task, kernel, leaf, nodes[leaf]);
  for (const TreeMerge& merge : dyadic_merges(static_cast<int>(kernel.leaves))) {
    nodes.push_back(nodes[merge.left]);
    for (std::size_t i = 0; i < kernel.writes.size(); ++i) {
      if (!is_partial(kernel, kernel.writes[i])) continue;
      KernelArguments arguments;
      arguments.reads = {nodes[merge.left][i].data(), nodes[merge.right][i].data()};
      arguments.writes = {nodes.back()[i].data()};
      pool_
          .get(merge_of(kernel, kernel.writes[i], merge.middle - merge.begin,
                        merge.end - merge.middle))
          .run(arguments);
    }
  }
  for (std::size_t i = 0; i < kernel.writes.size(); ++i) {
    if (is_partial(kernel, kernel.writes[i]))
      std::memcpy(at(task.writes[kernel.writes[i].place]), nodes.back()[i].data(),
                  nodes.back()[i].size());
  }
}

void copy_given(const LoweredNetwork& lowered, const ReferenceStep& from, KernelStep& to) {
  for (std::size_t i = 0; i < lowered.graph.tensors.size(); ++i) {
    const auto tensor = static_cast<TensorId>(i);
    const bool given = lowered.graph.tensors[i].kind != Kind::activation;
    if (given && !lowered.graph.tensors[i].part_of)
      to.set(tensor, from.element(tensor), from.values(tensor));
  }
}

}  // namespace stint
