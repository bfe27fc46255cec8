#include "executor/calibrate/designed_networks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "executor/calibrate/step_places.hpp"
#include "models/training/lower_network.hpp"

namespace stint {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  std::int64_t log_uniform(double least, double most) {
    const double share = static_cast<double>(engine_() >> 11) * 0x1p-53;
    return std::llround(least * std::pow(most / least, share));
  }
  // As people choose channels and features: mostly multiples of what vectors hold, or powers of
  // two, for which kernels have other loops than for the rest.
  std::int64_t width(double least, double most) {
    const std::int64_t any = log_uniform(least, most);
    const std::uint64_t how = engine_() % 4;
    if (how == 0 || any < 8) return any;
    if (how == 3) return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(any)));
    const std::int64_t multiple = how == 1 || any < 16 ? 8 : 16;
    return any / multiple * multiple;
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
NetworkStep designed(Network network, std::int64_t samples) {
  return {std::move(network), {.batch = 2 * samples, .microbatches = 2}};
}

Optimizer some_optimizer(Draw& draw) {
  const std::array<Optimizer, 3> optimizers = {Sgd{}, Sgd{.momentum = 0.9}, Adam{}};
  return draw.one_of(optimizers);
}

struct ConvSizes {
  std::int64_t filters = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
};

struct ImageSizes {
  std::int64_t samples = 1;
  std::int64_t channels = 1;
  std::int64_t side = 1;
  std::array<ConvSizes, 3> convs;
  std::int64_t window = 2;  // of pools
};

ConvSizes conv_sizes(Draw& draw) {
  return {.filters = draw.width(4, 768),
          .kernel = draw.one_of(std::array{1, 1, 3, 3, 3, 5, 7}),
          .stride = draw.one_of(std::array{1, 1, 1, 2})};
}

bool is_within(const ImageSizes& s, const DesignLimits& limits) {
  std::int64_t channels = s.channels;
  std::int64_t side = s.side;
  for (const ConvSizes& conv : s.convs) {
    const auto widest = static_cast<double>(std::max(channels, conv.filters));
    if (4 * product_of({s.samples, side, side}) * widest > limits.most_bytes) return false;
    side = (side - 1) / conv.stride + 1;
    const double outputs = product_of({s.samples, conv.filters, side, side});
    if (2 * outputs * product_of({channels, conv.kernel, conv.kernel}) > limits.most_flops)
      return false;
    channels = conv.filters;
  }
  return side >= s.window;
}

ImageSizes image_sizes(const DesignLimits& limits, Draw& draw) {
  for (;;) {
    const ImageSizes s{.samples = draw.log_uniform(1, 32),
                       .channels = draw.width(1, 768),
                       .side = draw.log_uniform(5, 112),
                       .convs = {conv_sizes(draw), conv_sizes(draw), conv_sizes(draw)},
                       .window = draw.one_of(std::array{2, 2, 3})};
    if (is_within(s, limits)) return s;
  }
}

// Convolutions with what mostly follows them: norm and ReLU, a ReLU alone, norm, sum and ReLU. Each
// has gradients of its data too.
void add_convs(const ImageSizes& s, std::vector<Layer>& layers) {
  for (std::size_t i = 0; i < s.convs.size(); ++i) {
    const auto& [filters, kernel, stride] = s.convs[i];
    const std::int64_t half = kernel / 2;
    const Conv2d conv{.filters = filters,
                      .kernel = {kernel, kernel},
                      .stride = {stride, stride},
                      .padding = {half, half, half, half},
                      .bias = i == 0};
    const std::string number = std::to_string(i);
    layers.push_back({"conv" + number, conv, {layers.back().name}});
    if (i != 1) layers.push_back({"norm" + number, BatchNorm{}, {"conv" + number}});
    if (i == 2) layers.push_back({"sum" + number, Add{}, {"norm" + number, "conv" + number}});
    layers.push_back({"relu" + number, Relu{}, {layers.back().name}});
  }
}

