#include <cmath>

#include "tests/support/reference_kernels.hpp"

namespace stint {
namespace {

bool run_linear(std::string_view op, ReferenceTask& t) {
  const bool forward = op == "linear.forward", weights = op == "linear.backward_weights";
  if (!forward && !weights && op != "linear.backward_data") return false;
  ReferenceTensor& x = forward || weights ? t.reads[0] : t.writes[0];
  ReferenceTensor& y = forward ? t.writes[0] : t.reads[1];
  ReferenceTensor& w = forward ? t.reads[1] : weights ? t.writes[0] : t.reads[0];
  const std::int64_t features = w.shape[0], width = w.shape[1];
  for (std::int64_t o = 0; o < y.count(); ++o) {
    const std::int64_t row = o / features, f = o % features;
    if (t.layer<Linear>().bias && forward) y[o] = t.reads[2][f];
    if (t.layer<Linear>().bias && weights) t.writes[1][f] += y[o];
    for (std::int64_t i = 0; i < width; ++i) {
      if (forward)
        y[o] += x[row * width + i] * w[f * width + i];
      else if (weights)
        w[f * width + i] += x[row * width + i] * y[o];
      else
        x[row * width + i] += y[o] * w[f * width + i];
    }
  }
  return true;
}

// y(m, n) = Σ a(m, k) b(k, n), of the matrices as they are stored.
bool run_matmul(std::string_view op, ReferenceTask& t) {
  if (!op.starts_with("matmul.")) return false;
  const auto& layer = t.layer<Matmul>();
  const bool forward = op == "matmul.forward", of_a = op == "matmul.backward_a";
  ReferenceTensor& a = forward ? t.reads[0] : of_a ? t.writes[0] : t.reads[0];
  ReferenceTensor& b = forward ? t.reads[1] : of_a ? t.reads[0] : t.writes[0];
  ReferenceTensor& y = forward ? t.writes[0] : t.reads[1];
  const std::size_t rank = y.shape.size();
  const std::int64_t m = y.shape[rank - 2], n = y.shape[rank - 1];
  const std::int64_t k = a.shape[layer.transpose_a ? rank - 2 : rank - 1];
  for (std::int64_t o = 0; o < y.count(); ++o) {
    const std::int64_t j = o % n, i = o / n % m, which = o / (m * n);
    for (std::int64_t l = 0; l < k; ++l) {
      const std::int64_t at_a = which * m * k + (layer.transpose_a ? l * m + i : i * k + l);
      const std::int64_t at_b = which * k * n + (layer.transpose_b ? j * k + l : l * n + j);
      if (forward)
        y[o] += a[at_a] * b[at_b];
      else if (of_a)
        a[at_a] += y[o] * b[at_b];
      else
        b[at_b] += y[o] * a[at_a];
    }
  }
  return true;
}

// Scores, weights and the logarithm of the sum for one query of one head.
struct AttentionRow {
  std::vector<double> weights;
  double log_sum = 0;
};

struct AttentionPlaces {
  explicit AttentionPlaces(const ReferenceTask& t)
      : layer(t.layer<Attention>()),
        samples(t.reads[0].shape[0]),
        queries(t.reads[0].shape[1]),
        keys(t.reads[1].shape[1]),
        width(t.reads[0].shape[2] / layer.heads),
        out_width(t.reads[2].shape[2] / layer.heads),
        scale(layer.scale.value_or(1 / std::sqrt(static_cast<double>(width)))) {}

  const Attention& layer;
  std::int64_t samples, queries, keys, width, out_width;
  double scale;

  std::int64_t seen(std::int64_t query) const {
    return layer.causal ? std::min(query + 1, keys) : keys;
  }
  std::int64_t q(std::int64_t n, std::int64_t head, std::int64_t query) const {
    return ((n * queries + query) * layer.heads + head) * width;
  }
  std::int64_t k(std::int64_t n, std::int64_t head, std::int64_t key) const {
    return ((n * keys + key) * layer.heads + head) * width;
  }
  std::int64_t v(std::int64_t n, std::int64_t head, std::int64_t key) const {
    return ((n * keys + key) * layer.heads + head) * out_width;
  }
  std::int64_t y(std::int64_t n, std::int64_t head, std::int64_t query) const {
    return ((n * queries + query) * layer.heads + head) * out_width;
  }
};

AttentionRow row_of(const ReferenceTask& t, const AttentionPlaces& at, std::int64_t n,
                    std::int64_t head, std::int64_t query) {
  AttentionRow row;
  double sum = 0;
  for (std::int64_t key = 0; key < at.seen(query); ++key) {
    double score = 0;
    for (std::int64_t i = 0; i < at.width; ++i)
      score += t.reads[0][at.q(n, head, query) + i] * t.reads[1][at.k(n, head, key) + i];
    row.weights.push_back(std::exp(score * at.scale));
    sum += row.weights.back();
  }
  for (double& weight : row.weights) weight /= sum;
  row.log_sum = std::log(sum);
  return row;
}

template <typename Visit>
void visit_queries(const AttentionPlaces& at, Visit visit) {
  for (std::int64_t n = 0; n < at.samples; ++n)
    for (std::int64_t head = 0; head < at.layer.heads; ++head)
      for (std::int64_t query = 0; query < at.queries; ++query) visit(n, head, query);
}

void attention(ReferenceTask& t) {
  const AttentionPlaces at(t);
  visit_queries(at, [&](auto n, auto head, auto query) {
    const AttentionRow row = row_of(t, at, n, head, query);
    for (std::int64_t key = 0; key < at.seen(query); ++key)
      for (std::int64_t i = 0; i < at.out_width; ++i)
        t.writes[0][at.y(n, head, query) + i] +=
            row.weights[key] * t.reads[2][at.v(n, head, key) + i];
    if (t.writes.size() > 1)
      t.writes[1][(n * at.layer.heads + head) * at.queries + query] = row.log_sum;
  });
}

void attention_backward(ReferenceTask& t) {
  const AttentionPlaces at(t);
  const ReferenceTensor &q = t.reads[0], &k = t.reads[1], &v = t.reads[2], &dy = t.reads[5];
  ReferenceTensor &dq = t.writes[0], &dk = t.writes[1], &dv = t.writes[2];
  visit_queries(at, [&](auto n, auto head, auto query) {
    const AttentionRow row = row_of(t, at, n, head, query);
    const std::int64_t y = at.y(n, head, query);
    std::vector<double> slopes(row.weights.size(), 0);
    double mean = 0;
    for (std::int64_t key = 0; key < at.seen(query); ++key) {
      for (std::int64_t i = 0; i < at.out_width; ++i) {
        slopes[key] += dy[y + i] * v[at.v(n, head, key) + i];
        dv[at.v(n, head, key) + i] += row.weights[key] * dy[y + i];
      }
      mean += row.weights[key] * slopes[key];
    }
    for (std::int64_t key = 0; key < at.seen(query); ++key) {
      const double slope = row.weights[key] * (slopes[key] - mean) * at.scale;
      for (std::int64_t i = 0; i < at.width; ++i) {
        dq[at.q(n, head, query) + i] += slope * k[at.k(n, head, key) + i];
        dk[at.k(n, head, key) + i] += slope * q[at.q(n, head, query) + i];
      }
    }
  });
}

}  // namespace

bool run_reference_products(std::string_view op, ReferenceTask& t) {
  if (op == "attention.forward")
    attention(t);
  else if (op == "attention.backward")
    attention_backward(t);
  else
    return run_linear(op, t) || run_matmul(op, t);
  return true;
}

}  // namespace stint
