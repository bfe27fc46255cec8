#include "executor/step_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "executor/byte_streams.hpp"
#include "executor/operands.hpp"
#include "files/sha256.hpp"
#include "models/parts.hpp"
#include "schedules/result_places.hpp"

namespace stint {
namespace {

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string state_sha256(const StateBytes& state) {
  std::string lines;
  for (const auto& [name, bytes] : state) {
    lines += fmt::format("{} {} {}\n", sha256(as_text(bytes)), bytes.size(), name);
  }
  return sha256(lines);
}

StepData::StepData(const Schedule& schedule, Arenas& arenas, const TensorValues& values)
    : schedule_(schedule), arenas_(arenas), values_(values) {
  const Graph& graph = schedule.graph;
  for (int b = 0; b < static_cast<int>(schedule.buffers.size()); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    if (!buffer.initial || buffer.within != no_buffer || buffer.tensor == no_tensor) continue;
    const Source source{place(schedule, BufferId{b}), buffer.tensor};
    if (graph.tensors[buffer.tensor].kind == Kind::state) {
      state_.push_back(source);
    } else {
      (buffer.second_offset ? double_inputs_ : inputs_).push_back(source);
    }
  }
  for (const ResultPlace& result : result_places(schedule)) {
    if (result.buffer == no_buffer) continue;
    const TensorId tensor = schedule.buffers[result.buffer].tensor;
    const bool updated = graph.tensors[tensor].kind == Kind::state;
    results_.push_back({place(schedule, result.buffer, updated), result.skip_bytes, result.bytes});
  }
}

void StepData::reset(std::int64_t first_step) {
  digests_.clear();
  for (const Source& state : state_) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(state.place.bytes));
    values_.fill_state(state.tensor, bytes);
    arenas_.put(state.place, first_step, bytes);
  }
  for (const Source& input : double_inputs_) put_input(input, first_step);
}

void StepData::put_back(const StateBytes& state, std::int64_t step) {
  for (const Source& source : state_) {
    const auto [root, offset_bytes] = place_in_root(schedule_.graph, source.tensor);
    const std::vector<std::byte>& whole = state.at(schedule_.graph.tensors[root].name);
    arenas_.put(source.place, step,
                std::span(whole).subspan(static_cast<std::size_t>(offset_bytes),
                                         static_cast<std::size_t>(source.place.bytes)));
  }
  for (const Source& input : double_inputs_) put_input(input, step);
}

void StepData::bring_inputs(std::int64_t step) {
  for (const Source& input : inputs_) put_input(input, step);
}

void StepData::put_input(const Source& input, std::int64_t step) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(input.place.bytes));
  values_.fill_input(input.tensor, step, bytes);
  arenas_.put(input.place, step, bytes);
}

void StepData::collect_results(std::int64_t step, std::uint64_t step_digest) {
  digests_ += fmt::format("{:016x}\n", step_digest);
  for (const Held& result : results_) {
    const std::vector<std::byte> held = arenas_.get(result.place, step);
    const auto bytes = std::span(held).subspan(static_cast<std::size_t>(result.skip_bytes),
                                               static_cast<std::size_t>(result.bytes));
    digests_ += fmt::format("{:016x}\n", digest(0, bytes));
  }
}

StateBytes StepData::state(std::int64_t step) const {
  StateBytes by_name;
  const auto& tensors = schedule_.graph.tensors;
  std::vector<std::vector<std::byte>*> of_tensor(tensors.size(), nullptr);
  for (int t = 0; t < static_cast<int>(tensors.size()); ++t) {
    if (tensors[t].kind != Kind::state || tensors[t].part_of) continue;
    std::vector<std::byte>& bytes = by_name[tensors[t].name];
    bytes.resize(static_cast<std::size_t>(tensors[t].bytes));
    values_.fill_state(TensorId{t}, bytes);
    of_tensor[t] = &bytes;
  }
  for (const Source& state : state_) {
    const auto [root, offset_bytes] = place_in_root(schedule_.graph, state.tensor);
    const std::vector<std::byte> now = arenas_.get(state.place, step);
    std::copy(now.begin(), now.end(), of_tensor[root]->begin() + offset_bytes);
  }
  return by_name;
}

std::string StepData::results_sha256() const { return sha256(digests_); }

}  // namespace stint