std::vector<Layer> image_layers(const ImageSizes& s) {
  const std::int64_t last = s.convs.back().filters;
  const Conv2d deep{
      .filters = last, .kernel = {3, 3}, .padding = {1, 1, 1, 1}, .groups = last, .bias = false};
  const ConvTranspose2d up{
      .filters = std::max<std::int64_t>(s.channels / 4, 1), .kernel = {2, 2}, .stride = {2, 2}};
  const std::int64_t edge = (s.window - 1) / 2;
  const MaxPool2d highest{
      .kernel = {s.window, s.window}, .stride = {2, 2}, .padding = {edge, edge, edge, edge}};
  const AvgPool2d mean{
      .kernel = {s.window, s.window}, .stride = {2, 2}, .padding = {edge, edge, edge, edge}};
  std::vector<Layer> layers = {{"scale", Scale{}, {"image"}}};
  add_convs(s, layers);
  const std::vector<Layer> rest = {{"deep", deep, {layers.back().name}},
                                   {"bias", Bias{}, {"deep"}},
                                   {"plain", Relu{}, {"bias"}},
                                   {"lrn", LocalResponseNorm{}, {"plain"}},
                                   {"sigmoid", Sigmoid{}, {"lrn"}},
                                   {"mul", Mul{}, {"sigmoid", layers.back().name}},
                                   {"highest", highest, {"mul"}},
                                   {"kept", Relu{}, {"mul"}},
                                   {"highest_kept", highest, {"kept"}},
                                   {"mean", mean, {"mul"}},
                                   {"all", Concat{}, {"highest", "highest_kept", "mean"}},
                                   {"drop", Dropout{}, {"all"}},
                                   {"up", up, {"drop"}},
                                   {"global", GlobalAvgPool{}, {"up"}},
                                   {"flat", Flatten{}, {"global"}},
                                   {"classes", Linear{.features = 10}, {"flat"}}};
  layers.insert(layers.end(), rest.begin(), rest.end());
  return layers;
}

// Beside them, convolutions of few channels, which are computed in one go with what follows them
// both ways, once with a gradient of their data and once, on an image, without; and one of more
// channels, forward only.
// Sizes of their own, so that the others are the same with or without them.
void add_picture(const ImageSizes& s, const DesignLimits& limits, Network& network) {
  Draw draw(static_cast<std::uint64_t>(s.side * 1000 + s.channels));
  const double most = std::sqrt(limits.most_bytes / (32.0 * static_cast<double>(s.samples)));
  const auto image = [&](const char* name) {
    const std::int64_t channels = draw.one_of(std::array{1, 1, 3, 4});
    const std::int64_t side = draw.log_uniform(16, std::max(most, 17.0));
    network.inputs.push_back({name, {batch_dimension, {channels}, {side}, {side}}});
  };
  const auto conv = [&](double most_filters) {
    const std::int64_t kernel = draw.one_of(std::array{3, 3, 5});
    return Conv2d{.filters = draw.log_uniform(1, most_filters), .kernel = {kernel, kernel}};
  };
  const auto deep = [&] {
    const std::int64_t half = draw.one_of(std::array{0, 1, 1, 2});
    return Conv2d{.filters = draw.width(9, 64),
                  .kernel = {2 * half + 1, 2 * half + 1},
                  .padding = {half, half, half, half}};
  };
  const MaxPool2d halving{.kernel = {2, 2}, .stride = {2, 2}};
  image("picture");
  image("sketch");
  const std::vector<Layer> layers = {{"first", conv(4), {"picture"}},
                                     {"first_relu", Relu{}, {"first"}},
                                     {"second", conv(8), {"first_relu"}},
                                     {"second_relu", Relu{}, {"second"}},
                                     {"halved", halving, {"second_relu"}},
                                     {"third", deep(), {"halved"}},
                                     {"third_relu", Relu{}, {"third"}},
                                     {"quarter", halving, {"third_relu"}},
                                     {"spread", Flatten{}, {"quarter"}},
                                     {"others", Linear{.features = 10}, {"spread"}},
                                     {"lines", conv(8), {"sketch"}},
                                     {"lines_relu", Relu{}, {"lines"}},
                                     {"lines_halved", halving, {"lines_relu"}},
                                     {"lines_spread", Flatten{}, {"lines_halved"}},
                                     {"more", Linear{.features = 10}, {"lines_spread"}},
                                     {"scores", Add{}, {"classes", "others", "more"}}};
  network.layers.insert(network.layers.end(), layers.begin(), layers.end());
}

