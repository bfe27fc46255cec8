#include <catch2/catch.hpp>

#include "tests/models/onnx/reading.hpp"

using namespace stint;

namespace {

using Ints = std::vector<std::int64_t>;

OnnxWriter with_two(const std::string& op, const std::string& a, const std::string& b) {
  return started({-1, 3, 4}).number("c", 4).weight("w", {1, 3, 1}).node(op, {a, b}, {"y"});
}

}  // namespace

TEST_CASE("activation functions are layers of their own", "[onnx]") {
  const auto kind_of = [](const OnnxWriter& writer) {
    return std::string(op_name(layers_of(writer).at(0).kind));
  };
  CHECK(kind_of(started({-1, 4}).node("Relu", {"h"}, {"y"})) == "relu");
  CHECK(kind_of(started({-1, 4}).node("Sigmoid", {"h"}, {"y"})) == "sigmoid");
  CHECK(kind_of(started({-1, 4}).node("Tanh", {"h"}, {"y"})) == "tanh");
  CHECK_FALSE(only_layer<Gelu>(started({-1, 4}, 20).node("Gelu", {"h"}, {"y"})).tanh);
  CHECK(only_layer<Gelu>(started({-1, 4}, 20).node("Gelu", {"h"}, {"y"}, {{"approximate", "tanh"}}))
            .tanh);
}

TEST_CASE("numbers make affine layers", "[onnx]") {
  CHECK(only_layer<Affine>(with_two("Add", "h", "c")) == Affine{1, 4});
  CHECK(only_layer<Affine>(with_two("Sub", "h", "c")) == Affine{1, -4});
  CHECK(only_layer<Affine>(with_two("Sub", "c", "h")) == Affine{-1, 4});
  CHECK(only_layer<Affine>(with_two("Mul", "c", "h")) == Affine{4, 0});
  CHECK(only_layer<Affine>(with_two("Div", "h", "c")) == Affine{0.25, 0});
  CHECK_THAT(fault_of(with_two("Div", "c", "h")), Catch::Contains("Div of a number by"));
  CHECK_THAT(fault_of(started({-1, 4}).number("z", 0).node("Div", {"h", "z"}, {"y"})),
             Catch::Contains("Div with a number that is not finite ×1"));
}

TEST_CASE("weights make biases and scales, leading ones left out", "[onnx]") {
  CHECK(only_layer<Bias>(with_two("Add", "w", "h")).shape == Ints{3, 1});
  CHECK(only_layer<Scale>(with_two("Mul", "h", "w")).shape == Ints{3, 1});
  CHECK(only_layer<Bias>(with_two("Sub", "h", "w")).shape == Ints{3, 1});
  const auto layers = layers_of(with_two("Sub", "w", "h"));
  REQUIRE(layers.size() == 2);
  CHECK(std::get<Affine>(layers[0].kind) == Affine{-1, 0});
  CHECK(std::holds_alternative<Bias>(layers[1].kind));
  CHECK_THAT(fault_of(with_two("Div", "h", "w")), Catch::Contains("Div with a weight ×1"));
}

TEST_CASE("activations of one shape are added, subtracted and multiplied", "[onnx]") {
  const auto of_two = [](const std::string& op) {
    return layers_of(started({-1, 4}).node("Relu", {"h"}, {"r"}).node(op, {"h", "r"}, {"y"}));
  };
  CHECK(std::holds_alternative<Add>(of_two("Add").at(1).kind));
  CHECK(std::holds_alternative<Add>(of_two("Sum").at(1).kind));
  CHECK(std::holds_alternative<Mul>(of_two("Mul").at(1).kind));
  const auto difference = of_two("Sub");
  REQUIRE(difference.size() == 3);
  CHECK(std::get<Affine>(difference[1].kind) == Affine{-1, 0});
  CHECK(difference[2].inputs == std::vector<std::string>{"h", "y_negated"});
}

TEST_CASE("an activation with ones broadcasts, whichever comes first", "[onnx]") {
  for (const char* op : {"Mul", "Add"}) {
    const auto layers = layers_of(
        started({-1, 3, 4, 4}).node("GlobalAveragePool", {"h"}, {"g"}).node(op, {"g", "h"}, {"y"}));
    REQUIRE(layers.size() == 2);
    CHECK(layers[1].inputs == std::vector<std::string>{"h", "g"});
  }
  const auto difference = layers_of(started({-1, 3, 4, 4})
                                        .node("GlobalAveragePool", {"h"}, {"g"})
                                        .node("Sub", {"g", "h"}, {"y"}));
  REQUIRE(difference.size() == 3);
  CHECK(difference[2].inputs == std::vector<std::string>{"y_negated", "g"});
}

