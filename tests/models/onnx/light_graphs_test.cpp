// Nine well-known networks as ONNX's own tests carry them: real graphs, weights left out.
#include <catch2/catch.hpp>
#include <map>

#include "models/layers/infer.hpp"
#include "models/onnx/read_onnx.hpp"

using namespace stint;

namespace {

struct Known {
  std::string name;
  std::int64_t parameters;
  std::map<std::string, int> layers;
};

// Parameters as counted in the files: of Conv, Gemm, BatchNormalization, Mul and Add.
const std::vector<Known> graphs = {
    {"bvlc_alexnet",
     60'965'224,
     {{"conv2d", 5},
      {"dropout", 2},
      {"linear", 3},
      {"lrn", 2},
      {"max_pool2d", 3},
      {"relu", 7},
      {"reshape", 1}}},
    {"densenet121",
     8'062'504,
     {{"avg_pool2d", 3},
      {"batch_norm", 121},
      {"bias", 121},
      {"concat", 58},
      {"conv2d", 121},
      {"flatten", 1},
      {"global_avg_pool", 1},
      {"max_pool2d", 1},
      {"relu", 121},
      {"scale", 121}}},
    {"inception_v1",
     6'998'552,
     {{"avg_pool2d", 1},
      {"concat", 9},
      {"conv2d", 57},
      {"dropout", 1},
      {"linear", 1},
      {"lrn", 2},
      {"max_pool2d", 13},
      {"relu", 57},
      {"reshape", 1}}},
    {"inception_v2",
     11'214'888,
     {{"avg_pool2d", 8},
      {"batch_norm", 69},
      {"bias", 69},
      {"concat", 10},
      {"conv2d", 69},
      {"linear", 1},
      {"max_pool2d", 5},
      {"relu", 69},
      {"reshape", 1},
      {"scale", 69}}},
    {"resnet50",
     25'557'032,
     {{"add", 16},
      {"avg_pool2d", 1},
      {"batch_norm", 53},
      {"conv2d", 53},
      {"linear", 1},
      {"max_pool2d", 1},
      {"relu", 49},
      {"reshape", 1}}},
    {"shufflenet",
     1'393'320,
     {{"add", 13},
      {"avg_pool2d", 4},
      {"batch_norm", 49},
      {"concat", 3},
      {"conv2d", 49},
      {"linear", 1},
      {"max_pool2d", 1},
      {"relu", 33},
      {"reshape", 33},
      {"transpose", 16}}},
    {"squeezenet",
     1'235'496,
     {{"concat", 8},
      {"conv2d", 26},
      {"dropout", 1},
      {"flatten", 1},
      {"global_avg_pool", 1},
      {"max_pool2d", 3},
      {"relu", 26}}},
    {"vgg19",
     143'667'240,
     {{"conv2d", 16},
      {"dropout", 2},
      {"linear", 3},
      {"max_pool2d", 5},
      {"relu", 18},
      {"reshape", 1}}},
    {"zfnet512",
     87'250'536,
     {{"conv2d", 5}, {"linear", 3}, {"lrn", 2}, {"max_pool2d", 3}, {"relu", 7}, {"reshape", 1}}},
};

const std::string folder = STINT_LIGHT_GRAPHS;

// Where the files could not be had, there is nothing to compare.
bool is_here() {
  if (folder.empty()) WARN("skipped: the graphs of the onnx wheel could not be downloaded");
  return !folder.empty();
}

OnnxModel read_light(const std::string& name) {
  return read_onnx(folder + "/light_" + name + ".onnx");
}

}  // namespace

TEST_CASE("nine well-known graphs have the layers and parameters they are known for", "[onnx]") {
  if (!is_here()) return;
  for (const Known& known : graphs) {
    CAPTURE(known.name);
    const Network network = read_light(known.name).network;
    const NetworkTypes types = infer(network);
    std::map<std::string, int> layers;
    for (const Layer& layer : network.layers) ++layers[std::string(op_name(layer.kind))];
    CHECK(layers == known.layers);
    CHECK(parameter_count(types) == known.parameters);
    CHECK(types.values.at(network.loss.inputs[0]).shape == Shape{batch_dimension, {1000}});
    CHECK(network.inputs[0].shape == Shape{batch_dimension, {3}, {224}, {224}});
  }
}

TEST_CASE("every parameter of a well-known graph has first values", "[onnx]") {
  if (!is_here()) return;
  const OnnxModel model = read_light("squeezenet");
  const NetworkTypes types = infer(model.network);
  std::map<std::string, std::int64_t> wanted;
  for (const LayerTypes& layer : types.layers) {
    for (const Parameter& parameter : layer.parameters)
      wanted[parameter.name] = element_count(parameter);
  }
  REQUIRE(model.weights.size() == wanted.size());
  for (const WeightSource& source : model.weights) {
    CAPTURE(source.parameter);
    const auto values = initial_values(folder + "/light_squeezenet.onnx", source);
    CHECK(static_cast<std::int64_t>(values.size()) == wanted.at(source.parameter));
  }
}

TEST_CASE("a well-known graph reads back the same from its own text", "[onnx]") {
  if (!is_here()) return;
  for (const Known& known : graphs) {
    CAPTURE(known.name);
    const Network network = read_light(known.name).network;
    CHECK(parse_network(network_text(network), "written.json") == network);
  }
}
