#include <catch2/catch.hpp>

#include "tests/models/onnx/reading.hpp"

using namespace stint;

namespace {

Network network_of(OnnxWriter writer, const OnnxOptions& options = {}) {
  return parse_onnx(writer.output("y").bytes(), "folder/test.onnx", options).network;
}

}  // namespace

TEST_CASE("cross-entropy takes the logits: a last softmax is taken off", "[onnx]") {
  const std::string op = GENERATE("Softmax", "LogSoftmax");
  const Network network =
      network_of(started({-1, 5}).node("Relu", {"h"}, {"r"}).node(op, {"r"}, {"y"}));
  CHECK(network.loss == Loss{CrossEntropy{}, {"r", "label"}});
  CHECK(network.layers.back().name == "r");
  CHECK(network.inputs.back() == NetworkInput{"label", {batch_dimension}, Element::int32});
}

TEST_CASE("an output without softmax is taken for logits", "[onnx]") {
  CHECK(network_of(started({-1, 7, 5}).node("Relu", {"h"}, {"y"})).loss ==
        Loss{CrossEntropy{}, {"y", "label"}});
}

TEST_CASE("images of one pixel are flattened, others have classes as channels", "[onnx]") {
  const Network flat = network_of(started({-1, 5, 1, 1}, 9).node("Softmax", {"h"}, {"y"}));
  CHECK(flat.loss == Loss{CrossEntropy{}, {"h_flat", "label"}});
  const Network image = network_of(started({-1, 5, 4, 4}).node("Relu", {"h"}, {"y"}));
  CHECK(image.loss == Loss{CrossEntropy{1}, {"y", "label"}});
  CHECK(image.inputs.back().shape == Shape{batch_dimension, {4}, {4}});
}

TEST_CASE("the mean squared error has targets like the output, and keeps a softmax", "[onnx]") {
  const Network network = network_of(started({-1, 5}).node("Softmax", {"h"}, {"y"}),
                                     {.loss = OnnxLoss::mse, .optimizer = Adam{}});
  CHECK(network.loss == Loss{MeanSquaredError{}, {"y", "target"}});
  CHECK(network.inputs.back() == NetworkInput{"target", {batch_dimension, {5}}, Element::f32});
  CHECK(network.optimizer == Optimizer{Adam{}});
}

TEST_CASE("a label or a layer whose name means something else gets a number", "[onnx]") {
  OnnxWriter writer;
  writer.input("label", {-1, 4})
      .weight("w", {4, 4})
      .node("MatMul", {"label", "w"}, {"a"})
      .node("Relu", {"a"}, {"a.weight"})
      .node("Identity", {"a.weight"}, {"y"});
  const Network network = network_of(writer);
  CHECK(network.layers[0].name == "a_2");
  CHECK(network.layers[1].name == "a.weight");
  CHECK(network.loss.inputs[1] == "label_2");
}

TEST_CASE("of several outputs the first counts, or the one that is asked for", "[onnx]") {
  auto writer = started({-1, 4});
  writer.node("Relu", {"h"}, {"y"}).node("Tanh", {"h"}, {"z"}).output("y").output("z");
  const auto output = [&](const std::string& asked) {
    return parse_onnx(writer.bytes(), "test.onnx", {.output = asked}).network.loss.inputs[0];
  };
  CHECK(output("") == "y");
  CHECK(output("z") == "z");
  CHECK_THAT(fault_of_bytes(writer.bytes(), {.output = "h"}),
             Catch::Contains("\"h\" is no output of the graph; expected one that is"));
}

TEST_CASE("inputs that nobody reads are dropped, and nodes that lead nowhere", "[onnx]") {
  auto writer = started({-1, 4});
  writer.input("unused", {-1, 3}).input("b", {4}).node("Loop", {"h"}, {"nowhere"});
  const Network network = network_of(writer.node("Relu", {"h"}, {"y"}));
  CHECK(network.inputs.size() == 2);
  CHECK(network.layers.size() == 2);
  CHECK(network.name == "test");
}