TEST_CASE("activations that broadcast both ways are refused with their shapes", "[onnx]") {
  const auto writer =
      started({-1, 3, 4, 4})
          .node("ReduceMean", {"h"}, {"a"}, {{"axes", std::vector<std::int64_t>{1}}})
          .node("GlobalAveragePool", {"h"}, {"g"})
          .node("Mul", {"a", "g"}, {"y"});
  CHECK_THAT(fault_of(writer), Catch::Contains("Mul of batch×1×4×4 and batch×3×1×1"));
}

TEST_CASE("clipping is relu with bounds", "[onnx]") {
  const auto old = started({-1, 4}, 10).node("Clip", {"h"}, {"y"}, {{"min", 0.F}, {"max", 6.F}});
  CHECK(only_layer<Relu>(old).max == 6.0);
  const auto now =
      started({-1, 4}).number("lo", 0).number("hi", 6).node("Clip", {"h", "lo", "hi"}, {"y"});
  CHECK(only_layer<Relu>(now).max == 6.0);
  CHECK_FALSE(
      only_layer<Relu>(started({-1, 4}).number("lo", 0).node("Clip", {"h", "lo"}, {"y"})).max);
  const auto both =
      started({-1, 4}).number("lo", -1).number("hi", 2).node("Clip", {"h", "lo", "hi"}, {"y"});
  CHECK(only_layer<Relu>(both) == Relu{.max = 2, .min = -1});
  const auto upside_down =
      started({-1, 4}).number("lo", 1).number("hi", 0).node("Clip", {"h", "lo", "hi"}, {"y"});
  CHECK_THAT(fault_of(upside_down), Catch::Contains("from 1 to 0; expected a max above min"));
  const auto unknown = started({-1, 4}).node("Clip", {"h", "h"}, {"y"});
  CHECK_THAT(fault_of(unknown), Catch::Contains("Clip with bounds that are no numbers ×1"));
}

TEST_CASE("hard and leaky rectifiers are lines between bounds", "[onnx]") {
  const auto leaky = started({-1, 4}).node("LeakyRelu", {"h"}, {"y"}, {{"alpha", 0.25F}});
  CHECK(only_layer<Relu>(leaky) == Relu{.slope = 0.25});
  const auto swish = layers_of(started({-1, 4}).node("HardSwish", {"h"}, {"y"}));
  REQUIRE(swish.size() == 3);
  CHECK(std::get<Affine>(swish[0].kind) == Affine{1.0 / 6, 0.5});
  CHECK(std::get<Relu>(swish[1].kind) == Relu{.max = 1});
  CHECK(swish[2].inputs == std::vector<std::string>{"h", "y_gate"});
}

TEST_CASE("gelu is recognised in its parts, whatever their order", "[onnx]") {
  const auto parts = [] {
    return started({-1, 4})
        .number("root", 1.41421354F)
        .number("half_root", 0.707106769F)
        .number("one", 1)
        .number("two", 2)
        .number("half", 0.5F);
  };
  const auto torch = parts()
                         .node("Div", {"h", "root"}, {"d"})
                         .node("Erf", {"d"}, {"e"})
                         .node("Add", {"e", "one"}, {"a"})
                         .node("Mul", {"h", "a"}, {"m"})
                         .node("Mul", {"m", "half"}, {"y"});
  const auto half_first = parts()
                              .node("Mul", {"half_root", "h"}, {"d"})
                              .node("Erf", {"d"}, {"e"})
                              .node("Add", {"one", "e"}, {"a"})
                              .node("Div", {"h", "two"}, {"x2"})
                              .node("Mul", {"x2", "a"}, {"y"});
  const auto half_between = parts()
                                .node("Div", {"h", "root"}, {"d"})
                                .node("Erf", {"d"}, {"e"})
                                .node("Add", {"e", "one"}, {"a"})
                                .node("Mul", {"half", "a"}, {"m"})
                                .node("Mul", {"m", "h"}, {"y"});
  for (const OnnxWriter& writer : {torch, half_first, half_between})
    CHECK(only_layer<Gelu>(writer) == Gelu{});
  const auto other = parts().node("Div", {"h", "two"}, {"d"}).node("Erf", {"d"}, {"y"});
  CHECK_THAT(fault_of(other), Catch::Contains("unsupported operators: Erf ×1"));
}

TEST_CASE("softmax before operator set 13 is over all dimensions from its axis on", "[onnx]") {
  const auto axis = [](const OnnxDims& x, std::int64_t opset, const AttributeList& attributes) {
    return only_layer<Softmax>(started(x, opset).node("Softmax", {"h"}, {"y"}, attributes)).axis;
  };
  CHECK(axis({-1, 5, 1, 1}, 9, {}) == 1);
  CHECK(axis({-1, 1, 5}, 9, {}) == 2);
  CHECK(axis({-1, 5, 4}, 9, {{"axis", 2}}) == 2);
  CHECK(axis({-1, 5, 4}, 13, {}) == 2);
  CHECK(axis({-1, 5, 4}, 13, {{"axis", 1}}) == 1);
  CHECK_THAT(fault_of(started({-1, 5, 4}, 9).node("Softmax", {"h"}, {"y"})),
             Catch::Contains("Softmax over several dimensions ×1"));
}

