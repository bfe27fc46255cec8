// Models as `plan` is given them, with what an ONNX file does not say: how the network is trained.
#pragma once

#include <optional>
#include <string>

#include "models/model.hpp"

namespace stint {

// As options of a command line; what is not given has its default.
struct TrainingRequest {
  std::optional<std::string> loss;       // cross_entropy, mse
  std::optional<std::string> optimizer;  // sgd, adam
  std::optional<double> learning_rate;
  std::optional<double> momentum;  // of sgd
  std::optional<double> weight_decay;
};

// Reads the model; throws InputError if it says itself what is requested, which is so in every file
// but an ONNX file, or if the request makes no sense.
Model read_model(const std::string& path, const TrainingRequest& request);

// What --grain asks for: auto, a number of leaves from 1 on, or nothing; that is auto for layers
// with leaves to cut, and whole layers for everything else.
std::int64_t grain_of(const std::string& text, const Model& model, std::int64_t leaves);

}  // namespace stint