NetworkStep images(const DesignLimits& limits, Draw& draw) {
  const ImageSizes s = image_sizes(limits, draw);
  Network network{.name = "images", .layers = image_layers(s)};
  network.inputs = {{"image", {batch_dimension, {s.channels}, {s.side}, {s.side}}}};
  add_picture(s, limits, network);
  network.inputs.push_back({"label", {batch_dimension}, Element::int32});
  network.loss = {CrossEntropy{}, {"scores", "label"}};
  network.optimizer = some_optimizer(draw);
  NetworkStep step = designed(std::move(network), s.samples);
  step.lowering.fuse = true;
  return step;
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
                          .inner = draw.width(32, 3072),
                          .entries = draw.width(32, 8192)};
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

NetworkStep sequences(const DesignLimits& limits, Draw& draw) {
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
                     .width = draw.width(8, 4096),
                     .features = draw.width(8, 4096)};
    const auto widest = static_cast<double>(std::max(s.width, s.features));
    const double weight = product_of({s.width, s.features});
    const auto rows = static_cast<double>(s.samples);
    if (2 * rows * weight <= limits.most_flops && 4 * weight <= limits.most_bytes &&
        4 * rows * widest <= limits.most_bytes)
      return s;
  }
}

NetworkStep rows(const DesignLimits& limits, Draw& draw) {
  const RowSizes s = row_sizes(limits, draw);
  Network network{.name = "rows"};
  network.inputs = {{"x", {batch_dimension, {s.width}}},
                    {"target", {batch_dimension, {s.features}}}};
  network.layers = {{"before", Tanh{}, {"x"}},
                    {"scale", Scale{}, {"before"}},
                    {"first", Linear{.features = std::min(s.width, s.features)}, {"scale"}},
                    {"first_relu", Relu{}, {"first"}},
                    {"fc", Linear{.features = s.features}, {"first_relu"}},
                    {"tanh", Tanh{}, {"fc"}},
                    {"affine", Affine{.factor = 0.5, .offset = 0.25}, {"tanh"}},
                    {"norm", BatchNorm{}, {"affine"}},
                    {"add", Add{}, {"norm", "tanh"}}};
  network.loss = {MeanSquaredError{}, {"add", "target"}};
  network.optimizer = some_optimizer(draw);
  NetworkStep step = designed(std::move(network), s.samples);
  step.lowering.fuse = true;
  return step;
}

// One in four is larger.
DesignLimits limits_of(int network, const DesignLimits& limits) {
  DesignLimits own = limits;
  if (network % 4 != 2) return own;
  own.most_flops *= 4;
  own.most_bytes *= 4;
  return own;
}

bool fits(const NetworkStep& step, std::int64_t bytes) {
  const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
  std::vector<std::int64_t> workspaces;
  for (const Task& task : lowered.graph.tasks) workspaces.push_back(task.workspace_bytes);
  return step_places(lowered.graph, workspaces).bytes <= bytes;
}

void make_for_gpu(std::vector<NetworkStep>& networks, std::int64_t bytes) {
  for (NetworkStep& step : networks) step.lowering.fuse = false;
  std::erase_if(networks, [&](const NetworkStep& step) { return !fits(step, bytes); });
}

}  // namespace

std::vector<NetworkStep> designed_networks(const DesignLimits& limits, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<NetworkStep> all;
  for (int i = 0; i < limits.networks; ++i) {
    const DesignLimits own = limits_of(i, limits);
    all.push_back(images(own, draw));
    all.push_back(sequences(own, draw));
    all.push_back(rows(own, draw));
  }
  return all;
}

NetworkDesign network_design(const DesignLimits& limits) {
  constexpr std::uint64_t fitted_seed = 1;
  constexpr std::uint64_t held_out_seed = 7919;
  DesignLimits held_out = limits;
  held_out.networks = limits.networks / 4;
  DesignLimits fitted = limits;
  fitted.networks = limits.networks - held_out.networks;
  return {designed_networks(fitted, fitted_seed), designed_networks(held_out, held_out_seed)};
}

NetworkDesign network_design_for_gpus(const DesignLimits& limits, std::int64_t bytes) {
  constexpr double more_flops = 8;
  constexpr double more_bytes = 2;
  NetworkDesign design = network_design({.networks = limits.networks,
                                         .most_flops = more_flops * limits.most_flops,
                                         .most_bytes = more_bytes * limits.most_bytes});
  make_for_gpu(design.fitted, bytes);
  make_for_gpu(design.held_out, bytes);
  return design;
}

}  // namespace stint
