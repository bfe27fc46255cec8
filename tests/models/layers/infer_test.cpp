#include "models/layers/infer.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"

using namespace stint;

namespace {

const Shape image = {batch_dimension, {3}, {32}, {20}};
const Shape rows = {batch_dimension, {7}, {64}};
const Shape gate = {batch_dimension, {3}, {1}, {1}};

// The shape that a layer makes of others; a fault's text if it makes none.
std::string outcome(const LayerKind& kind, const std::vector<Shape>& inputs,
                    Element element = Element::f32) {
  std::vector<ValueType> types;
  for (const Shape& shape : inputs) types.push_back({shape, element});
  try {
    std::string text;
    for (const ValueType& output : infer(Layer{"a", kind, {}, {}}, types).outputs)
      text += (text.empty() ? "" : " ") + to_string(output.shape);
    return text;
  } catch (const ShapeFault& fault) {
    return fault.what();
  }
}

std::vector<std::string> parameters(const LayerKind& kind, const Shape& input) {
  std::vector<std::string> texts;
  for (const Parameter& parameter : infer(Layer{"a", kind, {}, {}}, {{input}}).parameters) {
    Shape shape;
    for (const std::int64_t count : parameter.shape) shape.push_back({count});
    texts.push_back(parameter.name + " " + to_string(shape));
  }
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a convolution slides over padded images, with strides and dilation", "[infer]") {
  CHECK(outcome(Conv2d{.filters = 8, .kernel = {3, 3}}, {image}) == "batch×8×30×18");
  CHECK(outcome(Conv2d{.filters = 8, .kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1, 1, 1}},
                {image}) == "batch×8×16×10");
  CHECK(outcome(Conv2d{.filters = 8, .kernel = {3, 3}, .dilation = {4, 2}}, {image}) ==
        "batch×8×24×16");
  CHECK(outcome(Conv2d{.filters = 8, .kernel = {2, 2}, .padding = {0, 0, 1, 1}}, {image}) ==
        "batch×8×32×20");
  CHECK(parameters(Conv2d{.filters = 6, .kernel = {3, 5}, .groups = 3}, image) ==
        Texts{"a.weight 6×1×3×5", "a.bias 6"});
  CHECK(parameters(Conv2d{.filters = 6, .kernel = {1, 1}, .bias = false}, image) ==
        Texts{"a.weight 6×3×1×1"});
}

TEST_CASE("a transposed convolution gives back the size that a convolution took away", "[infer]") {
  const Conv2d down{.filters = 5, .kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1, 1, 1}};
  CHECK(outcome(down, {image}) == "batch×5×16×10");
  const ConvTranspose2d up{.filters = 3,
                           .kernel = {3, 3},
                           .stride = {2, 2},
                           .padding = {1, 1, 1, 1},
                           .output_padding = {1, 1}};
  CHECK(outcome(up, {{batch_dimension, {5}, {16}, {10}}}) == to_string(image));
  CHECK(parameters(up, {batch_dimension, {5}, {16}, {10}}) ==
        Texts{"a.weight 5×3×3×3", "a.bias 3"});
}

TEST_CASE("pooling rounds down, or up where a window begins inside", "[infer]") {
  const Shape odd = {batch_dimension, {4}, {7}, {8}};
  CHECK(outcome(MaxPool2d{.kernel = {3, 3}, .stride = {2, 2}}, {odd}) == "batch×4×3×3");
  CHECK(outcome(MaxPool2d{.kernel = {3, 3}, .stride = {2, 2}, .ceil = true}, {odd}) ==
        "batch×4×3×4");
  // One row of padding at the end begins no window.
  CHECK(outcome(AvgPool2d{.kernel = {1, 1}, .stride = {4, 4}, .ceil = true}, {odd}) ==
        "batch×4×2×2");
  CHECK(outcome(GlobalAvgPool{}, {odd}) == "batch×4×1×1");
}

TEST_CASE("layers that multiply matrices keep the dimensions before them", "[infer]") {
  CHECK(outcome(Linear{.features = 10}, {rows}) == "batch×7×10");
  CHECK(parameters(Linear{.features = 10}, rows) == Texts{"a.weight 10×64", "a.bias 10"});
  CHECK(outcome(Matmul{}, {rows, {batch_dimension, {64}, {5}}}) == "batch×7×5");
  CHECK(outcome(Matmul{.transpose_b = true}, {rows, rows}) == "batch×7×7");
  CHECK(outcome(Matmul{.transpose_a = true}, {rows, rows}) == "batch×64×64");
  CHECK(outcome(Attention{.heads = 4}, {rows, rows, rows}) == "batch×7×64");
  CHECK(outcome(Attention{.heads = 4},
                {rows, {batch_dimension, {9}, {64}}, {batch_dimension, {9}, {32}}}) ==
        "batch×7×32");
  CHECK(outcome(Embedding{.entries = 100, .width = 16}, {{batch_dimension, {7}}}, Element::int32) ==
        "batch×7×16");
}

