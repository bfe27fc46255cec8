#include <catch2/catch.hpp>

#include "tests/models/onnx/reading.hpp"

using namespace stint;

namespace {

using Ints = std::vector<std::int64_t>;

const OnnxDims image = {-1, 4, 9, 8};

}  // namespace

TEST_CASE("a convolution keeps its window, its groups and its bias", "[onnx]") {
  const auto writer = started(image)
                          .weight("w", {6, 2, 3, 2})
                          .weight("c", {6})
                          .node("Conv", {"h", "w", "c"}, {"y"},
                                {{"strides", Ints{2, 1}},
                                 {"pads", Ints{1, 0, 2, 3}},
                                 {"dilations", Ints{1, 2}},
                                 {"group", 2}});
  CHECK(only_layer<Conv2d>(writer) == Conv2d{6, {3, 2}, {2, 1}, {1, 0, 2, 3}, {1, 2}, 2, true});
}

TEST_CASE("a convolution without attributes has none of these", "[onnx]") {
  const auto writer = started(image).weight("w", {6, 4, 3, 3}).node("Conv", {"h", "w"}, {"y"});
  CHECK(only_layer<Conv2d>(writer) == Conv2d{.filters = 6, .kernel = {3, 3}, .bias = false});
}

TEST_CASE("automatic padding keeps ceil(size / stride), the odd one where it says", "[onnx]") {
  const auto padding = [](const std::string& rule) {
    const auto writer =
        started(image)
            .weight("w", {6, 4, 4, 3})
            .node("Conv", {"h", "w"}, {"y"}, {{"auto_pad", rule}, {"strides", Ints{2, 1}}});
    return only_layer<Conv2d>(writer).padding;
  };
  // 9 rows by 2 are 5, which span 12: 3 more; 8 columns by 1 span 10: 2 more.
  CHECK(padding("SAME_UPPER") == Padding{1, 1, 2, 1});
  CHECK(padding("SAME_LOWER") == Padding{2, 1, 1, 1});
  CHECK(padding("VALID") == Padding{});
  CHECK(padding("NOTSET") == Padding{});
}

TEST_CASE("a transposed convolution counts filters over groups", "[onnx]") {
  const auto writer =
      started(image)
          .weight("w", {4, 3, 2, 2})
          .weight("c", {6})
          .node("ConvTranspose", {"h", "w", "c"}, {"y"},
                {{"strides", Ints{2, 2}}, {"output_padding", Ints{1, 0}}, {"group", 2}});
  CHECK(only_layer<ConvTranspose2d>(writer) ==
        ConvTranspose2d{6, {2, 2}, {2, 2}, {}, {1, 0}, {1, 1}, 2, true});
}

TEST_CASE("a transposed convolution pads for the size that is asked for", "[onnx]") {
  const auto padding = [](const AttributeList& attributes) {
    const auto writer = started(image)
                            .weight("w", {4, 3, 4, 4})
                            .node("ConvTranspose", {"h", "w"}, {"y"}, attributes);
    return only_layer<ConvTranspose2d>(writer).padding;
  };
  // 2 (9 - 1) + 4 = 20 rows and 18 columns without padding.
  const std::pair<std::string, AttributeValue> strides = {"strides", Ints{2, 2}};
  CHECK(padding({strides, {"output_shape", Ints{17, 16}}}) == Padding{2, 1, 1, 1});
  CHECK(padding({strides, {"auto_pad", "SAME_UPPER"}}) == Padding{1, 1, 1, 1});
  CHECK(padding({strides, {"auto_pad", "VALID"}}) == Padding{});
}

TEST_CASE("a transposed convolution adds to the end what is asked for beyond", "[onnx]") {
  const auto layer = only_layer<ConvTranspose2d>(
      started(image)
          .weight("w", {4, 3, 4, 4})
          .node("ConvTranspose", {"h", "w"}, {"y"},
                {{"strides", Ints{2, 2}}, {"output_shape", Ints{21, 16}}}));
  CHECK(layer.output_padding == Pair{1, 0});
  CHECK(layer.padding == Padding{0, 1, 0, 1});
}

