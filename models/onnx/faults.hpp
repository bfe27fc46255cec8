// What of an ONNX graph is not supported, counted, for one message that tells all of it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "models/onnx/proto.hpp"

namespace stint {

struct OnnxFaults {
  std::map<std::string, int> operators;  // that are in no table of ours
  std::map<std::string, int> uses;       // "Conv over 3 dimensions"
  std::optional<std::string> first;      // the first node whose shapes do not fit

  // Throws InputError(file, …) if there are any.
  void report(const std::string& file) const;
};

}  // namespace stint
