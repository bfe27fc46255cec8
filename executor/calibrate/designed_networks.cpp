#include "executor/calibrate/designed_networks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace stint {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  std::int64_t log_uniform(double least, double most) {
    const double share = static_cast<double>(engine_() >> 11) * 0x1p-53;
    return std::llround(least * std::pow(most / least, share));
  }
  template <typename Value, std::size_t count>
  Value one_of(const std::array<Value, count>& values) {
    return values[engine_() % count];
  }

 private:
  std::mt19937_64 engine_;
};

double product_of(std::initializer_list<std::int64_t> factors) {
  double product = 1;
  for (const std::int64_t factor : factors) product *= static_cast<double>(factor);
  return product;
}

// Two micro-batches, so that gradients are summed.
DesignedNetwork designed(Network network, std::int64_t samples) {
  return {std::move(network), {.batch = 2 * samples, .microbatches = 2}};
}

Optimizer some_optimizer(Draw& draw) {
  const std::array<Optimizer, 3> optimizers = {Sgd{}, Sgd{.momentum = 0.9}, Adam{}};
  return draw.one_of(optimizers);
}

struct ImageSizes {
  std::int64_t samples = 1;
  std::int64_t channels = 1;
  std::int64_t side = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
};

ImageSizes image_sizes(const DesignLimits& limits, Draw& draw) {
  for (;;) {
    const ImageSizes s{.samples = draw.log_uniform(1, 16),
                       .channels = draw.log_uniform(3, 256),
                       .side = draw.log_uniform(8, 112),
                       .filters = draw.log_uniform(4, 256),
                       .kernel = draw.one_of(std::array{1, 3, 3, 5}),
                       .stride = draw.one_of(std::array{1, 1, 2})};
    const double flops =
        2 * product_of({s.samples, s.channels, s.filters, s.side, s.side, s.kernel, s.kernel}) /
        product_of({s.stride, s.stride});
    const double pixels = product_of({s.samples, s.side, s.side});
    const auto widest = static_cast<double>(std::max(s.channels, s.filters));
    if (flops <= limits.most_flops && 4 * pixels * widest <= limits.most_bytes) return s;
  }
}

// Behind the scale, so that the convolution has gradients of its data too.
std::vector<Layer> image_layers(const ImageSizes& s) {
  const std::int64_t half = s.kernel / 2;
  const Conv2d conv{.filters = s.filters,
                    .kernel = {s.kernel, s.kernel},
                    .stride = {s.stride, s.stride},
                    .padding = {half, half, half, half}};
  const Conv2d deep{.filters = s.filters,
                    .kernel = {3, 3},
                    .padding = {1, 1, 1, 1},
                    .groups = s.filters,
                    .bias = false};
  const ConvTranspose2d up{
      .filters = std::max<std::int64_t>(s.channels / 4, 1), .kernel = {2, 2}, .stride = {2, 2}};
  const MaxPool2d highest{.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1, 1, 1}};
  const AvgPool2d mean{.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1, 1, 1}};
  return {{"scale", Scale{}, {"image"}},
          {"conv", conv, {"scale"}},
          {"norm", BatchNorm{}, {"conv"}},
          {"relu", Relu{}, {"norm"}},
          {"deep", deep, {"relu"}},
          {"bias", Bias{}, {"deep"}},
          {"lrn", LocalResponseNorm{}, {"bias"}},
          {"sigmoid", Sigmoid{}, {"lrn"}},
          {"mul", Mul{}, {"sigmoid", "relu"}},
          {"highest", highest, {"mul"}},
          {"mean", mean, {"mul"}},
          {"both", Concat{}, {"highest", "mean"}},
          {"drop", Dropout{}, {"both"}},
          {"up", up, {"drop"}},
          {"global", GlobalAvgPool{}, {"up"}},
          {"flat", Flatten{}, {"global"}},
          {"classes", Linear{.features = 10}, {"flat"}}};
}

DesignedNetwork images(const DesignLimits& limits, Draw& draw) {
  const ImageSizes s = image_sizes(limits, draw);
  Network network{.name = "images", .layers = image_layers(s)};
  network.inputs = {{"image", {batch_dimension, {s.channels}, {s.side}, {s.side}}},
                    {"label", {batch_dimension}, Element::int32}};
  network.loss = {CrossEntropy{}, {"classes", "label"}};
  network.optimizer = some_optimizer(draw);
  return designed(std::move(network), s.samples);
}

struct SequenceSizes {
  std::int64_t samples = 1;
  std::int64_t length = 1;
  std::int64_t heads = 1;
  std::int64_t width = 1;
  std::int64_t inner = 1;
  std::int64_t entries = 1;
};

