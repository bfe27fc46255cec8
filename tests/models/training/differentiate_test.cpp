#include "models/training/differentiate.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "files/input_error.hpp"
#include "tests/support/bundled_files.hpp"

using namespace stint;

namespace {

const NetworkInput image{"image", {batch_dimension, {4}, {8}, {8}}, Element::f32};
const NetworkInput label{"label", {batch_dimension}, Element::int32};

// A network of these layers over an image, flattened and classified.
Network network_of(std::vector<Layer> layers, const std::string& last) {
  Network network{.name = "test", .inputs = {image, label}, .layers = std::move(layers)};
  network.layers.push_back({"flat", Flatten{}, {last}, {}});
  network.layers.push_back({"fc", Linear{.features = 10}, {"flat"}, {}});
  network.loss = {CrossEntropy{}, {"fc", "label"}};
  return network;
}

Layer conv(const std::string& name, const std::string& input) {
  return {name, Conv2d{.filters = 4, .kernel = {3, 3}, .padding = {1, 1, 1, 1}}, {input}, {}};
}

using Names = std::vector<std::string>;

struct Step {
  Training training;

  const Operation& operation(const std::string& name) const {
    for (const Operation& operation : training.operations) {
      if (operation.name == name) return operation;
    }
    FAIL("no operation " + name);
    throw;
  }
  Names names(const std::vector<ValueId>& ids) const {
    Names list;
    for (const ValueId id : ids) list.push_back(training.values[id].name);
    return list;
  }
  Names reads(const std::string& name) const { return names(operation(name).reads); }
  Names writes(const std::string& name) const { return names(operation(name).writes); }
  bool has(const std::string& name) const {
    for (const Operation& operation : training.operations) {
      if (operation.name == name) return true;
    }
    return false;
  }
  std::size_t place(const std::string& name) const {
    return static_cast<std::size_t>(&operation(name) - training.operations.data());
  }
};

Step step_of(std::vector<Layer> layers, const std::string& last,
             ImageLayout layout = ImageLayout::nchw) {
  return {differentiate(network_of(std::move(layers), last), layout)};
}

}  // namespace

TEST_CASE("each operation reads just what its derivative is made of", "[differentiate]") {
  const Step step = step_of({conv("conv1", "image"),
                             {"relu1", Relu{}, {"conv1"}, {}},
                             {"pool", MaxPool2d{.kernel = {2, 2}, .stride = {2, 2}}, {"relu1"}, {}},
                             conv("conv2", "pool"),
                             {"tanh", Tanh{}, {"conv2"}, {}},
                             {"gelu", Gelu{}, {"tanh"}, {}},
                             {"norm", BatchNorm{}, {"gelu"}, {}},
                             {"drop", Dropout{}, {"norm"}, {}}},
                            "drop");
  CHECK(step.reads("relu1.backward") == Names{"relu1", "relu1.grad"});
  CHECK(step.reads("conv2.backward_data") == Names{"conv2.weight", "conv2.grad"});
  CHECK(step.reads("conv2.backward_weights") == Names{"pool", "conv2.grad"});
  CHECK(step.writes("conv2.backward_weights") == Names{"conv2.weight.grad", "conv2.bias.grad"});
  CHECK(step.reads("pool.backward") == Names{"pool.indices", "pool.grad"});
  CHECK(step.names(step.operation("pool.forward").optional) == Names{"pool.indices"});
  CHECK(step.reads("tanh.backward") == Names{"tanh", "tanh.grad"});
  CHECK(step.reads("gelu.backward") == Names{"tanh", "gelu.grad"});
  CHECK(step.reads("drop.backward") == Names{"drop.grad"});
  CHECK(step.reads("norm.forward") == Names{"norm.statistics", "norm.weight", "norm.bias", "gelu"});
  CHECK(step.reads("norm.backward_weights") == Names{"gelu", "norm.statistics", "norm.grad"});
  CHECK(step.reads("norm.backward_data") == Names{"gelu", "norm.statistics", "norm.weight",
                                                  "norm.weight.grad", "norm.bias.grad",
                                                  "norm.grad"});
  CHECK(step.reads("norm.running") == Names{"norm.statistics"});
  CHECK(step.names(step.operation("norm.running").updates) ==
        Names{"norm.running_mean", "norm.running_var"});
  CHECK(step.reads("loss.backward") == Names{"fc", "label"});
  CHECK_FALSE(step.has("conv1.backward_data"));  // nobody asks for the gradient of the data
}

TEST_CASE("a rectifier reads its input where that is kept anyway and its output is not",
          "[differentiate]") {
  // gelu keeps its input, conv1; the maximum needs no more than its indices.
  const Step step =
      step_of({conv("conv1", "image"),
               {"relu", Relu{}, {"conv1"}, {}},
               {"pool",
                MaxPool2d{.kernel = {3, 3}, .stride = {1, 1}, .padding = {1, 1, 1, 1}},
                {"relu"},
                {}},
               {"gelu", Gelu{}, {"conv1"}, {}},
               {"sum", Add{}, {"pool", "gelu"}, {}}},
              "sum");
  CHECK(step.reads("relu.backward") == Names{"conv1", "relu.grad"});
}

