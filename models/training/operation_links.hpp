// Who reads and who writes each value of a training step: for passes that replace several
// operations by one (fuse.hpp), which may do so only where nobody else wants what lies between.
#pragma once

#include <string_view>
#include <vector>

#include "models/training/training.hpp"

namespace stint {

inline constexpr int no_operation = -1;

class OperationLinks {
 public:
  explicit OperationLinks(const Training& training);

  const Operation& operation(int i) const { return training_.operations[i]; }
  int count() const { return static_cast<int>(training_.operations.size()); }
  int writer(ValueId value) const { return writer_[value]; }
  const std::vector<int>& readers(ValueId value) const { return readers_[value]; }

  // Who reads the value beside `but`, if that is one operation of this name.
  int only_reader(ValueId value, std::string_view op, const std::vector<int>& but = {}) const;
  // Whether nobody else does.
  bool is_read_by(ValueId value, const std::vector<int>& readers) const;
  // One of this name and layer among the readers.
  int reader_of_layer(ValueId value, std::string_view op, const std::string& layer) const;

 private:
  const Training& training_;
  std::vector<std::vector<int>> readers_;  // by value
  std::vector<int> writer_;
  std::vector<bool> is_viewed_;
};

// What its layer is, if it is one of this kind.
template <typename Kind>
const Kind* kind_of(const Operation& operation) {
  const auto* kind = std::get_if<LayerKind>(&operation.origin);
  return kind == nullptr ? nullptr : std::get_if<Kind>(kind);
}

// The products and elements of these operations together; workspace is for whoever asks to say.
Effort joint_effort(const OperationLinks& links, const std::vector<int>& parts);

// New operations in the places of old ones, and others gone, all at once.
class Replacements {
 public:
  void put(int at, Operation operation) { put_.emplace_back(at, std::move(operation)); }
  void remove(int at) {
    if (at != no_operation) gone_.push_back(at);
  }
  void apply(Training& training);

 private:
  std::vector<std::pair<int, Operation>> put_;
  std::vector<int> gone_;
};

}  // namespace stint
