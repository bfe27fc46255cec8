#include "planner/training_request.hpp"

#include <charconv>
#include <cmath>

#include "files/input_error.hpp"
#include "models/onnx/read_onnx.hpp"
#include "schedules/schedule.hpp"

namespace stint {
namespace {

void refuse(const char* option, bool given, const std::string& path) {
  if (!given) return;
  throw InputError(option, "for ONNX files only, and " + in_quotes(path) +
                               " says how it is trained or has no layers; expected a name that "
                               "ends in .onnx");
}

void refuse_all(const TrainingRequest& request, const std::string& path) {
  refuse("--loss", request.loss.has_value(), path);
  refuse("--optimizer", request.optimizer.has_value(), path);
  refuse("--learning-rate", request.learning_rate.has_value(), path);
  refuse("--momentum", request.momentum.has_value(), path);
  refuse("--weight-decay", request.weight_decay.has_value(), path);
}

void set(double& field, const char* option, const std::optional<double>& number) {
  if (!number) return;
  if (!std::isfinite(*number) || *number < 0) {
    throw InputError(option, std::to_string(*number) + "; expected a number of at least 0");
  }
  field = *number;
}

OnnxLoss loss_of(const TrainingRequest& request) {
  const std::string name = request.loss.value_or("cross_entropy");
  if (name == "cross_entropy") return OnnxLoss::cross_entropy;
  if (name == "mse") return OnnxLoss::mse;
  throw InputError("--loss", in_quotes(name) + "; expected cross_entropy or mse");
}

Optimizer sgd_of(const TrainingRequest& request) {
  Sgd sgd;
  set(sgd.learning_rate, "--learning-rate", request.learning_rate);
  set(sgd.momentum, "--momentum", request.momentum);
  set(sgd.weight_decay, "--weight-decay", request.weight_decay);
  return sgd;
}

Optimizer adam_of(const TrainingRequest& request) {
  if (request.momentum) throw InputError("--momentum", "adam has none; expected it with sgd only");
  Adam adam;
  set(adam.learning_rate, "--learning-rate", request.learning_rate);
  set(adam.weight_decay, "--weight-decay", request.weight_decay);
  return adam;
}

Optimizer optimizer_of(const TrainingRequest& request) {
  const std::string name = request.optimizer.value_or("sgd");
  if (name == "sgd") return sgd_of(request);
  if (name == "adam") return adam_of(request);
  throw InputError("--optimizer", in_quotes(name) + "; expected sgd or adam");
}

}  // namespace

std::int64_t grain_of(const std::string& text, const Model& model, std::int64_t leaves) {
  if (text.empty()) return std::holds_alternative<Network>(model) && leaves > 1 ? auto_grain : 0;
  if (text == "auto") return auto_grain;
  std::int64_t grain = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, grain);
  if (error != std::errc{} || stop != end || grain < 1)
    throw InputError("--grain", in_quotes(text) + "; expected auto or a number from 1 on");
  return grain;
}

Model read_model(const std::string& path, const TrainingRequest& request) {
  if (!is_onnx_file(path)) {
    refuse_all(request, path);
    return read_model(path);
  }
  return read_onnx(path, {.loss = loss_of(request), .optimizer = optimizer_of(request)}).network;
}

}  // namespace stint
