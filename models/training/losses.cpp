#include "models/training/losses.hpp"

namespace stint {
namespace {

Operation loss_operation(const Loss& loss, const std::string& what, Phase phase) {
  Operation operation{.name = "loss." + what, .op = std::string(op_name(loss.kind)) + "." + what};
  operation.phase = phase;
  operation.layer = "loss";
  operation.origin = loss.kind;
  return operation;
}

// What an optimizer remembers of each parameter, by the end of its name.
std::vector<std::string> remembered(const Sgd& sgd) {
  return sgd.momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{".momentum"};
}
std::vector<std::string> remembered(const Adam&) { return {".mean", ".square"}; }

std::int64_t flops_per_parameter(const Sgd& sgd) {
  return 2 + (sgd.momentum == 0 ? 0 : 2) + (sgd.weight_decay == 0 ? 0 : 2);
}
std::int64_t flops_per_parameter(const Adam& adam) { return 12 + (adam.weight_decay == 0 ? 0 : 2); }

}  // namespace

void emit_loss(const Loss& loss, ValueId prediction, ValueId label, TrainingBuilder& builder) {
  constexpr std::int64_t flops_per_prediction = 8;
  const Dimension flops = scaled(builder.elements(prediction), flops_per_prediction);
  const ValueId value = builder.add_value({.name = "loss"});
  builder.training().loss = value;

  Operation forward = loss_operation(loss, "forward", Phase::loss);
  forward.reads = {prediction, label};
  forward.writes = {value};
  forward.effort.element_flops = flops;
  builder.emit(std::move(forward));

  Operation backward = loss_operation(loss, "backward", Phase::backward);
  const ValueId gradient = builder.new_gradient(prediction, {.name = "loss"});
  backward.reads = {prediction, label};
  backward.writes = {gradient};
  backward.may_overwrite = {{gradient, prediction}};
  backward.effort.element_flops = flops;
  builder.emit(std::move(backward));
}

void emit_update(const Optimizer& optimizer, ValueId parameter, TrainingBuilder& builder) {
  const std::string name = builder.value(parameter).name;
  Operation update{.name = name + ".update", .op = std::string(op_name(optimizer)) + ".update"};
  update.phase = Phase::update;
  update.origin = optimizer;
  update.reads = {builder.gradient(parameter)};
  update.updates = {parameter};
  std::visit(
      [&](const auto& kind) {
        for (const std::string& end : remembered(kind)) {
          Value state = builder.value(parameter);
          state.name = name + end;
          update.updates.push_back(builder.add_value(std::move(state)));
        }
        update.effort.element_flops =
            scaled(builder.elements(parameter), flops_per_parameter(kind));
      },
      optimizer);
  builder.training().trained.push_back({parameter, builder.gradient(parameter)});
  builder.emit(std::move(update));
}

}  // namespace stint