TEST_CASE("pools keep their windows", "[onnx]") {
  CHECK(only_layer<MaxPool2d>(started(image).node("MaxPool", {"h"}, {"y"},
                                                  {{"kernel_shape", Ints{3, 2}},
                                                   {"strides", Ints{2, 2}},
                                                   {"pads", Ints{0, 0, 1, 1}},
                                                   {"dilations", Ints{2, 1}},
                                                   {"ceil_mode", 1}})) ==
        MaxPool2d{{3, 2}, {2, 2}, {0, 0, 1, 1}, {2, 1}, true});
  CHECK(
      only_layer<AvgPool2d>(started(image).node(
          "AveragePool", {"h"}, {"y"}, {{"kernel_shape", Ints{2, 2}}, {"count_include_pad", 1}})) ==
      AvgPool2d{{2, 2}, {1, 1}, {}, false, true});
  CHECK(layers_of(started(image).node("GlobalAveragePool", {"h"}, {"y"})).size() == 1);
}

TEST_CASE("the mean over height and width is a global pool", "[onnx]") {
  const auto kept = started(image, 13).node("ReduceMean", {"h"}, {"y"}, {{"axes", Ints{-1, 2}}});
  only_layer<GlobalAvgPool>(kept);
  const auto gone = started(image, 18)
                        .integers("axes", {2, 3})
                        .node("ReduceMean", {"h", "axes"}, {"y"}, {{"keepdims", 0}});
  const auto layers = layers_of(gone);
  REQUIRE(layers.size() == 2);
  CHECK(std::holds_alternative<GlobalAvgPool>(layers[0].kind));
  CHECK(std::get<Reshape>(layers[1].kind) == Reshape{{batch_dimension, {4}}});
  CHECK(layers[1].name == "y");
}

TEST_CASE("other means and sums are global pools of what is put into the form of images",
          "[onnx]") {
  const auto writer = started({-1, 3, 5}, 13);
  const auto last = layers_of(
      OnnxWriter(writer).node("ReduceMean", {"h"}, {"y"}, {{"axes", Ints{2}}, {"keepdims", 0}}));
  REQUIRE(last.size() == 3);
  CHECK(std::get<Reshape>(last[0].kind) == Reshape{{batch_dimension, {-1}, {5}, {1}}});
  CHECK(std::get<Reshape>(last[2].kind) == Reshape{{batch_dimension, {3}}});
  const auto middle =
      layers_of(OnnxWriter(writer).integers("axes", {1}).node("ReduceSum", {"h", "axes"}, {"y"}));
  REQUIRE(middle.size() == 5);
  CHECK(std::get<Transpose>(middle[0].kind).order == Ints{0, 2, 1});
  CHECK(std::get<Affine>(middle[3].kind) == Affine{3, 0});
  CHECK(std::get<Reshape>(middle[4].kind) == Reshape{{batch_dimension, {1}, {5}}});
  const auto all = OnnxWriter(writer).node("ReduceMean", {"h"}, {"y"});
  CHECK_THAT(fault_of(all), Catch::Contains("ReduceMean over the batch ×1"));
}

TEST_CASE("lines are images of height 1", "[onnx]") {
  const auto layers =
      layers_of(started({-1, 4, 9})
                    .weight("w", {6, 4, 3})
                    .node("Conv", {"h", "w"}, {"y"}, {{"strides", Ints{2}}, {"pads", Ints{1, 0}}}));
  REQUIRE(layers.size() == 3);
  CHECK(std::get<Reshape>(layers[0].kind) == Reshape{{batch_dimension, {4}, {1}, {9}}});
  CHECK(std::get<Conv2d>(layers[1].kind) ==
        Conv2d{6, {1, 3}, {1, 2}, {0, 1, 0, 0}, {1, 1}, 1, false});
  CHECK(std::get<Reshape>(layers[2].kind) == Reshape{{batch_dimension, {6}, {4}}});
}

TEST_CASE("windows of other dimensions and used indices are refused by name", "[onnx]") {
  const auto space =
      started({-1, 4, 9, 9, 9}).weight("w", {6, 4, 3, 3, 3}).node("Conv", {"h", "w"}, {"y"});
  CHECK_THAT(fault_of(space), Catch::Contains("Conv over 5 dimensions ×1"));
  const auto dilated = started(image).node(
      "AveragePool", {"h"}, {"y"}, {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{2, 2}}});
  CHECK_THAT(fault_of(dilated), Catch::Contains("AveragePool with dilations ×1"));
  const auto indices = started(image)
                           .node("MaxPool", {"h"}, {"p", "i"}, {{"kernel_shape", Ints{2, 2}}})
                           .node("Add", {"p", "i"}, {"y"});
  CHECK_THAT(fault_of(indices), Catch::Contains("MaxPool whose output 1 is used ×1"));
}
