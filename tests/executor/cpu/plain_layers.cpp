#include "tests/executor/cpu/plain_layers.hpp"

#include <functional>

namespace stint {
namespace {

using Sizes = std::vector<std::int64_t>;

// y[output] += x[input] w[weight]
struct Term {
  std::int64_t input, weight, output;
};

// y[output] += share x[input]; a place in the window, row by row.
struct PoolTerm {
  std::int64_t input, output;
  double share;
};

std::int64_t at(const Sizes& sizes, std::int64_t n, std::int64_t c, std::int64_t y,
                std::int64_t x) {
  return ((n * sizes[1] + c) * sizes[2] + y) * sizes[3] + x;
}

bool inside(const Sizes& image, std::int64_t y, std::int64_t x) {
  return y >= 0 && x >= 0 && y < image[2] && x < image[3];
}

// Every pixel of the side that a kernel is put on, and every place under it on the other side.
// visit(sample, y, x, i, j, other y, other x)
template <typename Window, typename Visit>
void slide(const Window& window, const Pair& dilation, const Sizes& on, const Sizes& over,
           const Visit& visit) {
  for (std::int64_t n = 0; n < on[0]; ++n)
    for (std::int64_t y = 0; y < on[2]; ++y)
      for (std::int64_t x = 0; x < on[3]; ++x)
        for (std::int64_t i = 0; i < window.kernel[0]; ++i)
          for (std::int64_t j = 0; j < window.kernel[1]; ++j) {
            const std::int64_t over_y = y * window.stride[0] - window.padding[0] + i * dilation[0];
            const std::int64_t over_x = x * window.stride[1] - window.padding[1] + j * dilation[1];
            if (inside(over, over_y, over_x)) visit(n, y, x, i, j, over_y, over_x);
          }
}

template <typename Visit>
void for_terms(const Conv2d& layer, const Sizes& in, const Sizes& out, const Visit& visit) {
  const std::int64_t channels = in[1] / layer.groups, filters = out[1] / layer.groups;
  const Sizes weight = {out[1], channels, layer.kernel[0], layer.kernel[1]};
  slide(layer, layer.dilation, out, in,
        [&](auto n, auto y, auto x, auto i, auto j, auto v, auto u) {
          for (std::int64_t f = 0; f < out[1]; ++f)
            for (std::int64_t c = 0; c < channels; ++c)
              visit(Term{at(in, n, f / filters * channels + c, v, u), at(weight, f, c, i, j),
                         at(out, n, f, y, x)});
        });
}

template <typename Visit>
void for_terms(const ConvTranspose2d& layer, const Sizes& in, const Sizes& out,
               const Visit& visit) {
  const std::int64_t channels = in[1] / layer.groups, filters = out[1] / layer.groups;
  const Sizes weight = {in[1], filters, layer.kernel[0], layer.kernel[1]};
  slide(layer, layer.dilation, in, out,
        [&](auto n, auto y, auto x, auto i, auto j, auto v, auto u) {
          for (std::int64_t c = 0; c < in[1]; ++c)
            for (std::int64_t f = 0; f < filters; ++f)
              visit(Term{at(in, n, c, y, x), at(weight, c, f, i, j),
                         at(out, n, c / channels * filters + f, v, u)});
        });
}

std::int64_t count_of(const Sizes& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

template <typename Visit>
void for_terms(const Linear&, const Sizes& in, const Sizes& out, const Visit& visit) {
  const std::int64_t width = in.back(), features = out.back();
  for (std::int64_t row = 0; row < count_of(in) / width; ++row)
    for (std::int64_t f = 0; f < features; ++f)
      for (std::int64_t k = 0; k < width; ++k)
        visit(Term{row * width + k, f * width + k, row * features + f});
}

// The first factor is the input, the second the weight.
template <typename Visit>
void for_terms(const Matmul& layer, const Sizes& a, const Sizes& y, const Visit& visit) {
  const std::size_t last = a.size() - 1;
  const std::int64_t m = y[last - 1], n = y[last], k = a[layer.transpose_a ? last - 1 : last];
  for (std::int64_t batch = 0; batch < count_of(y) / (m * n); ++batch)
    for (std::int64_t row = 0; row < m; ++row)
      for (std::int64_t column = 0; column < n; ++column)
        for (std::int64_t i = 0; i < k; ++i)
          visit(Term{batch * m * k + (layer.transpose_a ? i * m + row : row * k + i),
                     batch * k * n + (layer.transpose_b ? column * k + i : i * n + column),
                     (batch * m + row) * n + column});
}

Numbers zeros(const KernelOperand& operand) {
  return Numbers(static_cast<std::size_t>(count_of(operand.shape)), 0.0);
}

// Which number of a bias an output gets: images have theirs by channel, rows by column.
std::int64_t bias_index(const Sizes& out, bool is_image, std::int64_t output) {
  return is_image ? output / (out[2] * out[3]) % out[1] : output % out.back();
}

template <typename Layer>
std::vector<Numbers> product(const TaskKernel& task, const Layer& layer,
                             const std::vector<Numbers>& reads) {
  constexpr bool is_image = !std::is_same_v<Layer, Linear> && !std::is_same_v<Layer, Matmul>;
  std::vector<Numbers> results;
  for (const KernelOperand& operand : task.writes) results.push_back(zeros(operand));
  const bool is_forward = task.op.ends_with("forward");
  const bool is_of_input = task.op.ends_with("backward_data") || task.op.ends_with("backward_a");
  const Sizes& in = is_of_input ? task.writes[0].shape : task.reads[0].shape;
  const Sizes& out = is_forward ? task.writes[0].shape : task.reads[1].shape;
  for_terms(layer, in, out, [&](const Term& term) {
    if (is_forward)
      results[0][term.output] += reads[0][term.input] * reads[1][term.weight];
    else if (is_of_input)
      results[0][term.input] += reads[0][term.weight] * reads[1][term.output];
    else
      results[0][term.weight] += reads[0][term.input] * reads[1][term.output];
  });
  for (std::int64_t i = 0; i < count_of(out); ++i) {
    const std::int64_t bias = bias_index(out, is_image, i);
    if (is_forward && reads.size() > 2) results[0][i] += reads[2][bias];
    if (!is_forward && results.size() > 1) results[1][bias] += reads[1][i];
  }
  return results;
}

std::vector<PoolTerm> pool_terms(const AvgPool2d& layer, const Sizes& in, const Sizes& out) {
  std::vector<PoolTerm> list;
  std::vector<double> counts(static_cast<std::size_t>(count_of(out)), 0);
  slide(layer, {1, 1}, out, in, [&](auto n, auto y, auto x, auto, auto, auto v, auto u) {
    for (std::int64_t c = 0; c < out[1]; ++c) {
      list.push_back({at(in, n, c, v, u), at(out, n, c, y, x), 1.0});
      counts[at(out, n, c, y, x)] += 1;
    }
  });
  const double window = static_cast<double>(layer.kernel[0] * layer.kernel[1]);
  for (PoolTerm& term : list) term.share = 1 / (layer.count_padding ? window : counts[term.output]);
  return list;
}

std::vector<Numbers> average(const TaskKernel& task, const AvgPool2d& layer, const Numbers& read) {
  const bool is_forward = task.op.ends_with("forward");
  const Sizes& in = (is_forward ? task.reads : task.writes)[0].shape;
  const Sizes& out = (is_forward ? task.writes : task.reads)[0].shape;
  Numbers result = zeros(task.writes[0]);
  for (const PoolTerm& term : pool_terms(layer, in, out)) {
    if (is_forward)
      result[term.output] += term.share * read[term.input];
    else
      result[term.input] += term.share * read[term.output];
  }
  return {result};
}

// The input that each output of a maximum comes from: the first of the greatest.
std::vector<std::int64_t> origins(const TaskKernel& forward, const Numbers& x) {
  const auto& layer = std::get<MaxPool2d>(std::get<LayerKind>(forward.origin));
  const Sizes& in = forward.reads[0].shape;
  const Sizes& out = forward.writes[0].shape;
  std::vector<std::int64_t> list(static_cast<std::size_t>(count_of(out)), -1);
  slide(layer, layer.dilation, out, in, [&](auto n, auto y, auto u, auto, auto, auto v, auto w) {
    for (std::int64_t c = 0; c < out[1]; ++c) {
      std::int64_t& origin = list[at(out, n, c, y, u)];
      const std::int64_t input = at(in, n, c, v, w);
      if (origin < 0 || x[input] > x[origin]) origin = input;
    }
  });
  return list;
}

struct Plain {
  const TaskKernel& task;
  const std::vector<Numbers>& reads;

  std::vector<Numbers> operator()(const AvgPool2d& layer) const {
    return average(task, layer, reads[0]);
  }
  std::vector<Numbers> operator()(const GlobalAvgPool&) const {
    const Sizes& in = (task.op.ends_with("forward") ? task.reads : task.writes)[0].shape;
    return average(task, {.kernel = {in[2], in[3]}, .stride = {1, 1}}, reads[0]);
  }
  std::vector<Numbers> operator()(const MaxPool2d&) const {
    Numbers y;
    for (const std::int64_t origin : origins(task, reads[0])) y.push_back(reads[0][origin]);
    return {y};
  }
  std::vector<Numbers> operator()(const Conv2d& layer) const { return product(task, layer, reads); }
  std::vector<Numbers> operator()(const ConvTranspose2d& layer) const {
    return product(task, layer, reads);
  }
  std::vector<Numbers> operator()(const Linear& layer) const { return product(task, layer, reads); }
  std::vector<Numbers> operator()(const Matmul& layer) const { return product(task, layer, reads); }
  template <typename Other>
  std::vector<Numbers> operator()(const Other&) const {
    throw std::logic_error("no plain layer for " + task.op);
  }
};

}  // namespace

std::vector<Numbers> plain_results(const TaskKernel& task, const std::vector<Numbers>& reads) {
  return std::visit(Plain{task, reads}, std::get<LayerKind>(task.origin));
}

Numbers plain_max_gradient(const TaskKernel& forward, const Numbers& x, const Numbers& dy) {
  Numbers dx = zeros(forward.reads[0]);
  const auto from = origins(forward, x);
  for (std::size_t i = 0; i < from.size(); ++i) dx[from[i]] += dy[i];
  return dx;
}

}  // namespace stint
