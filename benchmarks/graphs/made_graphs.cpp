#include "benchmarks/graphs/made_graphs.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "benchmarks/graphs/training_net.hpp"
#include "files/input_error.hpp"

namespace stint {
namespace {

// An image of `side` squared pixels and `channels` in KiB of 256 numbers.
struct Image {
  int layer = 0;
  int side = 0;
  int channels = 0;
};

class ConvNet {
 public:
  ConvNet(const std::string& name, std::uint64_t seed) : net(name, seed) {}

  Image image(int side, int channels) { return conv({-1, side, 3}, channels); }

  Image conv(const Image& from, int channels, int kernel = 3, int stride = 1) {
    const int side = from.side / stride;
    const double flops = 1.0 * side * side * channels * from.channels * kernel * kernel;
    return add({from.layer}, side, channels, flops * 2e-5, Needs::input);
  }
  Image depthwise(const Image& from, int stride) {
    const double flops = 9.0 * from.side * from.side / stride / stride * from.channels;
    return add({from.layer}, from.side / stride, from.channels, flops * 1e-4, Needs::input);
  }
  Image norm(const Image& from) { return small(from, Needs::input); }
  Image relu(const Image& from) { return small(from, Needs::output); }
  Image sum(const Image& a, const Image& b) {
    return add({a.layer, b.layer}, a.side, a.channels, pixels(a) * 1.5e-3, Needs::nothing);
  }
  Image pool(const Image& from) {
    return add({from.layer}, from.side / 2, from.channels, pixels(from) * 1e-3, Needs::both);
  }
  Image up(const Image& from, int channels) {
    return add({from.layer}, from.side * 2, channels, pixels(from) * channels * 1e-4, Needs::input);
  }
  Image unpool(const Image& from, const Image& pooled) {
    return add({from.layer, pooled.layer}, from.side * 2, from.channels, pixels(from) * 1e-3,
               Needs::nothing);
  }
  Image concat(const Image& a, const Image& b) {
    return add({a.layer, b.layer}, a.side, a.channels + b.channels,
               pixels(a) * 1e-3 + pixels(b) * 1e-3, Needs::nothing);
  }
  Image conv_norm_relu(const Image& from, int channels, int kernel = 3, int stride = 1) {
    return relu(norm(conv(from, channels, kernel, stride)));
  }
  Graph finish(const Image& from) {
    const int head = net.add({from.layer}, 4000, 30, Needs::input);
    net.add({head}, 4000, 10, Needs::output);
    return net.finish();
  }

  TrainingNet net;

