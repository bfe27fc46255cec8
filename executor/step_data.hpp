// What surrounds the steps: state before the first one, inputs that are there when a step begins,
// and what the run leaves behind, as hashes.
//
// `state_sha256` covers every byte of all state by name, whatever the plan: two runs of one model
// with the same inputs end with the same. `results_sha256` covers the results of every step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/arenas.hpp"
#include "executor/synthetic_data.hpp"

namespace stint {

class StepData {
 public:
  // `seed` decides the bytes of inputs. Both references must outlive it.
  StepData(const Schedule& schedule, Arenas& arenas, std::int64_t seed);

  // As before the first step: state, the first step's half of double inputs, no results.
  void reset();

  void bring_inputs(std::int64_t step);     // before every step
  void collect_results(std::int64_t step);  // after every step

  std::string state_sha256(std::int64_t steps) const;
  std::string results_sha256() const;

 private:
  // A buffer that is there when a step begins.
  struct Source {
    Place place;
    TensorStream stream;
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
  std::vector<Source> state_;
  std::vector<Source> inputs_;
  std::vector<Source> double_inputs_;
  std::vector<Held> results_;
  std::string digests_;  // of the results of all steps so far
};

}  // namespace stint
