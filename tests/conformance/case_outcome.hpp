// What becomes of a case of ONNX's test data. Each operand may be an activation or a constant, so
// every choice is tried: one that the reader refuses is no network of ours; one that it reads must
// compute what ONNX expects, by the kernels and by the references, in both orders of images.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/node_case.hpp"

namespace stint {

struct CaseOutcome {
  int agreed = 0;                        // choices that were read and gave what is expected …
  int agreed_in_first = 0;               // … of these, where only the first output can be read
  std::vector<std::string> differences;  // what was read and gave something else
  std::vector<std::string> refusals;     // what the reader said to other choices
};

CaseOutcome outcome_of(const NodeCase& test);

}  // namespace stint