TEST_CASE("gradients of a value with several readers are summed, the last reader's first",
          "[differentiate]") {
  const Step step = step_of({conv("a", "image"),
                             {"b", Relu{}, {"a"}, {}},
                             {"c", Tanh{}, {"a"}, {}},
                             {"d", Sigmoid{}, {"a"}, {}},
                             {"sum", Add{}, {"b", "c", "d"}, {}}},
                            "sum");
  CHECK(step.reads("a.grad.2.sum") == Names{"a.grad.d", "a.grad.c"});
  CHECK(step.reads("a.grad.sum") == Names{"a.grad.2", "a.grad.b"});
  CHECK(step.reads("a.backward_weights") == Names{"image", "a.grad"});
  // The gradient of a sum is that of each of its terms: no copies.
  CHECK(step.reads("b.backward") == Names{"b", "sum.grad"});
  CHECK(step.reads("c.backward") == Names{"c", "sum.grad"});
  CHECK_FALSE(step.has("sum.backward"));
}

TEST_CASE("a weight that two layers share has one gradient and one update, after both",
          "[differentiate]") {
  Network network{.name = "tied"};
  network.inputs = {{"ids", {batch_dimension, {5}}, Element::int32},
                    {"label", {batch_dimension, {5}}, Element::int32}};
  network.layers = {
      {"embed", Embedding{.entries = 20, .width = 8}, {"ids"}, {}},
      {"gelu", Gelu{}, {"embed"}, {}},
      {"scores", Linear{.features = 20, .bias = false, .weight_of = "embed"}, {"gelu"}, {}}};
  network.loss = {CrossEntropy{}, {"scores", "label"}};
  const Step step{differentiate(network, ImageLayout::nhwc)};
  REQUIRE(step.training.trained.size() == 1);
  CHECK(step.reads("embed.weight.grad.sum") ==
        Names{"embed.weight.grad.scores", "embed.weight.grad.embed"});
  CHECK(step.reads("embed.weight.update") == Names{"embed.weight.grad"});
  CHECK(step.place("embed.weight.update") > step.place("embed.backward_weights"));
  CHECK(step.place("embed.weight.update") > step.place("scores.backward_data"));
}

TEST_CASE("optimizers keep the state that they need", "[differentiate]") {
  Network network = network_of({conv("a", "image")}, "a");
  const auto state = [&](const Optimizer& optimizer) {
    network.optimizer = optimizer;
    const Step step{differentiate(network, ImageLayout::nhwc)};
    return step.names(step.operation("a.weight.update").updates);
  };
  CHECK(state(Sgd{}) == Names{"a.weight"});
  CHECK(state(Sgd{.momentum = 0.9}) == Names{"a.weight", "a.weight.momentum"});
  CHECK(state(Adam{}) == Names{"a.weight", "a.weight.mean", "a.weight.square"});
}

TEST_CASE("images are reordered where their order in memory matters, and only there",
          "[differentiate]") {
  const std::vector<Layer> layers = {
      conv("a", "image"), {"relu", Relu{}, {"a"}, {}}, conv("b", "relu")};
  const auto reorders = [&](const Step& step) {
    Names names;
    for (const Operation& operation : step.training.operations) {
      if (operation.op == "reorder") names.push_back(operation.name);
    }
    return names;
  };
  CHECK(reorders(step_of(layers, "b", ImageLayout::nchw)).empty());
  // The data arrive with channels first; a flattened image is listed in that order too.
  CHECK(reorders(step_of(layers, "b", ImageLayout::nhwc)) ==
        Names{"image.nhwc.forward", "b.nchw.forward", "b.nchw.backward"});
  // One pixel has but one order.
  std::vector<Layer> pooled = layers;
  pooled.push_back({"mean", GlobalAvgPool{}, {"b"}, {}});
  CHECK(reorders(step_of(pooled, "mean", ImageLayout::nhwc)) == Names{"image.nhwc.forward"});
}

TEST_CASE("layers that drop with one seed have masks of their own, the same forward and backward",
          "[differentiate]") {
  const Step step = step_of(
      {conv("a", "image"), {"drop1", Dropout{}, {"a"}, {}}, {"drop2", Dropout{}, {"drop1"}, {}}},
      "drop2");
  const auto seed = [&](const std::string& name) {
    return std::get<Dropout>(std::get<LayerKind>(step.operation(name).origin)).seed;
  };
  CHECK(seed("drop1.forward") == seed("drop1.backward"));
  CHECK(seed("drop1.forward") != seed("drop2.forward"));
}

TEST_CASE("what cannot be trained is said", "[differentiate]") {
  Network network{.name = "bad", .inputs = {{"x", {batch_dimension, {4}}}}};
  network.layers = {{"a", Linear{.features = 4}, {"x"}, {}},
                    {"b", Linear{.features = 4}, {"x"}, {}}};
  network.loss = {MeanSquaredError{}, {"a", "b"}};
  CHECK_THROWS_WITH(differentiate(network, ImageLayout::nhwc),
                    "/loss: \"b\" depends on what is trained; expected data to compare with");
}

TEST_CASE("in every bundled network each parameter has one gradient of its shape and one update",
          "[differentiate][zoo]") {
  for (const std::string& path : bundled_files("models", "stint-model")) {
    for (const ImageLayout layout : {ImageLayout::nhwc, ImageLayout::nchw}) {
      CAPTURE(path, to_string(layout));
      const Training training = differentiate(read_network(path), layout);
      std::map<ValueId, int> updates;
      for (const Operation& operation : training.operations) {
        if (std::holds_alternative<Optimizer>(operation.origin)) ++updates[operation.updates[0]];
      }
      std::set<std::string> trained;
      for (const Trained& one : training.trained) {
        CHECK(training.values[one.parameter].shape == training.values[one.gradient].shape);
        CHECK(updates[one.parameter] == 1);
        CHECK(trained.insert(training.values[one.parameter].name).second);
      }
      std::set<std::string> expected;
      for (const Parameter& parameter : training.parameters) {
        if (parameter.trained) expected.insert(parameter.name);
      }
      CHECK(trained == expected);
    }
  }
}
