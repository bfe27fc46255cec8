// What the tensors of a network's step hold when nobody computes them: samples, parameters as they
// begin or as they were saved, and zeros for what optimizers remember.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/data/samples.hpp"
#include "executor/data/state_file.hpp"
#include "executor/step_data.hpp"
#include "executor/tensor_values.hpp"
#include "models/lowering.hpp"
#include "models/training/lower_network.hpp"

namespace stint {

class NetworkValues : public TensorValues {
 public:
  // All references must outlive it. `saved` replaces the first values; throws InputError if its
  // tensors are not the network's.
  NetworkValues(const Network& network, const LoweredNetwork& lowered, const Lowering& lowering,
                const SampleSource& samples, std::int64_t seed,
                std::optional<SavedState> saved = std::nullopt);

  void fill_state(TensorId tensor, std::span<std::byte> bytes) const override;
  void fill_input(TensorId tensor, std::int64_t step, std::span<std::byte> bytes) const override;

  std::vector<std::byte> listed_state(const std::string& name,
                                      const std::vector<std::byte>& stored) const override;

  std::int64_t first_step() const { return saved_ ? saved_->steps : 0; }

  // The state of the first replica, as listed, with shapes, for a file.
  SavedState to_save(const StateBytes& state, std::int64_t steps) const;

 private:
  // Samples that a tensor holds, from one on.
  struct Samples {
    std::size_t input = 0;
    bool has_samples = false;
    std::int64_t first = 0;  // in the step's batch
  };
  // A state tensor of any replica.
  struct State {
    std::string name;                      // of the first replica's
    const Parameter* parameter = nullptr;  // none: zeros
    std::int64_t offset_bytes = 0;         // of a part
    std::int64_t listed_bytes = 0;
    std::string order;  // in which it is stored; "": as listed
  };
  void name_inputs(const Network& network, const Lowering& lowering);
  void name_state(const Lowering& lowering);
  void expect_all_saved() const;
  bool begins_anew(const State& state) const;
  void fill_listed(const State& state, std::span<std::byte> bytes) const;
  std::vector<std::int64_t> shape_of(const State& state) const;

  const Graph& graph_;
  const SampleSource& source_;
  std::int64_t batch_;
  std::int64_t seed_;
  std::vector<Parameter> parameters_;
  std::vector<Samples> samples_;  // by tensor
  std::vector<State> states_;     // by tensor
  std::map<std::string, std::string> orders_;
  std::optional<SavedState> saved_;
};

}  // namespace stint
