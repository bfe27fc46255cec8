#include "models/training/operation_links.hpp"

#include <algorithm>
#include <limits>

namespace stint {
namespace {

bool is_among(int operation, const std::vector<int>& list) {
  return std::ranges::find(list, operation) != list.end();
}

// Both are of the batch, or 0; nobody counts further than an int64.
void add_to(Dimension& sum, Dimension more) {
  if (__builtin_add_overflow(sum.count, more.count, &sum.count))
    sum.count = std::numeric_limits<std::int64_t>::max();
  sum.per_sample = sum.per_sample || more.per_sample;
}

}  // namespace

OperationLinks::OperationLinks(const Training& training)
    : training_(training),
      readers_(training.values.size()),
      writer_(training.values.size(), no_operation),
      is_viewed_(training.values.size(), false) {
  for (int i = 0; i < count(); ++i) {
    for (const ValueId read : operation(i).reads) readers_[read].push_back(i);
    for (const ValueId written : operation(i).writes) writer_[written] = i;
  }
  for (const Value& value : training.values) {
    if (value.same_bytes != no_value) is_viewed_[value.same_bytes] = true;
  }
}

int OperationLinks::only_reader(ValueId value, std::string_view op,
                                const std::vector<int>& but) const {
  int found = no_operation;
  if (is_viewed_[value]) return no_operation;
  for (const int reader : readers_[value]) {
    if (is_among(reader, but)) continue;
    if (found != no_operation || operation(reader).op != op) return no_operation;
    found = reader;
  }
  return found;
}

bool OperationLinks::is_read_by(ValueId value, const std::vector<int>& readers) const {
  return !is_viewed_[value] && std::ranges::all_of(readers_[value], [&](int reader) {
    return is_among(reader, readers);
  });
}

int OperationLinks::reader_of_layer(ValueId value, std::string_view op,
                                    const std::string& layer) const {
  for (const int reader : readers_[value]) {
    if (operation(reader).op == op && operation(reader).layer == layer) return reader;
  }
  return no_operation;
}

Effort joint_effort(const OperationLinks& links, const std::vector<int>& parts) {
  Effort sum;
  for (const int part : parts) {
    if (part == no_operation) continue;
    const Effort& effort = links.operation(part).effort;
    sum.products.insert(sum.products.end(), effort.products.begin(), effort.products.end());
    add_to(sum.element_flops, effort.element_flops);
    add_to(sum.patch_elements, effort.patch_elements);
    add_to(sum.bands, effort.bands);
  }
  return sum;
}

void Replacements::apply(Training& training) {
  std::vector<bool> is_gone(training.operations.size(), false);
  for (const int at : gone_) is_gone[at] = true;
  for (auto& [at, operation] : put_) {
    training.operations[at] = std::move(operation);
    is_gone[at] = false;
  }
  int at = 0;
  std::erase_if(training.operations, [&](const Operation&) { return is_gone[at++]; });
}

}  // namespace stint
