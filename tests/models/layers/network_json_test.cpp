#include "models/layers/network_json.hpp"

#include <catch2/catch.hpp>

#include "models/layers/repeat_json.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/replaced.hpp"

using namespace stint;

namespace {

const std::string small = R"({"format": "stint-model", "version": 1, "name": "small",
 "inputs": [{"name": "image", "shape": ["batch", 1, 8, 8]},
            {"name": "label", "shape": ["batch"], "type": "int32"}],
 "layers": [{"name": "conv", "op": "conv2d", "inputs": ["image"], "filters": 2, "kernel": [3, 3]},
            {"name": "flat", "op": "flatten", "inputs": ["conv"]},
            {"name": "drop", "op": "dropout", "inputs": ["flat"], "probability": 0.5},
            {"name": "fc", "op": "linear", "inputs": ["drop"], "features": 10}],
 "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
 "optimizer": {"op": "sgd", "momentum": 0.9}})";

// Every op, every attribute other than its default, as the writer writes it.
const std::string everything = R"({"format": "stint-model",
 "version": 1,
 "name": "everything",
 "description": "Every op once.",
 "inputs": [
  {"name":"image","shape":["batch",4,16,16]},
  {"name":"tokens","shape":["batch",6],"type":"int32"},
  {"name":"label","shape":["batch"],"type":"int32"}],
 "layers": [
  {"name":"conv","op":"conv2d","inputs":["image"],"filters":8,"kernel":[3,2],"stride":[2,1],"padding":[1,2,0,1],"dilation":[1,2],"groups":2,"bias":false},
  {"name":"deconv","op":"conv_transpose2d","inputs":["conv"],"filters":4,"kernel":[2,3],"stride":[2,2],"padding":[1,0],"output_padding":[1,0],"dilation":[1,2],"groups":2,"bias":false},
  {"name":"bias","op":"bias","inputs":["deconv"],"shape":[4,1,1]},
  {"name":"scale","op":"scale","inputs":["bias"],"shape":[37]},
  {"name":"affine","op":"affine","inputs":["scale"],"factor":-2.0,"offset":-1.0},
  {"name":"relu","op":"relu","inputs":["affine"],"max":6.0},
  {"name":"max","op":"max_pool2d","inputs":["relu"],"kernel":[3,3],"stride":[2,2],"padding":[1,1],"dilation":[1,2],"ceil":true},
  {"name":"avg","op":"avg_pool2d","inputs":["max"],"kernel":[2,2],"stride":[2,2],"padding":[0,1],"ceil":true,"count_padding":true},
  {"name":"lrn","op":"lrn","inputs":["avg"],"size":3,"alpha":0.001,"beta":0.5,"k":2.0},
  {"name":"batch","op":"batch_norm","inputs":["lrn"],"epsilon":0.001,"momentum":0.2},
  {"name":"halves","op":"split","inputs":["batch"],"outputs":["left","right"],"sizes":[4,6],"axis":3},
  {"name":"swapped","op":"concat","inputs":["right","left"],"axis":-1},
  {"name":"last","op":"transpose","inputs":["swapped"],"order":[0,2,3,1]},
  {"name":"rows","op":"reshape","inputs":["last"],"shape":["batch",-1,8]},
  {"name":"soft","op":"softmax","inputs":["rows"],"axis":1},
  {"name":"square","op":"matmul","inputs":["soft","rows"],"transpose_b":true},
  {"name":"product","op":"matmul","inputs":["rows","square"],"transpose_a":true,"transpose_b":true},
  {"name":"sigmoid","op":"sigmoid","inputs":["product"]},
  {"name":"tanh","op":"tanh","inputs":["product"]},
  {"name":"gate","op":"mul","inputs":["sigmoid","tanh"]},
  {"name":"sum","op":"add","inputs":["gate","product"]},
  {"name":"lines","op":"flatten","inputs":["sum"],"axis":2},
  {"name":"same","op":"reshape","inputs":["lines"],"shape":["8*batch",0]},
  {"name":"flat","op":"reshape","inputs":["same"],"shape":["batch",160]},
  {"name":"fc1","op":"linear","inputs":["flat"],"features":10,"bias":false},
  {"name":"mean","op":"global_avg_pool","inputs":["conv"]},
  {"name":"mean_flat","op":"flatten","inputs":["mean"]},
  {"name":"fc2","op":"linear","inputs":["mean_flat"],"features":10},
  {"name":"table","op":"embedding","inputs":["tokens"],"entries":50,"width":8},
  {"name":"attention","op":"attention","inputs":["table","table","table"],"heads":2,"causal":true,"scale":0.5},
  {"name":"norm","op":"layer_norm","inputs":["attention"],"axis":1,"epsilon":1e-06,"bias":false},
  {"name":"gelu","op":"gelu","inputs":["norm"],"tanh":true},
  {"name":"drop","op":"dropout","inputs":["gelu"],"probability":0.25,"seed":7},
  {"name":"tied","op":"linear","inputs":["drop"],"features":50,"weight_of":"table"},
  {"name":"tied_flat","op":"flatten","inputs":["tied"]},
  {"name":"fc3","op":"linear","inputs":["tied_flat"],"features":10},
  {"name":"scores","op":"add","inputs":["fc1","fc2","fc3"]}],
 "loss": {"op":"cross_entropy","inputs":["scores","label"],"axis":1},
 "optimizer": {"op":"adam","learning_rate":0.002,"beta1":0.8,"beta2":0.99,"epsilon":1e-07,"weight_decay":0.1}})";