 private:
  static double pixels(const Image& of) { return 1.0 * of.side * of.side * of.channels; }
  Image small(const Image& from, Needs needs) {
    return add({from.layer}, from.side, from.channels, pixels(from) * 1e-3, needs);
  }
  Image add(std::vector<int> inputs, int side, int channels, double microseconds, Needs needs) {
    std::erase(inputs, -1);
    const std::int64_t bytes = std::int64_t{4} * side * side * channels;
    return {net.add(inputs, bytes, std::max(microseconds, 10.0), needs), side, channels};
  }
};

Image bottleneck(ConvNet& net, const Image& from, int channels, int stride) {
  Image inner = net.conv_norm_relu(from, channels, 1);
  inner = net.conv_norm_relu(inner, channels, 3, stride);
  inner = net.norm(net.conv(inner, channels * 4, 1));
  const bool same = stride == 1 && from.channels == channels * 4;
  const Image beside = same ? from : net.norm(net.conv(from, channels * 4, 1, stride));
  return net.relu(net.sum(beside, inner));
}

Graph resnet(const std::string& name, const std::vector<int>& blocks) {
  ConvNet net(name, 101);
  Image x = net.pool(net.relu(net.norm(net.image(112, 64))));
  int channels = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage, channels *= 2) {
    for (int b = 0; b < blocks[stage]; ++b)
      x = bottleneck(net, x, channels, b == 0 && stage > 0 ? 2 : 1);
  }
  return net.finish(x);
}

Graph mobilenet(const std::string& name) {
  ConvNet net(name, 102);
  Image x = net.relu(net.norm(net.image(112, 32)));
  const int widths[] = {64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024};
  int before = 32;
  for (const int width : widths) {
    const int stride = width > before && before > 32 ? 2 : 1;
    x = net.relu(net.norm(net.depthwise(x, stride)));
    x = net.conv_norm_relu(x, width, 1);
    before = width;
  }
  return net.finish(x);
}

Graph unet(const std::string& name, int levels, bool with_norm) {
  ConvNet net(name, 103);
  const auto twice = [&](Image x, int channels) {
    for (int i = 0; i < 2; ++i)
      x = with_norm ? net.conv_norm_relu(x, channels) : net.relu(net.conv(x, channels));
    return x;
  };
  Image x = net.image(128, 32);
  std::vector<Image> skips;
  int channels = 32;
  for (int level = 0; level < levels; ++level, channels *= 2) {
    skips.push_back(twice(x, channels));
    x = net.pool(skips.back());
  }
  x = twice(x, channels);
  for (int level = levels; level-- > 0;) {
    channels /= 2;
    x = twice(net.concat(skips[level], net.up(x, channels)), channels);
  }
  return net.finish(net.conv(x, 4, 1));
}

const std::vector<int> vgg_convs{2, 2, 3, 3, 3};

Graph vgg(const std::string& name) {
  ConvNet net(name, 104);
  Image x = net.image(112, 64);
  int channels = 64;
  for (const int convs : vgg_convs) {
    for (int i = 0; i < convs; ++i) x = net.relu(net.conv(x, channels));
    x = net.pool(x);
    channels = std::min(channels * 2, 512);
  }
  return net.finish(x);
}

Graph segnet(const std::string& name) {
  ConvNet net(name, 105);
  Image x = net.image(128, 64);
  std::vector<Image> pooled;
  int channels = 64;
  for (const int convs : vgg_convs) {
    for (int i = 0; i < convs; ++i) x = net.relu(net.conv(x, channels));
    pooled.push_back(net.pool(x));
    x = pooled.back();
    channels = std::min(channels * 2, 512);
  }
  for (std::size_t level = vgg_convs.size(); level-- > 0;) {
    x = net.unpool(x, pooled[level]);
    channels = std::max(channels / 2, 64);
    for (int i = 0; i < vgg_convs[level]; ++i) x = net.relu(net.conv(x, channels));
  }
  return net.finish(net.conv(x, 12, 1));
}

Graph chain(const std::string& name, int length) {
  TrainingNet net(name, 106);
  int last = -1;
  for (int i = 0; i < length; ++i)
    last =
        net.add(last < 0 ? std::vector<int>{} : std::vector<int>{last}, 16384, 600, Needs::input);
  return net.finish();
}

// Attention over `tokens` of width `width`, in KiB.
Graph transformer(const std::string& name, int layers, std::int64_t width, std::int64_t scores) {
  TrainingNet net(name, 107);
  const auto heavy = [&](std::vector<int> from, std::int64_t bytes, double cost) {
    return net.add(from, bytes, cost, Needs::input);
  };
  int x = heavy({}, width, 40);
  for (int layer = 0; layer < layers; ++layer) {
    const int norm = heavy({x}, width, 60);
    const int q = heavy({norm}, width, 950);
    const int k = heavy({norm}, width, 950);
    const int v = heavy({norm}, width, 950);
    const int soft = net.add({heavy({q, k}, scores, 430)}, scores, 500, Needs::output);
    const int drop = net.add({soft}, scores, 600, Needs::output);
    const int attended = heavy({heavy({v, drop}, width, 430)}, width, 1000);
    const int middle = net.add({x, attended}, width, 110, Needs::nothing);
    const int wide = heavy({heavy({middle}, width, 60)}, width * 4, 3900);
    const int narrow = heavy({heavy({wide}, width * 4, 270)}, width, 3900);
    x = net.add({middle, narrow}, width, 110, Needs::nothing);
  }
  heavy({x}, 400, 40);
  return net.finish();
}

// Nodes in layers of one to `width`; each reads one to three of the two layers before it. No loss,
// no gradients: nothing needs to be kept for long but by chance.
Graph layered(const std::string& name, int nodes, int width) {
  std::mt19937_64 random(108 + static_cast<std::uint64_t>(nodes));
  const auto below = [&](int most) { return static_cast<int>(random() % most); };
  Graph graph;
  graph.name = name;
  std::vector<int> before, layer;
  for (int n = 0, left = 0; n < nodes; ++n) {
    if (left-- == 0) {
      before = layer;
      layer.clear();
      left = below(width);
    }
    graph.tensors.push_back({"t" + std::to_string(n), 1024 * (1 + below(64)), {}, {}});
    Task task;
    task.name = "n" + std::to_string(n);
    for (int r = below(3); r >= 0 && !before.empty(); --r) {
      // Now and then one from long ago.
      const int read =
          below(8) == 0 ? below(before.back() + 1) : before[below(static_cast<int>(before.size()))];
      task.reads.push_back(static_cast<TensorId>(read));
    }
    std::sort(task.reads.begin(), task.reads.end());
    task.reads.erase(std::unique(task.reads.begin(), task.reads.end()), task.reads.end());
    task.writes = {static_cast<TensorId>(n)};
    task.seconds["cpu"].value = (10 + below(1000)) * 1e-6;
    graph.tasks.push_back(std::move(task));
    layer.push_back(n);
  }
  check(graph);
  return graph;
}

const std::map<std::string, std::function<Graph(const std::string&)>>& made_graphs() {
  using Name = const std::string&;
  static const std::map<std::string, std::function<Graph(Name)>> all{
      {"resnet50",
       [](Name name) {
         return resnet(name, {3, 4, 6, 3});
       }},
      {"resnet101",
       [](Name name) {
         return resnet(name, {3, 4, 23, 3});
       }},
      {"resnet152",
       [](Name name) {
         return resnet(name, {3, 8, 36, 3});
       }},
      {"mobilenet", mobilenet},
      {"unet135", [](Name name) { return unet(name, 4, true); }},
      {"unet5", [](Name name) { return unet(name, 5, false); }},
      {"vgg", vgg},
      {"segnet", segnet},
      {"chain64", [](Name name) { return chain(name, 64); }},
      {"chain300", [](Name name) { return chain(name, 300); }},
      {"transformer12", [](Name name) { return transformer(name, 12, 16384, 131072); }},
      {"transformer48", [](Name name) { return transformer(name, 48, 16384, 65536); }},
      {"transformer170", [](Name name) { return transformer(name, 170, 65536, 131072); }},
      {"layered100", [](Name name) { return layered(name, 100, 8); }},
      {"layered250", [](Name name) { return layered(name, 250, 12); }},
      {"layered1000", [](Name name) { return layered(name, 1000, 24); }}};
  return all;
}

}  // namespace

std::vector<std::string> made_graph_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : made_graphs()) names.push_back(name);
  return names;
}

Graph made_graph(const std::string& name) {
  const auto known = made_graphs().find(name);
  if (known == made_graphs().end()) throw InputError(name, "no graph of this name is made here");
  return known->second(name);
}

}  // namespace stint
