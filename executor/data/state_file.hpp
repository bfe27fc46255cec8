// The state of a training in a file that NumPy reads: parameters and what the optimizer remembers
// of them, by name, and how many steps it has seen. Or, to begin with, weights from an ONNX file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/layers/layer.hpp"

namespace stint {

struct SavedTensor {
  std::vector<std::int64_t> shape;  // of f32
  std::string bytes;
};

struct SavedState {
  std::int64_t steps = 0;
  std::map<std::string, SavedTensor> tensors;
  bool parameters_only = false;  // nothing is remembered of them: an optimizer begins anew
};

// An .npz file. Reading throws InputError if it is not one of these; a file without a number of
// steps has seen none.
SavedState read_state(const std::string& path);
void write_state(const std::string& path, const SavedState& state);

// The same, or the weights of an .onnx file as the parameters of the network that it is read as
// with this loss. Throws InputError as read_onnx does.
SavedState load_state(const std::string& path, const LossKind& loss);

}  // namespace stint
