#include <catch2/catch.hpp>

#include "tests/models/onnx/reading.hpp"

using namespace stint;

namespace {

OnnxModel read_with(OnnxWriter writer) {
  return parse_onnx(writer.output("y").bytes(), "test.onnx", {.loss = OnnxLoss::mse});
}

const WeightSource& source_of(const OnnxModel& model, const std::string& parameter) {
  for (const WeightSource& source : model.weights) {
    if (source.parameter == parameter) return source;
  }
  throw std::logic_error("no parameter " + parameter);
}

}  // namespace

TEST_CASE("Gemm is a linear layer, whichever way its weight lies", "[onnx]") {
  const auto as_is = started({-1, 4})
                         .weight("w", {3, 4})
                         .weight("c", {3})
                         .node("Gemm", {"h", "w", "c"}, {"y"}, {{"transB", 1}});
  CHECK(only_layer<Linear>(as_is) == Linear{.features = 3});
  CHECK(source_of(read_with(as_is), "y.weight").order.empty());
  const auto turned = started({-1, 4}).weight("w", {4, 3}).node("Gemm", {"h", "w"}, {"y"});
  CHECK(only_layer<Linear>(turned) == Linear{.features = 3, .bias = false});
  CHECK(source_of(read_with(turned), "y.weight").order == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("factors of Gemm stand around its layer", "[onnx]") {
  const AttributeList factors = {{"alpha", 0.5F}, {"beta", 0.25F}};
  const auto layers = layers_of(started({-1, 4})
                                    .weight("w", {4, 3})
                                    .weight("c", {3})
                                    .node("Gemm", {"h", "w", "c"}, {"y"}, factors));
  REQUIRE(layers.size() == 3);
  CHECK(std::get<Affine>(layers[0].kind) == Affine{2, 0});
  CHECK(std::get<Linear>(layers[1].kind) == Linear{.features = 3});
  CHECK(std::get<Affine>(layers[2].kind) == Affine{0.25, 0});
  const auto number = layers_of(started({-1, 4})
                                    .weight("w", {4, 3})
                                    .number("c", 8)
                                    .node("Gemm", {"h", "w", "c"}, {"y"}, factors));
  REQUIRE(number.size() == 3);
  CHECK(std::get<Linear>(number[1].kind) == Linear{.features = 3, .bias = false});
  CHECK(std::get<Affine>(number[2].kind) == Affine{1, 2});
}

TEST_CASE("Gemm with a transposed input or no weight is refused", "[onnx]") {
  const auto turned =
      started({-1, 4}).weight("w", {4, 3}).node("Gemm", {"h", "w"}, {"y"}, {{"transA", 1}});
  CHECK_THAT(fault_of(turned), Catch::Contains("Gemm with transA ×1"));
  CHECK_THAT(fault_of(started({-1, 4}).node("Gemm", {"h", "h"}, {"y"})),
             Catch::Contains("Gemm without a weight as input 1 ×1"));
}

TEST_CASE("MatMul by a weight is linear without bias, and takes the bias that is added", "[onnx]") {
  auto writer = started({-1, 7, 4}).weight("w", {4, 3}).node("MatMul", {"h", "w"}, {"m"});
  CHECK(only_layer<Linear>(OnnxWriter(writer).node("Identity", {"m"}, {"y"})) ==
        Linear{.features = 3, .bias = false});
  writer.weight("c", {3}).node("Add", {"c", "m"}, {"y"});
  CHECK(only_layer<Linear>(writer) == Linear{.features = 3});
  CHECK(source_of(read_with(writer), "y.bias").initializer == "c");
}

TEST_CASE("a product that has other readers keeps its bias apart", "[onnx]") {
  const auto writer = started({-1, 4})
                          .weight("w", {4, 4})
                          .weight("c", {4})
                          .node("MatMul", {"h", "w"}, {"m"})
                          .node("Add", {"m", "c"}, {"a"})
                          .node("Add", {"a", "m"}, {"y"});
  const auto layers = layers_of(writer);
  REQUIRE(layers.size() == 3);
  CHECK(std::get<Bias>(layers[1].kind).shape == std::vector<std::int64_t>{4});
}

TEST_CASE("MatMul of activations is matmul", "[onnx]") {
  const auto writer =
      started({-1, 5, 4})
          .node("Transpose", {"h"}, {"t"}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}})
          .node("MatMul", {"h", "t"}, {"y"});
  const auto layers = layers_of(writer);
  REQUIRE(layers.size() == 2);
  CHECK(std::get<Matmul>(layers[1].kind) == Matmul{});
}

TEST_CASE("Gather of rows by an integer input is an embedding", "[onnx]") {
  OnnxWriter writer;
  writer.input("ids", {-1, 6}, 7).weight("table", {10, 4}).node("Gather", {"table", "ids"}, {"y"});
  const OnnxModel model = read_with(writer);
  REQUIRE(model.network.layers.size() == 1);
  CHECK(std::get<Embedding>(model.network.layers[0].kind) == Embedding{10, 4});
  CHECK(model.network.inputs[0] == NetworkInput{"ids", {batch_dimension, {6}}, Element::int32});
}

TEST_CASE("a linear layer may use the weight of an embedding before it", "[onnx]") {
  OnnxWriter writer;
  writer.input("ids", {-1, 6}, 7)
      .weight("table", {10, 4})
      .node("Gather", {"table", "ids"}, {"e"})
      .node("Transpose", {"table"}, {"turned"})
      .node("MatMul", {"e", "turned"}, {"y"});
  const OnnxModel model = read_with(writer);
  REQUIRE(model.network.layers.size() == 2);
  CHECK(std::get<Linear>(model.network.layers[1].kind).weight_of == "e");
  CHECK(model.weights.size() == 1);
}

TEST_CASE("a weight that two convolutions share is refused, a vector of one number is not",
          "[onnx]") {
  const auto two = [](const std::vector<float>& bias) {
    return started({-1, 2, 5, 5})
        .weight("w1", {2, 2, 1, 1})
        .weight("w2", {2, 2, 1, 1})
        .tensor(float_tensor("zeros", {2}, bias))
        .node("Conv", {"h", "w1", "zeros"}, {"c"})
        .node("Conv", {"c", "w2", "zeros"}, {"y"});
  };
  CHECK(fault_of(two({0, 0})).empty());
  CHECK_THAT(fault_of(two({0, 1})),
             Catch::Contains("Conv with weight \"zeros\", which \"c\" uses too ×1"));
}

TEST_CASE("attention without a mask is attention", "[onnx]") {
  const auto writer =
      started({-1, 5, 8}, 23)
          .node("Attention", {"h", "h", "h"}, {"y"},
                {{"q_num_heads", 2}, {"kv_num_heads", 2}, {"is_causal", 1}, {"scale", 0.5F}});
  CHECK(only_layer<Attention>(writer) == Attention{2, true, 0.5});
  CHECK_THAT(fault_of(started({-1, 5, 8}, 23)
                          .node("Attention", {"h", "h", "h", "h"}, {"y"},
                                {{"q_num_heads", 2}, {"kv_num_heads", 2}})),
             Catch::Contains("Attention with a mask or a past ×1"));
}
