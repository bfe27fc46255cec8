#include <catch2/catch.hpp>

#include "tests/models/onnx/reading.hpp"

using namespace stint;

namespace {

using Ints = std::vector<std::int64_t>;

Shape reshaped_to(const OnnxDims& x, const Ints& shape) {
  return only_layer<Reshape>(
             started(x).integers("shape", shape).node("Reshape", {"h", "shape"}, {"y"}))
      .shape;
}

}  // namespace

TEST_CASE("a constant shape is followed with the batch of the file", "[onnx]") {
  const Shape flat = {batch_dimension, {24}};
  CHECK(reshaped_to({-1, 4, 6}, {-1, 24}) == flat);
  CHECK(reshaped_to({-1, 4, 6}, {0, -1}) == flat);
  CHECK(reshaped_to({1, 4, 6}, {1, 24}) == flat);
  CHECK(reshaped_to({8, 4, 6}, {8, -1}) == flat);
  CHECK(reshaped_to({8, 4, 6}, {-1, 24}) == flat);
  CHECK(reshaped_to({8, 4, 6}, {32, 6}) == Shape{{4, true}, {6}});
  CHECK(reshaped_to({8, 4, 6}, {8, 2, 2, 6}) == Shape{batch_dimension, {2}, {2}, {6}});
}

TEST_CASE("the batch is followed when it is not first", "[onnx]") {
  const auto writer = started({2, 3, 8})
                          .integers("shape", {3, 8, 2, 2, 2})
                          .node("Transpose", {"h"}, {"t"}, {{"perm", Ints{1, 0, 2}}})
                          .integers("shape2", {3, 8, 2})
                          .node("Reshape", {"t", "shape2"}, {"y"});
  CHECK(std::get<Reshape>(layers_of(writer).at(1).kind).shape == Shape{{3}, {4, true}, {2}});
}

TEST_CASE("a shape that leaves the batch no dimension is refused", "[onnx]") {
  const auto writer =
      started({8, 4, 6}).integers("shape", {12, 16}).node("Reshape", {"h", "shape"}, {"y"});
  CHECK_THAT(fault_of(writer), Catch::Contains("where the batch has no dimension; expected"));
}

TEST_CASE("a shape computed from a shape is followed", "[onnx]") {
  const auto writer = started({-1, 4, 6})
                          .node("Shape", {"h"}, {"s"})
                          .tensor(int64_tensor("zero", {}, {0}))
                          .node("Gather", {"s", "zero"}, {"n"})
                          .node("Unsqueeze", {"n"}, {"n1"}, {{"axes", Ints{0}}})
                          .node("Constant", {}, {"rest"}, {{"value", int64_tensor("", {1}, {-1})}})
                          .node("Concat", {"n1", "rest"}, {"shape"}, {{"axis", 0}})
                          .node("Cast", {"shape"}, {"shape64"}, {{"to", 7}})
                          .node("Reshape", {"h", "shape64"}, {"y"});
  CHECK(only_layer<Reshape>(writer).shape == Shape{batch_dimension, {24}});
}

TEST_CASE("sizes are multiplied, divided and sliced, and the batch with them", "[onnx]") {
  const auto writer = started({-1, 4, 6})
                          .node("Shape", {"h"}, {"s"})
                          .integers("zero", {0})
                          .integers("one", {1})
                          .integers("two", {2})
                          .node("Slice", {"s", "zero", "one"}, {"n"})
                          .node("Mul", {"n", "two"}, {"n2"})
                          .node("Slice", {"s", "one", "two"}, {"c"})
                          .node("Div", {"c", "two"}, {"c2"})
                          .node("Shape", {"h"}, {"w"}, {{"start", -1}})
                          .node("Concat", {"n2", "c2", "w"}, {"shape"}, {{"axis", 0}})
                          .node("Reshape", {"h", "shape"}, {"y"});
  CHECK(only_layer<Reshape>(writer).shape == Shape{{2, true}, {2}, {6}});
}

TEST_CASE("the scale of attention is computed from a shape", "[onnx]") {
  const auto writer = started({-1, 4, 16})
                          .node("Shape", {"h"}, {"w"}, {{"start", -1}})
                          .node("Cast", {"w"}, {"f"}, {{"to", 1}})
                          .node("Sqrt", {"f"}, {"r"})
                          .node("Div", {"h", "r"}, {"y"});
  CHECK(only_layer<Affine>(writer) == Affine{0.25, 0});
}

TEST_CASE("a value that only its shape is read of is not computed", "[onnx]") {
  const auto writer = started({-1, 4, 6})
                          .node("Relu", {"h"}, {"r"})
                          .node("Shape", {"r"}, {"s"})
                          .node("Reshape", {"h", "s"}, {"h2"})
                          .node("Tanh", {"h2"}, {"y"});
  only_layer<Tanh>(writer);
}

