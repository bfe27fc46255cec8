#include "executor/cpu/own/form_copies.hpp"

#include "executor/cpu/own/own_kernel.hpp"
#include "files/input_error.hpp"

namespace stint {
namespace {

void expect_words(const TaskKernel& kernel) {
  if (bytes_of(kernel.writes[0].element) != sizeof(std::uint32_t))
    throw InputError(kernel.op, "elements of " + to_string(kernel.writes[0].element) +
                                    "; expected four bytes each");
}

// Dimension i of the output is dimension order[i] of the input.
std::vector<TurnedDimension> permuted(const std::vector<std::int64_t>& shape,
                                      const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
  std::vector<TurnedDimension> dimensions;
  for (const std::int64_t from : order) dimensions.push_back({shape[from], strides[from]});
  return dimensions;
}

std::vector<std::int64_t> turned_back(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<std::int64_t>(i);
  return back;
}

std::vector<TurnedDimension> reordered(const KernelOperand& from, const KernelOperand& to) {
  const auto& shape = from.shape;
  const std::int64_t pixels = shape[2] * shape[3];
  const std::int64_t sample = shape[1] * pixels;
  if (to.channels_last) return {{shape[0], sample}, {pixels, 1}, {shape[1], pixels}};
  return {{shape[0], sample}, {shape[1], 1}, {pixels, shape[1]}};
}

std::int64_t axis_of(const TaskKernel& kernel) {
  const auto& layer = std::get<LayerKind>(kernel.origin);
  if (const auto* concat = std::get_if<Concat>(&layer)) return concat->axis;
  return std::get<Split>(layer).axis;
}

}  // namespace

std::vector<TurnedDimension> turned_dimensions(const TaskKernel& kernel) {
  expect_words(kernel);
  if (kernel.op == "reorder") return reordered(kernel.reads[0], kernel.writes[0]);
  const auto& order = layer_of<Transpose>(kernel).order;
  return permuted(kernel.reads[0].shape,
                  kernel.op == "transpose.forward" ? order : turned_back(order));
}

FormPieces form_pieces(const TaskKernel& kernel) {
  expect_words(kernel);
  const bool joins = kernel.op == "concat.forward" || kernel.op == "split.backward";
  const KernelOperand& whole = joins ? kernel.writes[0] : kernel.reads[0];
  const ChannelView view = view_around(whole, axis_of(kernel));
  FormPieces all{.joins = joins, .runs = view.outer, .whole_run = view.channels * view.inner};
  std::int64_t offset = 0;
  for (const KernelOperand& part : joins ? kernel.reads : kernel.writes) {
    all.pieces.push_back({element_count(part) / view.outer, offset});
    offset += all.pieces.back().run;
  }
  return all;
}

}  // namespace stint