// What the reader says once `from` is replaced, or nothing if it still reads the file.
std::string fault(const std::string& from, const std::string& to) {
  try {
    parse_network(replaced(small, from, to), "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The same, for a fault that the schema must find as well.
std::string shape_fault(const std::string& from, const std::string& to) {
  CAPTURE(from, to);
  CHECK_FALSE(model_fault(replaced(small, from, to)).empty());
  return fault(from, to);
}

// With the attributes of the convolution replaced.
std::string conv_fault(const std::string& attributes) {
  return shape_fault(R"("filters": 2, "kernel": [3, 3])", attributes);
}

template <typename Kind>
Kind layer_of_everything(const std::string& name) {
  for (const Layer& layer : parse_network(everything, "f.json").layers) {
    if (layer.name == name) return std::get<Kind>(layer.kind);
  }
  throw std::logic_error("no layer " + name);
}

}  // namespace

TEST_CASE("a network is read field by field", "[network_json]") {
  const Network network = parse_network(small, "f.json");
  CHECK(network.name == "small");
  CHECK(network.description.empty());
  CHECK(network.inputs ==
        std::vector<NetworkInput>{{"image", {batch_dimension, {1}, {8}, {8}}, Element::f32},
                                  {"label", {batch_dimension}, Element::int32}});
  CHECK(network.layers ==
        std::vector<Layer>{{"conv", Conv2d{.filters = 2, .kernel = {3, 3}}, {"image"}, {}},
                           {"flat", Flatten{}, {"conv"}, {}},
                           {"drop", Dropout{}, {"flat"}, {}},
                           {"fc", Linear{.features = 10}, {"drop"}, {}}});
  CHECK(network.loss == Loss{CrossEntropy{}, {"fc", "label"}});
  CHECK(network.optimizer == Optimizer(Sgd{.momentum = 0.9}));
}

TEST_CASE("every op and attribute comes back from its text to the byte", "[network_json]") {
  const Network network = parse_network(everything, "f.json");
  REQUIRE(network_text(network) == everything);
  REQUIRE(model_fault(everything) == "");
}

TEST_CASE("attributes go where their names say", "[network_json]") {
  CHECK(layer_of_everything<Conv2d>("conv") == Conv2d{.filters = 8,
                                                      .kernel = {3, 2},
                                                      .stride = {2, 1},
                                                      .padding = {1, 2, 0, 1},
                                                      .dilation = {1, 2},
                                                      .groups = 2,
                                                      .bias = false});
  CHECK(layer_of_everything<ConvTranspose2d>("deconv").padding == Padding{1, 0, 1, 0});
  CHECK(layer_of_everything<ConvTranspose2d>("deconv").output_padding == Pair{1, 0});
  CHECK(layer_of_everything<Reshape>("same").shape == Shape{{8, true}, {0}});
  CHECK(layer_of_everything<Relu>("relu").max == 6);
  CHECK(layer_of_everything<Linear>("tied").weight_of == "table");
  CHECK(layer_of_everything<Attention>("attention") ==
        Attention{.heads = 2, .causal = true, .scale = 0.5});
  CHECK(layer_of_everything<Dropout>("drop") == Dropout{.probability = 0.25, .seed = 7});
}

TEST_CASE("the writer leaves out what has its default", "[network_json]") {
  Network network = parse_network(small, "f.json");
  network.description = "";
  REQUIRE(network_text(network) == R"({"format": "stint-model",
 "version": 1,
 "name": "small",
 "inputs": [
  {"name":"image","shape":["batch",1,8,8]},
  {"name":"label","shape":["batch"],"type":"int32"}],
 "layers": [
  {"name":"conv","op":"conv2d","inputs":["image"],"filters":2,"kernel":[3,3]},
  {"name":"flat","op":"flatten","inputs":["conv"]},
  {"name":"drop","op":"dropout","inputs":["flat"]},
  {"name":"fc","op":"linear","inputs":["drop"],"features":10}],
 "loss": {"op":"cross_entropy","inputs":["fc","label"]},
 "optimizer": {"op":"sgd","momentum":0.9}})");
}

TEST_CASE("a split that names no outputs has its name and their numbers", "[network_json]") {
  CHECK(fault(R"({"name": "fc", "op": "linear", "inputs": ["drop"])",
              R"({"name": "s", "op": "split", "inputs": ["drop"], "sizes": [70, 2]},
                 {"name": "c", "op": "concat", "inputs": ["s.1", "s.0"]},
                 {"name": "fc", "op": "linear", "inputs": ["c"])")
            .empty());
}

TEST_CASE("a network with unknown keys is refused, and the known ones told", "[network_json]") {
  CHECK(shape_fault(R"("loss")", R"("lost": 1, "loss")") ==
        "f.json: /: unknown key \"lost\"; expected only format, version, name, description, "
        "inputs, layers, loss, optimizer");
  CHECK(shape_fault(R"("name": "image",)", R"("name": "image", "bytes": 1,)") ==
        "f.json: /inputs/0: unknown key \"bytes\"; expected only name, shape, type");
  CHECK(shape_fault(R"("features": 10)", R"("feature": 10)") ==
        "f.json: /layers/3: unknown key \"feature\"; expected only name, inputs, outputs, op, "
        "features, bias, weight_of");
  CHECK(shape_fault(R"("inputs": ["fc", "label"])", R"("inputs": ["fc", "label"], "bias": true)") ==
        "f.json: /loss: unknown key \"bias\"; expected only inputs, op, axis");
  CHECK(shape_fault(R"("momentum")", R"("beta1")") ==
        "f.json: /optimizer: unknown key \"beta1\"; expected only op, learning_rate, momentum, "
        "weight_decay");
}

TEST_CASE("a network with missing keys is refused", "[network_json]") {
  CHECK(conv_fault(R"("kernel": [3, 3])") ==
        "f.json: /layers/0: no key \"filters\"; expected \"filters\"");
  CHECK(conv_fault(R"("filters": 2)") ==
        "f.json: /layers/0: no key \"kernel\"; expected \"kernel\"");
  CHECK(shape_fault(R"("name": "conv", )", "") ==
        "f.json: /layers/0: no key \"name\"; expected \"name\"");
  CHECK(shape_fault(R"("op": "conv2d", )", "") ==
        "f.json: /layers/0: no key \"op\"; expected \"op\"");
  CHECK(shape_fault(R"("inputs": ["image"], )", "") ==
        "f.json: /layers/0: no key \"inputs\"; expected \"inputs\"");
  CHECK(shape_fault(R"(, "shape": ["batch"])", "") ==
        "f.json: /inputs/1: no key \"shape\"; expected \"shape\"");
  CHECK(shape_fault(R"("op": "sgd", )", "") ==
        "f.json: /optimizer: no key \"op\"; expected \"op\"");
}

TEST_CASE("ops that do not exist are refused, and all told", "[network_json]") {
  CHECK(
      shape_fault("\"conv2d\"", "\"conv3d\"") ==
      "f.json: /layers/0/op: unknown op \"conv3d\"; expected one of conv2d, conv_transpose2d, "
      "linear, matmul, bias, scale, affine, relu, gelu, sigmoid, tanh, softmax, add, mul, concat, "
      "split, reshape, flatten, transpose, max_pool2d, avg_pool2d, global_avg_pool, batch_norm, "
      "layer_norm, lrn, embedding, attention, dropout");
  CHECK(shape_fault("\"cross_entropy\"", "\"hinge\"") ==
        "f.json: /loss/op: unknown op \"hinge\"; expected one of cross_entropy, mse");
  CHECK(shape_fault("\"sgd\"", "\"lion\"") ==
        "f.json: /optimizer/op: unknown op \"lion\"; expected one of sgd, adam");
}

TEST_CASE("attributes of a wrong type or out of range are refused", "[network_json]") {
  CHECK(conv_fault(R"("filters": 0, "kernel": [3, 3])") ==
        "f.json: /layers/0/filters: 0; expected a whole number of at least 1");
  CHECK(conv_fault(R"("filters": 1.5, "kernel": [3, 3])") ==
        "f.json: /layers/0/filters: 1.5; expected a whole number of at least 1");
  CHECK(conv_fault(R"("filters": 2, "kernel": 3)") ==
        "f.json: /layers/0/kernel: a number; expected a list");
  CHECK(conv_fault(R"("filters": 2, "kernel": [3])") ==
        "f.json: /layers/0/kernel: 1 numbers; expected 2: height, width");
  CHECK(conv_fault(R"("filters": 2, "kernel": [3, 0])") ==
        "f.json: /layers/0/kernel/1: 0; expected a whole number of at least 1");
  const std::string good = R"("filters": 2, "kernel": [3, 3], )";
  CHECK(conv_fault(good + R"("stride": [0, 1])") ==
        "f.json: /layers/0/stride/0: 0; expected a whole number of at least 1");
  CHECK(conv_fault(good + R"("dilation": [1, -1])") ==
        "f.json: /layers/0/dilation/1: -1; expected a whole number of at least 1");
  CHECK(conv_fault(good + R"("groups": 0)") ==
        "f.json: /layers/0/groups: 0; expected a whole number of at least 1");
  CHECK(conv_fault(good + R"("padding": [0, -1])") ==
        "f.json: /layers/0/padding/1: -1; expected a whole number of at least 0");
  CHECK(conv_fault(good + R"("padding": [1, 1, 1])") ==
        "f.json: /layers/0/padding: 3 numbers; expected 2: height, width, or 4: top, left, bottom, "
        "right");
  CHECK(conv_fault(good + R"("bias": 1)") ==
        "f.json: /layers/0/bias: a number; expected true or false");
  CHECK(conv_fault(good + R"("bias": null)") ==
        "f.json: /layers/0/bias: null; expected true or false");
}

TEST_CASE("kernels beyond all counting are refused", "[network_json]") {
  CHECK_THAT(fault(R"("kernel": [3, 3])", R"("kernel": [1000000000000, 1000000000000],
                                             "padding": [600000000000, 600000000000])"),
             Catch::StartsWith("f.json: /layers/0: \"conv\" (conv2d): 1×1000000000000"));
}

TEST_CASE("numbers have the range that their name gives them", "[network_json]") {
  const std::string drop = R"("op": "dropout", "inputs": ["flat"], "probability": 0.5)";
  const auto with = [&](const std::string& op, const std::string& attributes) {
    return shape_fault(drop, R"("op": ")" + op + R"(", "inputs": ["flat"], )" + attributes);
  };
  const std::string below_one = "; expected a number of at least 0 and below 1";
  const std::string from_zero = "; expected a number of at least 0";
  CHECK(with("dropout", R"("probability": 1)") == "f.json: /layers/2/probability: 1" + below_one);
  CHECK(with("dropout", R"("probability": -0.5)") ==
        "f.json: /layers/2/probability: -0.5" + from_zero);
  CHECK(with("dropout", R"("seed": -1)") ==
        "f.json: /layers/2/seed: -1; expected a whole number of at least 0");
  CHECK(with("relu", R"("slope": -1)") == "f.json: /layers/2/slope: -1" + from_zero);
  CHECK(with("relu", R"("max": null)") == "f.json: /layers/2/max: null; expected a number");
  CHECK(with("layer_norm", R"("epsilon": -1e-5)") ==
        "f.json: /layers/2/epsilon: -1e-05" + from_zero);
  CHECK(with("softmax", R"("axis": 1.5)").starts_with("f.json: /layers/2/axis: 1.5; expected"));
  CHECK(with("linear", R"("features": 4, "weight_of": 3)") ==
        "f.json: /layers/2/weight_of: a number; expected a text");
  CHECK(with("transpose", R"("order": [1, -1])") ==
        "f.json: /layers/2/order/1: -1; expected a whole number of at least 0");
  CHECK(shape_fault(R"("sgd", "momentum": 0.9)", R"("adam", "beta2": 1.0)") ==
        "f.json: /optimizer/beta2: 1" + below_one);
  CHECK(shape_fault(R"("momentum": 0.9)", R"("learning_rate": -1)") ==
        "f.json: /optimizer/learning_rate: -1" + from_zero);
  CHECK(fault(drop, R"("op": "affine", "inputs": ["flat"], "factor": 1e999)")
            .starts_with("f.json: / (line 6, column"));
}

TEST_CASE("shapes count, or count samples", "[network_json]") {
  const auto with = [](const std::string& shape) {
    return shape_fault(R"(["batch", 1, 8, 8])", shape);
  };
  const std::string expected = "; expected a whole number, \"batch\" or \"4*batch\"";
  CHECK(with(R"(["samples", 1, 8, 8])") == "f.json: /inputs/0/shape/0: \"samples\"" + expected);
  CHECK(with(R"(["0*batch", 1, 8, 8])") == "f.json: /inputs/0/shape/0: \"0*batch\"" + expected);
  CHECK(with(R"(["-1*batch", 1, 8, 8])") == "f.json: /inputs/0/shape/0: \"-1*batch\"" + expected);
  CHECK(with(R"(["2*batches", 1, 8, 8])") == "f.json: /inputs/0/shape/0: \"2*batches\"" + expected);
  CHECK(with(R"(["batch", 0, 8, 8])") ==
        "f.json: /inputs/0/shape/1: 0; expected a whole number of at least 1");
  CHECK(with("4") == "f.json: /inputs/0/shape: a number; expected a list");
  CHECK(fault(R"(["batch", 1, 8, 8])", R"(["99999999999999999999*batch", 1, 8, 8])") ==
        "f.json: /inputs/0/shape/0: \"99999999999999999999*batch\"" + expected);
  CHECK(fault(R"(["batch", 1, 8, 8])", R"(["batch", 1, "batch", 8])") ==
        "f.json: /inputs/0/shape/2: a second dimension that depends on the batch; expected at most "
        "one");
  CHECK(shape_fault(R"("int32")", R"("int64")") ==
        "f.json: /inputs/1/type: unknown word \"int64\"; expected one of f32, int32, uint8");
  CHECK(shape_fault(R"("op": "flatten", "inputs": ["conv"])",
                    R"("op": "reshape", "inputs": ["conv"], "shape": ["batch", -2])") ==
        "f.json: /layers/1/shape/1: -2; expected a whole number of at least -1");
}

TEST_CASE("names are not empty, on one line and taken once", "[network_json]") {
  const std::string empty = ": an empty name; expected at least one character";
  CHECK(shape_fault(R"("name": "small")", R"("name": "")") == "f.json: /name" + empty);
  CHECK(shape_fault(R"("name": "image")", R"("name": "")") == "f.json: /inputs/0/name" + empty);
  CHECK(shape_fault(R"("name": "conv")", R"("name": "")") == "f.json: /layers/0/name" + empty);
  CHECK(shape_fault(R"("filters")", R"("outputs": [""], "filters")") ==
        "f.json: /layers/0/outputs/0" + empty);
  CHECK(shape_fault(R"("filters")", R"("outputs": [], "filters")") ==
        "f.json: /layers/0/outputs: no outputs; expected at least one");
  CHECK(fault(R"("name": "conv")", R"("name": "a\nb")") ==
        "f.json: /layers/0/name: the name \"a\\u000ab\" has control characters; expected a name "
        "without");
  CHECK(fault(R"("name": "conv")", R"("name": "image")") ==
        "f.json: /layers/0: the name \"image\" is taken; expected another");
}

TEST_CASE("what does not fit together is refused where the file says it", "[network_json]") {
  CHECK(fault(R"(["flat"])", R"(["flap"])").starts_with("f.json: /layers/2: \"drop\" (dropout): "));
  CHECK(fault(R"("kernel": [3, 3])", R"("kernel": [9, 3])")
            .starts_with("f.json: /layers/0: \"conv\" (conv2d): "));
  CHECK(fault(R"(["fc", "label"])", R"(["fc", "lapel"])").starts_with("f.json: /loss: "));
  CHECK(shape_fault(R"("layers": [)", R"("description": "d", "layers": [3, )") ==
        "f.json: /layers/0: a number; expected an object");
}

TEST_CASE("faults of a network inside another document name their place in that document",
          "[network_json]") {
  const auto embedded = [](const std::string& from, const std::string& to) {
    const std::string text = R"({"model": )" + replaced(small, from, to) + "}";
    const auto document = parse_json(text, "s.json");
    return network_from_json(JsonReader(document, "s.json").child("model"));
  };
  CHECK_THROWS_WITH(embedded("\"sgd\"", "\"sdg\""),
                    Catch::StartsWith("s.json: /model/optimizer/op: unknown op"));
  CHECK_THROWS_WITH(embedded(R"(["flat"])", R"(["flap"])"),
                    Catch::StartsWith("s.json: /model/layers/2: \"drop\""));
  CHECK_THROWS_WITH(embedded(R"(["fc", "label"])", R"(["fc", "lapel"])"),
                    Catch::StartsWith("s.json: /model/loss: "));
}

TEST_CASE("a network's file that cannot be read or parsed is bad input", "[network_json]") {
  CHECK_THROWS_AS(read_network("/nonexistent/file.json"), InputError);
  CHECK_THROWS_WITH(parse_network(small.substr(0, 40), "f.json"),
                    "f.json: / (line 1, column 40): the file ends too early; expected the rest of "
                    "a JSON document");
}
