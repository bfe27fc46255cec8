// What tensors hold when nobody computes them: inputs, by name and step, and state before the first
// step, by name. A part holds its share of its whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/tensor_values.hpp"
#include "models/graph.hpp"

namespace stint {

// A stream of bytes, and where in it a tensor begins.
struct TensorStream {
  std::uint64_t key = 0;
  std::int64_t offset_bytes = 0;
};

TensorStream initial_state(const Graph& graph, TensorId tensor);

// The input's stream before a step has been mixed in.
TensorStream input_of_all_steps(const Graph& graph, TensorId tensor, std::int64_t seed);

void fill_state(const TensorStream& state, std::span<std::byte> bytes);
void fill_input(const TensorStream& input, std::int64_t step, std::span<std::byte> bytes);

// These streams for all state and inputs of a graph, which must outlive it; `seed` decides the
// inputs.
class SyntheticValues : public TensorValues {
 public:
  SyntheticValues(const Graph& graph, std::int64_t seed);

  void fill_state(TensorId tensor, std::span<std::byte> bytes) const override;
  void fill_input(TensorId tensor, std::int64_t step, std::span<std::byte> bytes) const override;

 private:
  std::vector<TensorStream> streams_;  // by tensor; none for activations
};

// What a synthetic task computes: `digest_of_inputs` follows from its name and the bytes it reads
// and updates, in order; each output is a stream that follows from that and its place in the lists.
std::uint64_t task_key(const Task& task);
std::uint64_t output_key(std::uint64_t digest_of_inputs, std::size_t write);
std::uint64_t update_key(std::uint64_t digest_of_inputs, std::size_t update);
std::uint64_t workspace_key(std::uint64_t task_key);

}  // namespace stint