TEST_CASE("shapes are put together, taken apart and renamed", "[infer]") {
  CHECK(outcome(Concat{}, {image, image}) == "batch×6×32×20");
  CHECK(outcome(Concat{.axis = -1}, {image, {batch_dimension, {3}, {32}, {1}}}) == "batch×3×32×21");
  CHECK(outcome(Split{.sizes = {1, 2}}, {image}) == "batch×1×32×20 batch×2×32×20");
  CHECK(outcome(Flatten{}, {image}) == "batch×1920");
  CHECK(outcome(Flatten{.axis = 2}, {rows}) == "7*batch×64");
  CHECK(outcome(Reshape{.shape = {{0}, {-1}, {4}, {16}}}, {rows}) == "batch×7×4×16");
  CHECK(outcome(Reshape{.shape = {{-1}, {64}}}, {rows}) == "7*batch×64");
  CHECK(outcome(Reshape{.shape = {batch_dimension, {448}}}, {rows}) == "batch×448");
  CHECK(outcome(Transpose{.order = {0, 2, 1}}, {rows}) == "batch×64×7");
}

TEST_CASE("normalisations have parameters along what they normalise", "[infer]") {
  CHECK(parameters(BatchNorm{}, image) ==
        Texts{"a.weight 3", "a.bias 3", "a.running_mean 3", "a.running_var 3"});
  CHECK(parameters(LayerNorm{}, rows) == Texts{"a.weight 64", "a.bias 64"});
  CHECK(parameters(LayerNorm{.axis = 1, .bias = false}, rows) == Texts{"a.weight 7×64"});
  CHECK(parameters(Bias{}, image) == Texts{"a.bias 3×1×1"});
  CHECK(parameters(Bias{.shape = {7, 64}}, rows) == Texts{"a.bias 7×64"});
  CHECK(parameters(Scale{}, rows) == Texts{"a.weight 64"});
}

TEST_CASE("the second of two summands or factors may have ones", "[infer]") {
  CHECK(outcome(Mul{}, {image, gate}) == to_string(image));
  CHECK(outcome(Add{}, {image, gate}) == to_string(image));
}

TEST_CASE("shapes that do not fit are said to, with what was expected", "[infer]") {
  const auto faulty = [](const LayerKind& kind, const std::vector<Shape>& inputs) {
    return outcome(kind, inputs);
  };
  CHECK(faulty(Conv2d{.filters = 8, .kernel = {40, 3}}, {image}) ==
        "a kernel that spans 40 does not fit in 32 rows, padding included; expected at most that");
  CHECK(faulty(Conv2d{.filters = 8, .kernel = {3, 3}, .groups = 2}, {image}) ==
        "2 groups of 3 channels and 8 filters; expected a divisor of both");
  CHECK(faulty(Conv2d{.filters = 8, .kernel = {3, 3}}, {rows}) ==
        "the input is batch×7×64; expected [batch, channels, height, width]");
  CHECK(faulty(Conv2d{.filters = 8, .kernel = {3, 3}, .stride = {0, 1}}, {image}) ==
        "stride 0; expected 1 or more");
  CHECK(faulty(MaxPool2d{.kernel = {2, 2}, .stride = {2, 2}, .padding = {2, 0, 0, 0}}, {image}) ==
        "padding 2 with a kernel that spans 2; expected less padding");
  CHECK(faulty(Add{}, {image, rows}) ==
        "batch×3×32×20 and batch×7×64; expected equal shapes, or ones in the second");
  CHECK(faulty(Mul{}, {gate, image}) ==
        "batch×3×1×1 and batch×3×32×20; expected equal shapes, or ones in the second");
  CHECK(faulty(Add{}, {image, gate, image}) ==
        "batch×3×32×20 and batch×3×1×1; expected equal shapes");
  CHECK(faulty(Relu{.max = 1, .min = 1}, {image}) == "from 1 to 1; expected a max above min");
  CHECK(faulty(Relu{.max = 1, .slope = 0.1}, {image}) ==
        "a slope and bounds; expected one or the other");
  CHECK(faulty(Add{}, {image}) == "1 inputs; expected at least 2");
  CHECK(faulty(Concat{.axis = 0}, {rows, rows}) ==
        "dimension 0 of batch×7×64 depends on the batch; expected a fixed one");
  CHECK(faulty(Softmax{.axis = 3}, {rows}) ==
        "axis 3 of batch×7×64; expected one of its 3 dimensions");
  CHECK(faulty(Softmax{.axis = 0}, {rows}) ==
        "dimension 0 of batch×7×64 depends on the batch; expected a fixed one");
  CHECK(faulty(Split{.sizes = {1, 1}}, {image}) ==
        "sizes 1, 1 of a dimension of 3; expected positive sizes that sum to it");
  CHECK(faulty(Reshape{.shape = {{0}, {5}}}, {rows}) ==
        "batch×7×64 cannot become 0×5; expected as many elements");
  CHECK(faulty(Reshape{.shape = {{448}}}, {rows}) ==
        "batch×7×64 cannot become 448; expected as many elements");
  CHECK(faulty(Transpose{.order = {0, 1, 1}}, {rows}) ==
        "order 0, 1, 1 of 3 dimensions; expected each once");
  CHECK(faulty(Attention{.heads = 5}, {rows, rows, rows}) ==
        "5 heads of width 64; expected a divisor");
  CHECK(faulty(Matmul{}, {rows, rows}) ==
        "batch×7×64 times batch×7×64; expected matrices that can be multiplied, and equal "
        "dimensions before them");
  CHECK(faulty(Bias{.shape = {5}}, {rows}) ==
        "5 does not fit batch×7×64; expected its last dimensions, or ones");
  CHECK(faulty(Linear{.features = std::int64_t{1} << 39}, {rows}) ==
        "batch×7×549755813888 is too large; expected at most 2^40 elements a sample");
  CHECK(outcome(Relu{}, {rows}, Element::int32) == "an input is of int32; expected f32");
}

