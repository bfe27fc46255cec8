#include "tests/executor/cpu/one_layer.hpp"

#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

#include "models/training/lower_network.hpp"

namespace stint {
namespace {

Shape per_sample(const std::vector<std::int64_t>& sizes) {
  Shape shape = {batch_dimension};
  for (std::size_t i = 1; i < sizes.size(); ++i) shape.push_back({sizes[i]});
  return shape;
}

// A learned bias before every input, so that its gradient is wanted.
Network network_of(const OneLayer& layer) {
  Network network{.name = "one"};
  Layer tested{.name = "tested", .kind = layer.kind};
  std::vector<ValueType> types;
  for (const auto& sizes : layer.inputs) {
    const std::string name = "input" + std::to_string(types.size());
    types.push_back({per_sample(sizes)});
    network.inputs.push_back({name, types.back().shape});
    network.layers.push_back({name + ".bias", Bias{}, {name}, {}});
    tested.inputs.push_back(name + ".bias");
  }
  network.inputs.push_back({"target", infer(tested, types).outputs[0].shape});
  network.layers.push_back(tested);
  network.loss = {MeanSquaredError{}, {"tested", "target"}};
  return network;
}

std::int64_t elements_of(const KernelOperand& operand) {
  std::int64_t count = 1;
  for (const std::int64_t size : operand.shape) count *= size;
  return count;
}

std::int64_t bytes_of(const KernelOperand& operand) {
  return elements_of(operand) * bytes_of(operand.element);
}

// Where the element of a logical index lies.
std::int64_t position(const KernelOperand& operand, std::int64_t index) {
  if (!operand.channels_last) return index;
  const auto& s = operand.shape;
  const std::int64_t pixels = s[2] * s[3];
  const std::int64_t pixel = index % pixels;
  const std::int64_t channel = index / pixels % s[1];
  return (index / pixels / s[1] * pixels + pixel) * s[1] + channel;
}

Numbers numbers_at(const KernelOperand& operand, const std::byte* bytes) {
  Numbers numbers(static_cast<std::size_t>(elements_of(operand)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    float number = 0;
    std::memcpy(&number, bytes + 4 * position(operand, static_cast<std::int64_t>(i)), 4);
    numbers[i] = static_cast<double>(number);
  }
  return numbers;
}

}  // namespace

std::vector<TaskKernel> tasks_of(const OneLayer& layer, ImageLayout layout) {
  const Lowering lowering{.batch = layer.inputs[0][0], .layout = layout};
  std::vector<TaskKernel> tasks;
  for (const TaskKernel& task : lower_with_kernels(network_of(layer), lowering).kernels) {
    if (task.op.starts_with(std::string(op_name(layer.kind)) + ".")) tasks.push_back(task);
  }
  return tasks;
}

TaskKernel task_of(const OneLayer& layer, ImageLayout layout, const std::string& op) {
  for (const TaskKernel& task : tasks_of(layer, layout)) {
    if (task.op == op) return task;
  }
  throw std::logic_error("no task " + op);
}

TaskMemory::TaskMemory(const TaskKernel& task, std::int64_t workspace_bytes, std::uint64_t seed)
    : task_(task) {
  blocks_.reserve(task.reads.size() + task.writes.size() + 1);
  std::mt19937_64 random(seed);
  for (const KernelOperand& operand : task.reads) {
    Block& block = add_block(bytes_of(operand));
    for (std::int64_t i = 0; i < block.size / 4; ++i) {
      const float number = static_cast<float>(random() % 20001) / 10000.0F - 1.0F;
      std::memcpy(block.begin() + 4 * i, &number, 4);
    }
    arguments_.reads.push_back(block.begin());
  }
  for (const KernelOperand& operand : task.writes)
    arguments_.writes.push_back(add_block(bytes_of(operand)).begin());
  arguments_.workspace = add_block(workspace_bytes).begin();
}

std::byte* TaskMemory::Block::begin() {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  return bytes.data() + ((address + 127) / 128 * 128 + 64 - address);
}

// All bits set: a NaN, or an index beyond every window.
TaskMemory::Block& TaskMemory::add_block(std::int64_t bytes) {
  blocks_.push_back(
      {std::vector<std::byte>(static_cast<std::size_t>(bytes) + 256, std::byte{255}), bytes});
  return blocks_.back();
}

void TaskMemory::set_read(std::size_t at, const std::vector<std::byte>& bytes) {
  std::memcpy(blocks_[at].begin(), bytes.data(), bytes.size());
}

void TaskMemory::leave_out_write(std::size_t at) { arguments_.writes[at] = nullptr; }

Numbers TaskMemory::read(std::size_t at) const {
  return numbers_at(task_.reads[at], arguments_.reads[at]);
}

Numbers TaskMemory::written(std::size_t at) const {
  return numbers_at(task_.writes[at], arguments_.writes[at]);
}

std::vector<std::byte> TaskMemory::written_bytes(std::size_t at) const {
  const std::byte* begin = arguments_.writes[at];
  return {begin, begin + bytes_of(task_.writes[at])};
}

}  // namespace stint
