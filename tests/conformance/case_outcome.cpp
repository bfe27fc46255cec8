#include "tests/conformance/case_outcome.hpp"

#include <fmt/format.h>

#include "files/input_error.hpp"
#include "models/onnx/read_onnx.hpp"
#include "tests/conformance/case_values.hpp"

namespace stint {
namespace {

// Which inputs are activations, as text: "xc" is an activation and a constant.
std::string to_text(const std::vector<bool>& is_activation) {
  std::string text;
  for (const bool activation : is_activation) text += activation ? 'x' : 'c';
  return text;
}

bool may_be_activation(const CaseTensor& input) {
  return !input.tensor.dims.empty() && !input.values.empty() &&
         input.tensor.type != OnnxType::boolean;
}

std::optional<std::vector<bool>> choice(const NodeCase& test, unsigned bits) {
  std::vector<bool> is_activation;
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    is_activation.push_back((bits >> i & 1U) != 0);
    if (is_activation[i] && !may_be_activation(test.inputs[i])) return std::nullopt;
  }
  return is_activation;
}

// Whether it was read; differences are added to the outcome.
bool try_choice(const NodeCase& test, const std::vector<bool>& is_activation, std::size_t outputs,
                CaseOutcome& outcome) {
  std::vector<std::string> differences;
  try {
    differences = is_folded(test, is_activation)
                      ? differences_of_fold(test, is_activation)
                      : differences_of_network(test, is_activation, outputs);
  } catch (const InputError& refusal) {
    outcome.refusals.push_back(to_text(is_activation) + ": " + refusal.what());
    return false;
  }
  for (const std::string& difference : differences)
    outcome.differences.push_back(to_text(is_activation) + ": " + difference);
  if (differences.empty()) ++outcome.agreed;
  return true;
}

}  // namespace

CaseOutcome outcome_of(const NodeCase& test) {
  CaseOutcome outcome;
  const std::size_t outputs = test.outputs.size();
  for (unsigned bits = 0; bits < 1U << test.inputs.size(); ++bits) {
    const auto is_activation = choice(test, bits);
    if (!is_activation || try_choice(test, *is_activation, outputs, outcome)) continue;
    const int agreed = outcome.agreed;
    if (outputs > 1) try_choice(test, *is_activation, 1, outcome);
    outcome.agreed_in_first += outcome.agreed - agreed;
  }
  return outcome;
}

}  // namespace stint