TEST_CASE("ones are put in and taken away", "[onnx]") {
  const auto in = started({-1, 4}, 12).node("Unsqueeze", {"h"}, {"y"}, {{"axes", Ints{1, -1}}});
  CHECK(only_layer<Reshape>(in).shape == Shape{batch_dimension, {1}, {4}, {1}});
  const auto out = started({-1, 1, 4}).integers("axes", {1}).node("Squeeze", {"h", "axes"}, {"y"});
  CHECK(only_layer<Reshape>(out).shape == Shape{batch_dimension, {4}});
  const auto batch = started({1, 1, 4}).integers("axes", {0}).node("Squeeze", {"h", "axes"}, {"y"});
  CHECK_THAT(fault_of(batch), Catch::Contains("expected a dimension of 1"));
}

TEST_CASE("orders, concatenations and flattenings are kept", "[onnx]") {
  CHECK(only_layer<Flatten>(started({-1, 4, 6}).node("Flatten", {"h"}, {"y"})) == Flatten{1});
  CHECK(only_layer<Transpose>(
            started({-1, 4, 6}).node("Transpose", {"h"}, {"y"}, {{"perm", Ints{0, 2, 1}}}))
            .order == Ints{0, 2, 1});
  CHECK(only_layer<Transpose>(started({-1, 4, 6}).node("Transpose", {"h"}, {"y"})).order ==
        Ints{2, 1, 0});
  CHECK(only_layer<Concat>(started({-1, 4, 6}).node("Concat", {"h", "h"}, {"y"}, {{"axis", -1}}))
            .axis == 2);
}

TEST_CASE("a split has the sizes that are given, or equal ones", "[onnx]") {
  const auto joined = [](OnnxWriter writer) {
    return layers_of(writer.node("Concat", {"p", "q"}, {"y"}, {{"axis", 1}}));
  };
  const auto old =
      joined(started({-1, 5, 6}, 11)
                 .node("Split", {"h"}, {"p", "q"}, {{"axis", 1}, {"split", Ints{2, 3}}}));
  REQUIRE(old.size() == 2);
  CHECK(std::get<Split>(old[0].kind) == Split{{2, 3}, 1});
  CHECK(old[0].outputs == std::vector<std::string>{"p", "q"});
  const auto given = joined(started({-1, 5, 6})
                                .integers("sizes", {4, 1})
                                .node("Split", {"h", "sizes"}, {"p", "q"}, {{"axis", 1}}));
  CHECK(std::get<Split>(given[0].kind).sizes == Ints{4, 1});
  const auto equal = joined(
      started({-1, 5, 6}, 18).node("Split", {"h"}, {"p", "q"}, {{"axis", 1}, {"num_outputs", 2}}));
  CHECK(std::get<Split>(equal[0].kind).sizes == Ints{3, 2});
  CHECK_THAT(fault_of(started({-1, 4, 6}).node("Split", {"h"}, {"y", "q"}, {{"axis", 1}})),
             Catch::Contains("Split with an output that nobody reads ×1"));
}

TEST_CASE("positions looked up in order are the table itself, added", "[onnx]") {
  const auto with_rows = [](std::int64_t rows) {
    return started({-1, 3, 4})
        .weight("table", {rows, 4})
        .tensor(int64_tensor("start", {}, {0}))
        .tensor(int64_tensor("limit", {}, {3}))
        .tensor(int64_tensor("step", {}, {1}))
        .node("Range", {"start", "limit", "step"}, {"places"})
        .integers("axes", {0})
        .node("Unsqueeze", {"places", "axes"}, {"ids"})
        .node("Gather", {"table", "ids"}, {"rows"})
        .node("Add", {"h", "rows"}, {"y"});
  };
  CHECK(only_layer<Bias>(with_rows(3)).shape == Ints{3, 4});
  CHECK_THAT(fault_of(with_rows(5)), Catch::Contains("Gather of some rows of a weight ×1"));
}

TEST_CASE("weights are found behind reshapes and transposes", "[onnx]") {
  const auto writer = started({-1, 6})
                          .weight("w", {2, 3, 4})
                          .integers("shape", {6, 4})
                          .node("Reshape", {"w", "shape"}, {"w2"})
                          .node("Transpose", {"w2"}, {"w3"})
                          .node("Identity", {"w3"}, {"w4"})
                          .node("Gemm", {"h", "w4"}, {"y"}, {{"transB", 1}});
  CHECK(only_layer<Linear>(writer).features == 4);
}
