// What tensors hold when nobody computes them: inputs, by step, and state before the first step. A
// part holds its share of its whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/graph.hpp"

namespace stint {

// Steps from here on belong to no training: their inputs are samples held out from it.
inline constexpr std::int64_t first_held_out_step = std::int64_t{1} << 40;

class TensorValues {
 public:
  TensorValues() = default;
  virtual ~TensorValues() = default;
  TensorValues(const TensorValues&) = delete;
  TensorValues& operator=(const TensorValues&) = delete;

  // All of the tensor's bytes.
  virtual void fill_state(TensorId tensor, std::span<std::byte> bytes) const = 0;
  // State from the order in which it is stored into that in which it is listed.
  virtual std::vector<std::byte> listed_state(const std::string&,
                                              const std::vector<std::byte>& stored) const {
    return stored;
  }
  // Allocates nothing: inputs are loaded inside steps.
  virtual void fill_input(TensorId tensor, std::int64_t step, std::span<std::byte> bytes) const = 0;
};

}  // namespace stint