SequenceSizes sequence_sizes(const DesignLimits& limits, Draw& draw) {
  for (;;) {
    const std::int64_t heads = draw.log_uniform(1, 12);
    const SequenceSizes s{.samples = draw.log_uniform(1, 16),
                          .length = draw.log_uniform(8, 512),
                          .heads = heads,
                          .width = heads * draw.one_of(std::array{16, 32, 64}),
                          .inner = draw.log_uniform(32, 3072),
                          .entries = draw.log_uniform(32, 8192)};
    const double rows = product_of({s.samples, s.length});
    const auto widest = static_cast<double>(std::max({s.inner, s.entries, 3 * s.width}));
    const double flops = 2 * rows * static_cast<double>(s.width) * widest;
    if (flops <= limits.most_flops && 4 * rows * widest <= limits.most_bytes) return s;
  }
}

std::vector<Layer> sequence_layers(const SequenceSizes& s, Draw& draw) {
  const Split thirds{.sizes = {s.width, s.width, s.width}, .axis = 2};
  const bool causal = draw.one_of(std::array{false, true});
  return {{"table", Embedding{s.entries, s.width}, {"token"}},
          {"place", Bias{{s.length, s.width}}, {"table"}},
          {"norm", LayerNorm{}, {"place"}},
          {"qkv", Linear{.features = 3 * s.width}, {"norm"}},
          {"parts", thirds, {"qkv"}, {"q", "k", "v"}},
          {"attend", Attention{.heads = s.heads, .causal = causal}, {"q", "k", "v"}},
          {"sum", Add{}, {"attend", "place"}},
          {"wide", Linear{.features = s.inner}, {"sum"}},
          {"gelu", Gelu{.tanh = draw.one_of(std::array{false, true})}, {"wide"}},
          {"narrow", Linear{.features = s.width, .bias = false}, {"gelu"}},
          {"soft", Softmax{}, {"narrow"}},
          {"turned", Transpose{{0, 2, 1}}, {"soft"}},
          {"products", Matmul{}, {"turned", "sum"}},
          {"back", Matmul{}, {"narrow", "products"}},
          {"scores", Linear{.features = s.entries, .weight_of = "table"}, {"back"}}};
}

DesignedNetwork sequences(const DesignLimits& limits, Draw& draw) {
  const SequenceSizes s = sequence_sizes(limits, draw);
  Network network{.name = "sequences", .layers = sequence_layers(s, draw)};
  network.inputs = {{"token", {batch_dimension, {s.length}}, Element::int32},
                    {"label", {batch_dimension, {s.length}}, Element::int32}};
  network.loss = {CrossEntropy{}, {"scores", "label"}};
  network.optimizer = some_optimizer(draw);
  return designed(std::move(network), s.samples);
}

struct RowSizes {
  std::int64_t samples = 1;
  std::int64_t width = 1;
  std::int64_t features = 1;
};

RowSizes row_sizes(const DesignLimits& limits, Draw& draw) {
  for (;;) {
    const RowSizes s{.samples = draw.log_uniform(1, 1024),
                     .width = draw.log_uniform(8, 4096),
                     .features = draw.log_uniform(8, 4096)};
    const auto widest = static_cast<double>(std::max(s.width, s.features));
    const double weight = product_of({s.width, s.features});
    const auto rows = static_cast<double>(s.samples);
    if (2 * rows * weight <= limits.most_flops && 4 * weight <= limits.most_bytes &&
        4 * rows * widest <= limits.most_bytes)
      return s;
  }
}

DesignedNetwork rows(const DesignLimits& limits, Draw& draw) {
  const RowSizes s = row_sizes(limits, draw);
  Network network{.name = "rows"};
  network.inputs = {{"x", {batch_dimension, {s.width}}},
                    {"target", {batch_dimension, {s.features}}}};
  network.layers = {{"before", Tanh{}, {"x"}},
                    {"scale", Scale{}, {"before"}},
                    {"fc", Linear{.features = s.features}, {"scale"}},
                    {"tanh", Tanh{}, {"fc"}},
                    {"affine", Affine{.factor = 0.5, .offset = 0.25}, {"tanh"}},
                    {"norm", BatchNorm{}, {"affine"}},
                    {"add", Add{}, {"norm", "tanh"}}};
  network.loss = {MeanSquaredError{}, {"add", "target"}};
  network.optimizer = some_optimizer(draw);
  return designed(std::move(network), s.samples);
}

}  // namespace

std::vector<DesignedNetwork> designed_networks(const DesignLimits& limits, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<DesignedNetwork> all;
  for (int i = 0; i < limits.networks; ++i) {
    all.push_back(images(limits, draw));
    all.push_back(sequences(limits, draw));
    all.push_back(rows(limits, draw));
  }
  return all;
}

}  // namespace stint
