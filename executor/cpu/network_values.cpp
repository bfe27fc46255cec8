#include "executor/cpu/network_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "executor/cpu/initial_values.hpp"
#include "executor/cpu/packed_weights.hpp"
#include "files/input_error.hpp"
#include "models/parts.hpp"
#include "models/training/tensors.hpp"
#include "models/training/weight_order.hpp"

namespace stint {
namespace {

std::string name_in_batch(const std::string& name, std::int64_t microbatch,
                          const Lowering& lowering) {
  return lowering.microbatches == 1 ? name : fmt::format("{}#{}", name, microbatch);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace

NetworkValues::NetworkValues(const Network& network, const LoweredNetwork& lowered,
                             const Lowering& lowering, const SampleSource& samples,
                             std::int64_t seed, std::optional<SavedState> saved)
    : graph_(lowered.graph),
      source_(samples),
      batch_(lowering.batch),
      seed_(seed),
      parameters_(lowered.parameters),
      samples_(graph_.tensors.size()),
      states_(graph_.tensors.size()),
      orders_(lowered.orders),
      saved_(std::move(saved)) {
  name_inputs(network, lowering);
  name_state(lowering);
  if (saved_) expect_all_saved();
}

// Micro-batch i has the i-th run of the batch's samples, and a part of it some of these.
void NetworkValues::name_inputs(const Network& network, const Lowering& lowering) {
  const auto by_name = tensors_by_name(graph_);
  const std::vector<SampleInput> inputs = sample_inputs(network);
  std::vector<Samples> of_root(graph_.tensors.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::int64_t m = 0; m < lowering.microbatches; ++m) {
      const auto found = by_name.find(name_in_batch(inputs[i].name, m, lowering));
      if (found == by_name.end()) continue;
      of_root[found->second] = {i, inputs[i].has_samples, m * (batch_ / lowering.microbatches)};
    }
  }
  for (int t = 0; t < static_cast<int>(graph_.tensors.size()); ++t) {
    if (graph_.tensors[t].kind != Kind::input) continue;
    const auto [root, offset_bytes] = place_in_root(graph_, TensorId{t});
    samples_[t] = of_root[root];
    samples_[t].first += offset_bytes / inputs[samples_[t].input].sample_bytes();
  }
}

void NetworkValues::name_state(const Lowering& lowering) {
  std::map<std::string, const Parameter*> parameter_of;
  for (const Parameter& parameter : parameters_) parameter_of[parameter.name] = &parameter;
  std::map<std::string, std::string> first_replica;
  for (const Tensor& tensor : graph_.tensors) {
    if (tensor.kind != Kind::state) continue;
    for (std::int64_t replica = 1; replica < lowering.replicas; ++replica)
      first_replica[StepTensors::name_at(tensor.name, replica)] = tensor.name;
  }
  for (int t = 0; t < static_cast<int>(graph_.tensors.size()); ++t) {
    if (graph_.tensors[t].kind != Kind::state) continue;
    const auto [root, offset_bytes] = place_in_root(graph_, TensorId{t});
    const std::string& name = graph_.tensors[root].name;
    const auto first = first_replica.find(name);
    State& state = states_[t];
    state.name = first == first_replica.end() ? name : first->second;
    state.offset_bytes = offset_bytes;
    const auto parameter = parameter_of.find(state.name);
    if (parameter != parameter_of.end()) state.parameter = parameter->second;
    state.listed_bytes = graph_.tensors[t].bytes;
    if (const auto order = orders_.find(name); order != orders_.end()) {
      state.order = order->second;
      state.listed_bytes =
          listed_elements(*parse_weight_order(state.order)) * bytes_of(Element::f32);
    }
  }
}

void NetworkValues::expect_all_saved() const {
  std::size_t used = 0;
  for (int t = 0; t < static_cast<int>(graph_.tensors.size()); ++t) {
    const Tensor& tensor = graph_.tensors[t];
    if (tensor.kind != Kind::state || tensor.part_of || states_[t].name != tensor.name) continue;
    if (begins_anew(states_[t])) continue;
    const auto found = saved_->tensors.find(tensor.name);
    if (found == saved_->tensors.end())
      throw InputError("--load",
                       fmt::format("no {}; expected all {} of the network", in_quotes(tensor.name),
                                   saved_->parameters_only ? "parameters" : "state"));
    if (std::ssize(found->second.bytes) != states_[t].listed_bytes ||
        found->second.shape != shape_of(states_[t]))
      throw InputError(
          "--load", fmt::format("{} is {}; expected {}", in_quotes(tensor.name),
                                shape_text(found->second.shape), shape_text(shape_of(states_[t]))));
    ++used;
  }
  if (used == saved_->tensors.size()) return;
  for (const auto& [name, tensor] : saved_->tensors) {
    const bool known = std::any_of(states_.begin(), states_.end(),
                                   [&](const State& state) { return state.name == name; });
    if (!known)
      throw InputError("--load", fmt::format("{} is no state of the network; expected its state "
                                             "alone",
                                             in_quotes(name)));
  }
}

bool NetworkValues::begins_anew(const State& state) const {
  return !saved_ || (saved_->parameters_only && state.parameter == nullptr);
}

void NetworkValues::fill_state(TensorId tensor, std::span<std::byte> bytes) const {
  const State& state = states_[tensor];
  if (state.order.empty()) return fill_listed(state, bytes);
  State whole = state;
  whole.offset_bytes = 0;
  std::vector<std::byte> listed(static_cast<std::size_t>(state.listed_bytes));
  fill_listed(whole, listed);
  const std::vector<std::byte> stored = in_stored_order(state.order, listed);
  std::copy_n(stored.begin() + state.offset_bytes, bytes.size(), bytes.begin());
}

std::vector<std::byte> NetworkValues::listed_state(const std::string& name,
                                                   const std::vector<std::byte>& stored) const {
  const auto order = orders_.find(name);
  return order == orders_.end() ? stored : in_listed_order(order->second, stored);
}

void NetworkValues::fill_listed(const State& state, std::span<std::byte> bytes) const {
  if (!begins_anew(state)) {
    std::memcpy(bytes.data(), saved_->tensors.at(state.name).bytes.data() + state.offset_bytes,
                bytes.size());
    return;
  }
  if (state.parameter == nullptr) {
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    return;
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  fill_initial(*state.parameter, seed_, state.offset_bytes / bytes_of(Element::f32), values);
  std::memcpy(bytes.data(), values.data(), bytes.size());
}

void NetworkValues::fill_input(TensorId tensor, std::int64_t step,
                               std::span<std::byte> bytes) const {
  const Samples& samples = samples_[tensor];
  if (!samples.has_samples) return source_.read(SampleSet::training, samples.input, 0, bytes);
  const bool held_out = step >= first_held_out_step;
  const std::int64_t number = held_out ? step - first_held_out_step : step;
  source_.read(held_out ? SampleSet::held_out : SampleSet::training, samples.input,
               number * batch_ + samples.first, bytes);
}

SavedState NetworkValues::to_save(const StateBytes& state, std::int64_t steps) const {
  SavedState saved{.steps = steps};
  for (int t = 0; t < static_cast<int>(graph_.tensors.size()); ++t) {
    const Tensor& tensor = graph_.tensors[t];
    if (tensor.kind != Kind::state || tensor.part_of || states_[t].name != tensor.name) continue;
    const std::vector<std::byte>& bytes = state.at(tensor.name);
    saved.tensors[tensor.name] = {shape_of(states_[t]),
                                  {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
  }
  return saved;
}

// What an optimizer remembers is named after its parameter, and has its shape.
std::vector<std::int64_t> NetworkValues::shape_of(const State& state) const {
  for (const Parameter& parameter : parameters_) {
    const bool its_own =
        state.name == parameter.name || state.name.starts_with(parameter.name + ".");
    if (its_own && element_count(parameter) * bytes_of(Element::f32) == state.listed_bytes)
      return parameter.shape;
  }
  return {state.listed_bytes / bytes_of(Element::f32)};
}

}  // namespace stint
