// What surrounds the steps: state before the first one, inputs that are there when a step begins,
// and what the run leaves behind, as bytes and as hashes.
//
// `state_sha256` covers every byte of all state by name, whatever the plan: two runs of one model
// with the same inputs end with the same. `results_sha256` covers the results of every step,
// and what the synthetic backend's tasks read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "executor/arenas.hpp"
#include "executor/tensor_values.hpp"

namespace stint {

// Whole tensors, by name.
using StateBytes = std::map<std::string, std::vector<std::byte>>;

std::string state_sha256(const StateBytes& state);

class StepData {
 public:
  // All references must outlive it.
  StepData(const Schedule& schedule, Arenas& arenas, const TensorValues& values);

  // As before the first step: state, that step's half of double inputs, no results.
  void reset(std::int64_t first_step);

  void bring_inputs(std::int64_t step);  // before every step
  // After every step; `step_digest` is the backend's word on what its tasks computed.
  void collect_results(std::int64_t step, std::uint64_t step_digest);

  // As `step` finds it, when all before it are done.
  StateBytes state(std::int64_t step) const;
  // State as given, and that step's half of double inputs.
  void put_back(const StateBytes& state, std::int64_t step);

  std::string results_sha256() const;

 private:
  // A buffer that is there when a step begins.
  struct Source {
    Place place;
    TensorId tensor = no_tensor;
  };
  // Where a result is when a step has ended.
  struct Held {
    Place place;
    std::int64_t skip_bytes = 0;
    std::int64_t bytes = 0;
  };
  void put_input(const Source& input, std::int64_t step);

  const Schedule& schedule_;
  Arenas& arenas_;
  const TensorValues& values_;
  std::vector<Source> state_;
  std::vector<Source> inputs_;
  std::vector<Source> double_inputs_;
  std::vector<Held> results_;
  std::string digests_;  // of the results of all steps so far
};

}  // namespace stint