namespace {

Network two_layers() {
  Network network;
  network.inputs = {{"x", {batch_dimension, {8}}}, {"label", {batch_dimension}, Element::int32}};
  network.layers = {{"hidden", Linear{.features = 8}, {"x"}, {}},
                    {"out", Linear{.features = 4}, {"hidden"}, {}}};
  network.loss = {CrossEntropy{}, {"out", "label"}};
  return network;
}

std::string fault_of(const Network& network) {
  try {
    check(network);
    return "";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

}  // namespace

TEST_CASE("a sound network is accepted, and a fault names its layer", "[infer][network]") {
  REQUIRE(fault_of(two_layers()) == "");
  auto network = two_layers();
  SECTION("a value that nothing makes") {
    network.layers[1].inputs = {"hiden"};
    CHECK(
        fault_of(network) ==
        "/layers/1: \"out\" (linear): reads \"hiden\", which nothing before it makes; expected an "
        "input of the network or the output of a layer before");
  }
  SECTION("two layers of one name") {
    network.layers[1].name = "hidden";
    CHECK(fault_of(network) ==
          "/layers/1/name: \"hidden\" names two layers; expected unique names");
  }
  SECTION("a value made twice") {
    network.layers[1].outputs = {"x"};
    CHECK(fault_of(network) ==
          "/layers/1: \"out\" (linear): makes \"x\", which exists already; "
          "expected a name of its own");
  }
  SECTION("a value that nobody reads") {
    network.layers.push_back({"more", Relu{}, {"hidden"}, {}});
    CHECK(fault_of(network) ==
          "/layers/2: \"more\" is read by nobody; expected a layer or the loss to");
  }
  SECTION("labels of another shape") {
    network.inputs[1].shape = {batch_dimension, {4}};
    CHECK(fault_of(network) ==
          "/loss: cross_entropy: labels are batch×4 of int32; expected batch of int32");
  }
  SECTION("nothing to train") {
    network.layers = {{"out", Relu{}, {"x"}, {}}};
    CHECK(fault_of(network) == "/layers: no layer has parameters; expected something to train");
  }
  SECTION("a shared weight of another shape") {
    network.layers[1].kind = Linear{.features = 4, .weight_of = "hidden"};
    CHECK(fault_of(network) ==
          "/layers/1: \"out\" (linear): needs a weight of 4×8, but that of "
          "\"hidden\" is 8×8; expected the same");
  }
  SECTION("a shared weight of a layer that has none") {
    network.layers[1].kind = Linear{.features = 4, .weight_of = "x"};
    CHECK(
        fault_of(network) ==
        "/layers/1: \"out\" (linear): weight_of \"x\"; expected a linear or embedding layer before "
        "it that has a weight of its own");
  }
}
