#include "executor/data/state_file.hpp"

#include <cstring>

#include "executor/data/npz.hpp"
#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "models/model.hpp"
#include "models/onnx/read_onnx.hpp"

namespace stint {
namespace {

const std::string steps_name = "stint.steps";
constexpr std::int64_t most_counted_steps = 1'000'000'000'000;

std::int64_t steps_in(const NpyArray& array, const std::string& path) {
  std::int64_t steps = -1;
  if (array.type == NpyType::i8 && array.bytes.size() == sizeof(steps))
    std::memcpy(&steps, array.bytes.data(), sizeof(steps));
  if (steps < 0 || steps > most_counted_steps)
    throw InputError(path + ": " + steps_name, "no number of steps; expected one of type <i8");
  return steps;
}

}  // namespace

SavedState read_state(const std::string& path) {
  SavedState state;
  for (auto& [name, array] : parse_npz(read_text(path), path)) {
    if (name == steps_name) {
      state.steps = steps_in(array, path);
      continue;
    }
    if (array.type != NpyType::f4)
      throw InputError(path + ": " + name, "an array of another type; expected <f4");
    state.tensors[name] = {array.shape, std::move(array.bytes)};
  }
  return state;
}

void write_state(const std::string& path, const SavedState& state) {
  NpzArrays arrays;
  for (const auto& [name, tensor] : state.tensors)
    arrays[name] = {NpyType::f4, tensor.shape, tensor.bytes};
  std::string steps(sizeof(state.steps), '\0');
  std::memcpy(steps.data(), &state.steps, sizeof(state.steps));
  arrays[steps_name] = {NpyType::i8, {}, steps};
  write_text(path, npz_text(arrays));
}

SavedState load_state(const std::string& path, const LossKind& loss) {
  if (!is_onnx_file(path)) return read_state(path);
  const bool by_class = std::holds_alternative<CrossEntropy>(loss);
  const OnnxModel model =
      read_onnx(path, {.loss = by_class ? OnnxLoss::cross_entropy : OnnxLoss::mse});
  SavedState state{.parameters_only = true};
  for (const WeightSource& source : model.weights) {
    const std::vector<float> values = initial_values(path, source);
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    state.tensors[source.parameter] = {source.shape, {bytes, values.size() * sizeof(float)}};
  }
  return state;
}

}  // namespace stint
