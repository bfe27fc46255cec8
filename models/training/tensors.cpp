#include "models/training/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/training/weight_order.hpp"

namespace stint {

StepTensors::StepTensors(const Training& training, const Lowering& lowering, Graph& graph)
    : training_(training),
      lowering_(lowering),
      graph_(graph),
      samples_(lowering.batch / lowering.microbatches),
      tensors_(lowering.microbatches),
      state_(lowering.replicas) {}

TensorId& StepTensors::entry(std::vector<TensorId>& row, ValueId id) const {
  if (row.empty()) row.resize(training_.values.size(), no_tensor);
  return row[id];
}

ValueId StepTensors::root_of(ValueId id) const {
  while (value(id).same_bytes != no_value) id = value(id).same_bytes;
  return id;
}

bool StepTensors::can_be_cut(const Operation& operation) const {
  bool any_samples = false;
  for (const auto* list : {&operation.reads, &operation.writes, &operation.updates}) {
    for (const ValueId id : *list) {
      if (!has_samples(id)) continue;
      if (!value(id).shape[0].per_sample) return false;
      any_samples = true;
    }
  }
  return any_samples;
}

std::int64_t StepTensors::bytes_of_samples(ValueId id, std::int64_t samples) const {
  const Value& held = value(id);
  if (const auto order = parse_weight_order(held.order))
    return stored_elements(*order) * bytes_of(held.element);
  return product(held.shape).at(samples) * bytes_of(held.element);
}

std::string StepTensors::name_in(const std::string& name, std::int64_t microbatch) const {
  return lowering_.microbatches == 1 ? name : fmt::format("{}#{}", name, microbatch);
}

std::string StepTensors::name_at(const std::string& name, std::int64_t replica) {
  return replica == 0 ? name : fmt::format("{}@n{}", name, replica);
}

TensorId StepTensors::add(Tensor tensor) {
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId StepTensors::of(ValueId id, std::int64_t microbatch) {
  const ValueId root = root_of(id);
  if (value(root).kind == Kind::state)
    return state_of(root, microbatch / (lowering_.microbatches / lowering_.replicas));
  TensorId& tensor = entry(tensors_[microbatch], root);
  if (tensor != no_tensor) return tensor;
  Tensor made{.name = name_in(value(root).name, microbatch),
              .bytes = bytes_of_samples(root, samples_),
              .kind = value(root).kind,
              .part_of = {}};
  if (value(root).part_of != no_value)
    made.part_of = PartOf{of(value(root).part_of, microbatch),
                          value(root).first_element * bytes_of(value(root).element)};
  return tensor = add(std::move(made));
}

TensorId StepTensors::state_of(ValueId id, std::int64_t replica) {
  TensorId& tensor = entry(state_[replica], id);
  if (tensor != no_tensor) return tensor;
  Tensor state{.name = name_at(value(id).name, replica),
               .bytes = bytes_of_samples(id, samples_),
               .kind = Kind::state,
               .part_of = {}};
  if (value(id).part_of != no_value)
    state.part_of = PartOf{state_of(value(id).part_of, replica),
                           value(id).first_element * bytes_of(value(id).element)};
  return tensor = add(std::move(state));
}

TensorId StepTensors::part(ValueId id, std::int64_t microbatch, SampleRange range) {
  const TensorId whole = of(id, microbatch);
  if (range.count() == samples_) return whole;
  const auto [found, is_new] = parts_.try_emplace({whole, range.begin, range.end}, no_tensor);
  if (is_new) {
    const Tensor& of_all = graph_.tensors[whole];
    found->second = add({.name = fmt::format("{}[{}:{}]", of_all.name, range.begin, range.end),
                         .bytes = bytes_of_samples(id, range.count()),
                         .kind = of_all.kind,
                         .part_of = PartOf{whole, bytes_of_samples(id, range.begin)}});
  }
  return found->second;
}

std::int64_t StepTensors::elements(TensorId tensor) const {
  return graph_.tensors[tensor].bytes / bytes_of(Element::f32);
}

std::string StepTensors::text(ElementRange range) {
  return fmt::format("[elements {}:{}]", range.begin, range.end);
}

TensorId StepTensors::range(TensorId whole, ElementRange elements) {
  if (elements.count() == this->elements(whole)) return whole;
  const auto [found, is_new] =
      ranges_.try_emplace({whole, elements.begin, elements.end}, no_tensor);
  if (is_new) {
    const Tensor& of_all = graph_.tensors[whole];
    found->second = add({.name = of_all.name + text(elements),
                         .bytes = elements.count() * bytes_of(Element::f32),
                         .kind = of_all.kind,
                         .part_of = PartOf{whole, elements.begin * bytes_of(Element::f32)}});
  }
  return found->second;
}

TensorId StepTensors::add_like(ValueId id, const std::string& name) {
  return add({.name = name, .bytes = bytes_of_samples(id, samples_), .kind = Kind::activation});
}

// Nothing but ones before the axis, in the order in which dimensions lie in memory.
bool StepTensors::lie_side_by_side(ValueId whole, std::size_t axis) const {
  const Shape& shape = value(whole).shape;
  static constexpr std::array<std::size_t, 4> channels_last = {0, 2, 3, 1};
  for (std::size_t place = 0; place < shape.size(); ++place) {
    const std::size_t dimension = value(whole).channels_last ? channels_last[place] : place;
    if (dimension == axis) return true;
    if (shape[dimension].at(samples_) != 1) return false;
  }
  return false;
}

bool StepTensors::try_views(const std::vector<ValueId>& pieces, ValueId whole, std::size_t axis,
                            std::int64_t microbatch) {
  if (!lie_side_by_side(whole, axis)) return false;
  const TensorId of_all = of(whole, microbatch);
  std::vector<TensorId> parts;
  for (const ValueId piece : pieces) parts.push_back(of(piece, microbatch));
  const bool distinct = std::set<TensorId>(parts.begin(), parts.end()).size() == parts.size();
  const bool free = std::all_of(parts.begin(), parts.end(), [&](TensorId part) {
    const Tensor& tensor = graph_.tensors[part];
    return tensor.kind == graph_.tensors[of_all].kind && !tensor.part_of && part != of_all;
  });
  if (!distinct || !free) return false;
  std::int64_t offset_bytes = 0;
  for (const TensorId part : parts) {
    graph_.tensors[part].part_of = PartOf{of_all, offset_bytes};
    offset_bytes += graph_.tensors[part].bytes;
  }
  return true;
}

}  // namespace stint