TEST_CASE("dropout reads its ratio wherever it is, and each has a seed of its own", "[onnx]") {
  const auto writer = started({-1, 4})
                          .number("r", 0.1F)
                          .node("Dropout", {"h", "r"}, {"d", "mask"})
                          .node("Dropout", {"d"}, {"y"});
  const auto layers = layers_of(writer);
  REQUIRE(layers.size() == 2);
  CHECK(std::get<Dropout>(layers[0].kind) == Dropout{0.1, 0});
  CHECK(std::get<Dropout>(layers[1].kind) == Dropout{0.5, 1});
  const auto old = started({-1, 4}, 9).node("Dropout", {"h"}, {"y"}, {{"ratio", 0.25F}});
  CHECK(only_layer<Dropout>(old).probability == 0.25);
}

TEST_CASE("identities and casts to the same kind of number are not there", "[onnx]") {
  const auto writer = started({-1, 4})
                          .node("Identity", {"h"}, {"i"})
                          .node("Cast", {"i"}, {"c"}, {{"to", 1}})
                          .node("Relu", {"c"}, {"y"});
  const auto layers = layers_of(writer);
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].inputs == std::vector<std::string>{"h"});
  CHECK_THAT(fault_of(started({-1, 4}).node("Cast", {"h"}, {"y"}, {{"to", 10}})),
             Catch::Contains("Cast to float16 ×1"));
}

TEST_CASE("normalisations keep their numbers as they were written", "[onnx]") {
  const auto batch = started({-1, 3, 4, 4})
                         .weight("s", {3})
                         .weight("c", {3})
                         .node("BatchNormalization", {"h", "s", "c", "s", "c"}, {"y"},
                               {{"epsilon", 1e-3F}, {"momentum", 0.9F}});
  CHECK(only_layer<BatchNorm>(batch) == BatchNorm{1e-3, 0.1});
  const auto training = started({-1, 3, 4, 4}, 15)
                            .weight("s", {3})
                            .weight("c", {3})
                            .node("BatchNormalization", {"h", "s", "c", "s", "c"},
                                  {"y", "mean", "var"}, {{"training_mode", 1}});
  CHECK(only_layer<BatchNorm>(training) == BatchNorm{1e-5, 0.1});
  const auto layer =
      started({-1, 3, 4})
          .weight("s", {3, 4})
          .node("LayerNormalization", {"h", "s"}, {"y"}, {{"axis", 1}, {"epsilon", 1e-6F}});
  CHECK(only_layer<LayerNorm>(layer) == LayerNorm{1, 1e-6, false});
  const auto local = started({-1, 3, 4, 4})
                         .node("LRN", {"h"}, {"y"},
                               {{"size", 5}, {"alpha", 2e-4F}, {"beta", 0.5F}, {"bias", 2.F}});
  CHECK(only_layer<LocalResponseNorm>(local) == LocalResponseNorm{5, 2e-4, 0.5, 2});
}

TEST_CASE("layer normalisation is recognised in its parts", "[onnx]") {
  const auto parts = [](const std::vector<std::int64_t>& axes) {
    return started({-1, 3, 4}, 13)
        .number("two", 2)
        .number("eps", 1e-6F)
        .weight("w", {4})
        .weight("c", {4})
        .node("ReduceMean", {"h"}, {"mean"}, {{"axes", axes}})
        .node("Sub", {"h", "mean"}, {"d"})
        .node("ReduceMean", {"square"}, {"var"}, {{"axes", axes}})
        .node("Add", {"var", "eps"}, {"sum"})
        .node("Sqrt", {"sum"}, {"root"})
        .node("Div", {"d", "root"}, {"n"})
        .node("Mul", {"n", "w"}, {"m"})
        .node("Add", {"m", "c"}, {"y"});
  };
  CHECK(only_layer<LayerNorm>(parts({-1}).node("Pow", {"d", "two"}, {"square"})) ==
        LayerNorm{-1, 1e-6, true});
  CHECK(only_layer<LayerNorm>(parts({-1}).node("Mul", {"d", "d"}, {"square"})) ==
        LayerNorm{-1, 1e-6, true});
  CHECK_THAT(fault_of(parts({1}).node("Pow", {"d", "two"}, {"square"})),
             Catch::Contains("unsupported operators: Pow ×1"));
}
