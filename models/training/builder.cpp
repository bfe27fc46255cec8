#include "models/training/builder.hpp"

#include <fmt/format.h>

#include <utility>

namespace stint {

std::string TrainingBuilder::unused(const std::string& name, std::set<std::string>& taken) {
  std::string free = name;
  for (int number = 1; !taken.insert(free).second; ++number)
    free = fmt::format("{}_{}", name, number);
  return free;
}

ValueId TrainingBuilder::add_value(Value value) {
  value.name = unused(value.name, value_names_);
  training_.values.push_back(std::move(value));
  wants_gradient_.push_back(false);
  read_backward_.push_back(false);
  readers_.push_back(0);
  arrived_.push_back(0);
  gradient_.push_back(no_value);
  gradient_of_.push_back(no_value);
  return static_cast<ValueId>(training_.values.size() - 1);
}

ValueId TrainingBuilder::add_like(ValueId other, const std::string& name) {
  Value copy = value(other);
  copy.name = name;
  copy.kind = Kind::activation;
  copy.same_bytes = no_value;
  return add_value(std::move(copy));
}

ValueId TrainingBuilder::add_view(ValueId of, const std::string& name, const Shape& shape) {
  Value view = value(of);
  view.name = name;
  // In another shape the elements are in listed order, or in either: see ImageOrders.
  view.channels_last = view.channels_last && shape == view.shape;
  view.shape = shape;
  view.same_bytes = of;
  return add_value(std::move(view));
}

void TrainingBuilder::add_parameter(ValueId id, const Parameter& parameter) {
  training_.parameters.push_back(parameter);
  training_.parameters.back().name = value(id).name;
}

void TrainingBuilder::emit(Operation operation) {
  if (operation.phase == Phase::backward) {
    for (const ValueId read : operation.reads) read_backward_[read] = true;
  }
  operation.name = unused(operation.name, operation_names_);
  const std::vector<ValueId> writes = operation.writes;
  const std::string layer = operation.layer;
  training_.operations.push_back(std::move(operation));
  for (const ValueId written : writes) {
    const ValueId of = std::exchange(gradient_of_[written], no_value);
    if (of != no_value) deliver(of, written, layer);
  }
}

std::string TrainingBuilder::share_name(ValueId of, const AppliedLayer& reader) const {
  if (readers_[of] == 1) return value(of).name + ".grad";
  return fmt::format("{}.grad.{}", value(of).name, reader.name);
}

ValueId TrainingBuilder::new_gradient(ValueId of, const AppliedLayer& reader) {
  const ValueId share = add_like(of, share_name(of, reader));
  gradient_of_[share] = of;
  return share;
}

ValueId TrainingBuilder::new_gradient_wanted_or_not(ValueId of, const AppliedLayer& reader) {
  return wants_gradient(of) ? new_gradient(of, reader) : add_like(of, value(of).name + ".unused");
}

void TrainingBuilder::pass_gradient(ValueId of, ValueId share, const AppliedLayer& reader) {
  if (value(share).shape != value(of).shape)
    share = add_view(share, share_name(of, reader), value(of).shape);
  deliver(of, share, reader.name);
}

void TrainingBuilder::deliver(ValueId of, ValueId share, const std::string& layer) {
  ++arrived_[of];
  if (gradient_[of] == no_value) {
    gradient_[of] = share;
    return;
  }
  const std::string& name = value(of).name;
  const bool last = gradient_is_complete(of);
  const ValueId sum =
      add_like(of, last ? name + ".grad" : fmt::format("{}.grad.{}", name, arrived_[of]));
  Operation add{.name = value(sum).name + ".sum", .op = "sum", .phase = Phase::backward};
  add.layer = layer;
  add.reads = {gradient_[of], share};
  add.writes = {sum};
  add.may_overwrite = {{sum, gradient_[of]}};
  add.effort.element_flops = elements(of);
  gradient_[of] = sum;
  emit(std::move(add));
}

}  // namespace stint
