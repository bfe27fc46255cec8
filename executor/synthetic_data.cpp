#include "executor/synthetic_data.hpp"

#include "executor/byte_streams.hpp"
#include "models/parts.hpp"

namespace stint {
namespace {

// Different kinds of streams never meet.
enum Family : std::int64_t { states, inputs, tasks, outputs, updated, workspaces };

TensorStream stream_of(const Graph& graph, TensorId tensor, std::uint64_t family_key) {
  const auto [root, offset_bytes] = place_in_root(graph, tensor);
  return {derive(family_key, graph.tensors[root].name), offset_bytes};
}

}  // namespace

TensorStream initial_state(const Graph& graph, TensorId tensor) {
  return stream_of(graph, tensor, derive(0, states));
}

TensorStream input_of_all_steps(const Graph& graph, TensorId tensor, std::int64_t seed) {
  return stream_of(graph, tensor, derive(derive(0, inputs), seed));
}

void fill_state(const TensorStream& state, std::span<std::byte> bytes) {
  write_stream(state.key, state.offset_bytes, bytes);
}

void fill_input(const TensorStream& input, std::int64_t step, std::span<std::byte> bytes) {
  write_stream(derive(input.key, step), input.offset_bytes, bytes);
}

SyntheticValues::SyntheticValues(const Graph& graph, std::int64_t seed)
    : streams_(graph.tensors.size()) {
  for (int t = 0; t < static_cast<int>(graph.tensors.size()); ++t) {
    const Kind kind = graph.tensors[t].kind;
    if (kind == Kind::state) streams_[t] = initial_state(graph, TensorId{t});
    if (kind == Kind::input) streams_[t] = input_of_all_steps(graph, TensorId{t}, seed);
  }
}

void SyntheticValues::fill_state(TensorId tensor, std::span<std::byte> bytes) const {
  stint::fill_state(streams_[tensor], bytes);
}

void SyntheticValues::fill_input(TensorId tensor, std::int64_t step,
                                 std::span<std::byte> bytes) const {
  stint::fill_input(streams_[tensor], step, bytes);
}

std::uint64_t task_key(const Task& task) { return derive(derive(0, tasks), task.name); }

std::uint64_t output_key(std::uint64_t digest_of_inputs, std::size_t write) {
  return derive(derive(digest_of_inputs, outputs), static_cast<std::int64_t>(write));
}

std::uint64_t update_key(std::uint64_t digest_of_inputs, std::size_t update) {
  return derive(derive(digest_of_inputs, updated), static_cast<std::int64_t>(update));
}

std::uint64_t workspace_key(std::uint64_t task_key) { return derive(task_key, workspaces); }

}  // namespace stint
