#include <catch2/catch.hpp>

#include "models/onnx/utf8.hpp"
#include "tests/models/onnx/reading.hpp"

using namespace stint;

namespace {

OnnxWriter relu() { return started({-1, 4}).node("Relu", {"h"}, {"y"}); }

}  // namespace

TEST_CASE("everything that is not supported is told at once, with counts", "[onnx]") {
  const auto writer = started({-1, 4, 5, 5})
                          .node("Loop", {"h"}, {"a"})
                          .node("Loop", {"a"}, {"c"})
                          .node("NonMaxSuppression", {"c"}, {"d"})
                          .node("Relu", {"d"}, {"e"})
                          .node("FusedGelu", {"e"}, {"f"}, {}, "com.other")
                          .node("LRN", {"h"}, {"g"}, {{"size", 3}})
                          .node("Div", {"g", "h"}, {"i"})
                          .node("Sum", {"i", "f"}, {"y"});
  CHECK(fault_of(writer) ==
        "test.onnx: unsupported operators: Loop ×2, NonMaxSuppression ×1, com.other.FusedGelu ×1; "
        "unsupported uses of operators: Div of activations ×1; supported: see models/README.md");
}

TEST_CASE("shapes that do not fit name the node", "[onnx]") {
  const auto writer =
      started({-1, 4, 5, 5}).weight("w", {6, 3, 3, 3}).node("Conv", {"h", "w"}, {"y"});
  CHECK(fault_of(writer) == "test.onnx: Conv \"y\": weight \"w\" is 6×3×3×3; expected 6×4×3×3");
}

TEST_CASE("bytes that are no model are refused", "[onnx]") {
  const std::string malformed = "test.onnx: malformed or cut short; expected an ONNX model";
  const std::string whole = relu().output("y").bytes();
  CHECK(fault_of_bytes("not a model") == malformed);
  CHECK(fault_of_bytes("") == "test.onnx: no IR version; expected an ONNX model");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(fault_of_bytes(whole.substr(0, size)).empty());
  }
  CHECK(fault_of_bytes(whole.substr(0, whole.size() - 1)) == malformed);
}

TEST_CASE("an empty graph, one without output and another operator set are refused", "[onnx]") {
  CHECK_THAT(fault_of_bytes(OnnxWriter().bytes()), Catch::Contains("the graph has no nodes"));
  CHECK_THAT(fault_of_bytes(relu().bytes()), Catch::Contains("the graph has no output"));
  CHECK_THAT(fault_of(OnnxWriter(5).node("Relu", {"x"}, {"y"})),
             Catch::Contains("operator set 5; expected one from 6 to 28"));
  CHECK_THAT(fault_of(OnnxWriter(99).node("Relu", {"x"}, {"y"})),
             Catch::Contains("operator set 99; expected one from 6 to 28"));
}

TEST_CASE("a weight that is not in the file is told with its reader", "[onnx]") {
  CHECK(fault_of(started({-1, 4}).node("MatMul", {"h", "w"}, {"y"})) ==
        "test.onnx: MatMul \"y\" reads \"w\", which nothing makes; expected an input, an "
        "initializer or the output of a node");
}

TEST_CASE("nodes in a circle are refused, nodes in the wrong order are sorted", "[onnx]") {
  const auto circle = started({-1, 4})
                          .node("Add", {"h", "c"}, {"a"})
                          .node("Relu", {"a"}, {"c"})
                          .node("Relu", {"a"}, {"y"});
  CHECK_THAT(fault_of(circle), Catch::Contains("in a circle, such as Add \"a\"; expected"));
  const auto unsorted = started({-1, 4}).node("Tanh", {"r"}, {"y"}).node("Relu", {"h"}, {"r"});
  const auto layers = layers_of(unsorted);
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].name == "r");
}

TEST_CASE("a value that two nodes make is refused", "[onnx]") {
  CHECK_THAT(fault_of(relu().node("Tanh", {"h"}, {"y"})),
             Catch::Contains("two places make \"y\"; expected unique names"));
}

TEST_CASE("inputs need a type that we have and sizes in reason", "[onnx]") {
  const auto with_input = [](const OnnxDims& dims, int type) {
    OnnxWriter writer;
    return fault_of(
        writer.input("x", dims, type).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"y"}));
  };
  CHECK(with_input({-1, 4}, 1).empty());
  CHECK_THAT(with_input({-1, 4}, 10), Catch::Contains("float16; expected float, int32 or int64"));
  CHECK_THAT(with_input({-1, 0}, 1), Catch::Contains("dimension 1 is 0; expected 1 to 2^31"));
  CHECK_THAT(with_input({-1, -1}, 1), Catch::Contains("dimension 1 is open (\"N\"); expected"));
  CHECK_THAT(with_input({-1, std::int64_t{1} << 62}, 1), Catch::Contains("expected 1 to 2^31"));
  CHECK_THAT(with_input({0, 4}, 1), Catch::Contains("a batch of 0; expected 1 to 2^20"));
  CHECK_THAT(with_input({}, 1), Catch::Contains("no shape; expected the batch first"));
}

TEST_CASE("two inputs written for unequal batches are refused", "[onnx]") {
  OnnxWriter writer;
  writer.input("x", {2, 4}).input("z", {3, 4}).node("Add", {"x", "z"}, {"y"});
  CHECK_THAT(fault_of(writer), Catch::Contains("a batch of 3, another input has 2; expected"));
}

TEST_CASE("weights of absurd size or another type are refused without being loaded", "[onnx]") {
  const auto with_weight = [](const TensorBytes& weight) {
    return fault_of(started({-1, 4}).tensor(weight).node("MatMul", {"h", "w"}, {"y"}));
  };
  const std::int64_t huge = std::int64_t{1} << 31;
  CHECK_THAT(with_weight(typed_tensor("w", {huge, huge}, 1)), Catch::Contains("is too large"));
  CHECK_THAT(with_weight(typed_tensor("w", {4, huge + 1}, 1)),
             Catch::Contains("expected 1 to 2^31"));
  CHECK_THAT(with_weight(typed_tensor("w", {4, -4}, 1)), Catch::Contains("a dimension of -4"));
  CHECK_THAT(with_weight(typed_tensor("w", {4, 4}, 10)),
             Catch::Contains("MatMul with a tensor of float16 ×1"));
  CHECK_THAT(with_weight(float_tensor("w", {4, 4}, {1, 2, 3})),
             Catch::Contains("tensor \"w\" has 12 bytes; expected 16 floats"));
  CHECK_THAT(
      fault_of(
          started({-1, 4}).tensor(typed_tensor("s", {huge}, 7)).node("Reshape", {"h", "s"}, {"y"})),
      Catch::Contains("Reshape with 2147483648 constant integers ×1"));
}

TEST_CASE("a graph with nothing to train is refused", "[onnx]") {
  OnnxWriter writer;
  CHECK_THAT(fault_of(writer.input("x", {-1, 4}).node("Relu", {"x"}, {"y"})),
             Catch::Contains("test.onnx: /layers: no layer has parameters"));
}

TEST_CASE("names are UTF-8 without control characters", "[onnx]") {
  CHECK(is_plain_utf8("gpu_0/conv1_w_0"));
  CHECK(is_plain_utf8("température ×2 😀"));
  for (const char* text :
       {"a\n", "\x7f", "\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xff"}) {
    CHECK_FALSE(is_plain_utf8(text));
  }
  CHECK_THAT(fault_of(started({-1, 4}).node("Relu", {"h"}, {"a\n"}).node("Relu", {"a\n"}, {"y"})),
             Catch::Contains("malformed"));
}
