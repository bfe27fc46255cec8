// Numbers that follow from a name and a position alone: the same as
// tests/pytorch/numbers_by_name.py, so that two programs begin with the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stint {

// splitmix64 of the name's FNV-1a hash plus the position.
std::vector<std::uint64_t> integers_by_name(const std::string& name, std::int64_t count);

// In [-1, 1), exact in f32.
std::vector<float> numbers_by_name(const std::string& name, std::int64_t count);

// State before the first step: matrices and kernels scaled by what they sum over, weights of norms
// 1, biases small, the rest 0.
std::vector<float> state_by_name(const std::string& name, const std::vector<std::int64_t>& shape);

}  // namespace stint
