// Grows a Training: values, operations, and gradients as they arrive. What each kind of layer adds
// is in kinds.hpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "models/training/training.hpp"

namespace stint {

// Another order in memory of the same image; no layer that a user writes.
struct Reorder {
  bool to_channels_last = false;
};

// A layer applied to values, remembered until its backward operations are made.
struct AppliedLayer {
  std::string name;
  std::variant<LayerKind, Reorder> kind;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> parameters;        // in the order of LayerTypes; a shared weight first
  ValueId kept = no_value;                // indices, statistics: made forward, read backward
  std::string cut_with;                   // the layer whose cut applies, where it is not this one
  std::vector<ValueId> output_gradients;  // when backward operations are made
};

class TrainingBuilder {
 public:
  const Value& value(ValueId id) const { return training_.values[id]; }
  Dimension elements(ValueId id) const { return product(value(id).shape); }

  // A name that is taken gets a number.
  ValueId add_value(Value value);
  ValueId add_like(ValueId other, const std::string& name);  // same shape, element and order
  ValueId add_view(ValueId of, const std::string& name, const Shape& shape);
  void add_parameter(ValueId id, const Parameter& parameter);

  // Appends the operation; gradients that it writes are handed to the values they belong to.
  void emit(Operation operation);

  // Forward: a value's gradient is wanted if a trained parameter lies behind it.
  void want_gradient(ValueId id) { wants_gradient_[id] = true; }
  bool wants_gradient(ValueId id) const { return wants_gradient_[id]; }
  void add_reader(ValueId id) { ++readers_[id]; }

  // Backward: a new value that `reader` will write as its share of the gradient of `of`.
  ValueId new_gradient(ValueId of, const AppliedLayer& reader);
  // The same, or a value that nobody reads.
  ValueId new_gradient_wanted_or_not(ValueId of, const AppliedLayer& reader);
  // The share is an existing value, in another shape perhaps.
  void pass_gradient(ValueId of, ValueId share, const AppliedLayer& reader);
  // The gradient, all shares that have arrived summed; no_value if none has.
  ValueId gradient(ValueId of) const { return gradient_[of]; }
  bool gradient_is_complete(ValueId of) const { return arrived_[of] == readers_[of]; }
  bool is_read_backward(ValueId id) const { return read_backward_[id]; }

  Training& training() { return training_; }

 private:
  static std::string unused(const std::string& name, std::set<std::string>& taken);
  std::string share_name(ValueId of, const AppliedLayer& reader) const;
  void deliver(ValueId of, ValueId share, const std::string& layer);

  Training training_;
  std::set<std::string> value_names_;
  std::set<std::string> operation_names_;
  // By value:
  std::vector<bool> wants_gradient_;
  std::vector<bool> read_backward_;
  std::vector<int> readers_;
  std::vector<int> arrived_;
  std::vector<ValueId> gradient_;
  std::vector<ValueId> gradient_of_;  // of a share: the value it is for, until it is delivered
};

}  // namespace stint
