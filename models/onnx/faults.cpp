#include "models/onnx/faults.hpp"

#include <fmt/format.h>

#include "files/input_error.hpp"

namespace stint {
namespace {

// "Loop ×2, NonMaxSuppression ×1", as many as can be read.
std::string listed(const std::map<std::string, int>& counts) {
  constexpr int most = 20;
  std::string text;
  int told = 0;
  for (const auto& [what, count] : counts) {
    if (told == most) return fmt::format("{} and {} more", text, counts.size() - most);
    text += fmt::format("{}{} ×{}", told++ == 0 ? "" : ", ", what, count);
  }
  return text;
}

}  // namespace

void OnnxFaults::report(const std::string& file) const {
  std::string text;
  if (!operators.empty()) text += "unsupported operators: " + listed(operators) + "; ";
  if (!uses.empty()) text += "unsupported uses of operators: " + listed(uses) + "; ";
  if (!text.empty()) throw InputError(file, text + "supported: see models/README.md");
  if (first) throw InputError(file, *first);
}

}  // namespace stint
