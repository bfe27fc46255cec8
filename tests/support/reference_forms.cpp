#include <limits>

#include "tests/support/reference_kernels.hpp"

namespace stint {
namespace {

std::size_t axis_from(std::int64_t axis, std::size_t rank) {
  return axis < 0 ? rank + axis : static_cast<std::size_t>(axis);
}

// visit(whole place, part place) for every element of a part that begins at `offset` of the axis.
template <typename Visit>
void visit_part(const ReferenceTensor& whole, const ReferenceTensor& part, std::size_t axis,
                std::int64_t offset, Visit visit) {
  std::int64_t inner = 1;
  for (std::size_t d = axis + 1; d < whole.shape.size(); ++d) inner *= whole.shape[d];
  for (std::int64_t i = 0; i < part.count(); ++i) {
    const std::int64_t run = part.shape[axis] * inner;
    visit(i / run * whole.shape[axis] * inner + offset * inner + i % run, i);
  }
}

void join(ReferenceTask& t, std::int64_t axis) {
  const std::size_t at = axis_from(axis, t.writes[0].shape.size());
  std::int64_t offset = 0;
  for (const ReferenceTensor& part : t.reads) {
    visit_part(t.writes[0], part, at, offset,
               [&](auto whole, auto i) { t.writes[0][whole] = part[i]; });
    offset += part.shape[at];
  }
}

void take_apart(ReferenceTask& t, std::int64_t axis) {
  const std::size_t at = axis_from(axis, t.reads[0].shape.size());
  std::int64_t offset = 0;
  for (ReferenceTensor& part : t.writes) {
    visit_part(t.reads[0], part, at, offset,
               [&](auto whole, auto i) { part[i] = t.reads[0][whole]; });
    offset += part.shape[at];
  }
}

// visit(place in the order's input, place in its output).
template <typename Visit>
void visit_permuted(const std::vector<std::int64_t>& order, const ReferenceTensor& input,
                    Visit visit) {
  for (std::int64_t i = 0; i < input.count(); ++i) {
    std::vector<std::int64_t> index(order.size());
    std::int64_t rest = i, output = 0;
    for (std::size_t d = order.size(); d-- > 0; rest /= input.shape[d])
      index[d] = rest % input.shape[d];
    for (const std::int64_t from : order) output = output * input.shape[from] + index[from];
    visit(i, output);
  }
}

bool run_embedding(std::string_view op, ReferenceTask& t) {
  const bool forward = op == "embedding.forward";
  if (!forward && op != "embedding.backward_weights") return false;
  ReferenceTensor& table = forward ? t.reads[0] : t.writes[0];
  const ReferenceTensor& rows = forward ? t.reads[1] : t.reads[0];
  const std::int64_t width = table.shape[1];
  for (std::int64_t i = 0; i < rows.count() * width; ++i) {
    const auto row = static_cast<std::int64_t>(rows[i / width]);
    const bool is_row = row >= 0 && row < table.shape[0];
    const std::int64_t at = row * width + i % width;
    if (forward)
      t.writes[0][i] = is_row ? table[at] : std::numeric_limits<double>::quiet_NaN();
    else if (is_row)
      table[at] += t.reads[1][i];
  }
  return true;
}

}  // namespace

bool run_reference_forms(std::string_view op, ReferenceTask& t) {
  if (op == "concat.forward")
    join(t, t.layer<Concat>().axis);
  else if (op == "concat.backward")
    take_apart(t, t.layer<Concat>().axis);
  else if (op == "split.forward")
    take_apart(t, t.layer<Split>().axis);
  else if (op == "split.backward")
    join(t, t.layer<Split>().axis);
  else if (op == "transpose.forward")
    visit_permuted(t.layer<Transpose>().order, t.reads[0],
                   [&](auto in, auto out) { t.writes[0][out] = t.reads[0][in]; });
  else if (op == "transpose.backward")
    visit_permuted(t.layer<Transpose>().order, t.writes[0],
                   [&](auto in, auto out) { t.writes[0][in] = t.reads[0][out]; });
  else if (op == "reorder")
    t.writes[0].values = t.reads[0].values;  // the same image, listed alike
  else
    return run_embedding(op, t);
  return true;
}

}  // namespace stint
