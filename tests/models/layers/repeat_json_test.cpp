#include "models/layers/repeat_json.hpp"

#include <catch2/catch.hpp>

#include "tests/support/json_schema.hpp"

using namespace stint;
using Catch::StartsWith;

namespace {

std::string document(const std::string& layers, const std::string& prediction = "block") {
  return R"({"format": "stint-model", "version": 1, "name": "n",
    "inputs": [{"name": "x", "shape": ["batch", 8]}, {"name": "y", "shape": ["batch", 8]}],
    "layers": [)" +
         layers + R"(], "loss": {"op": "mse", "inputs": [")" + prediction + R"(", "y"]},
    "optimizer": {"op": "sgd"}})";
}

Network network_of(const std::string& layers, const std::string& prediction = "block") {
  const std::string text = document(layers, prediction);
  CHECK(model_fault(text) == "");
  return parse_network(text, "f.json");
}

std::string fault_of(const std::string& layers, const std::string& prediction = "block") {
  try {
    parse_network(document(layers, prediction), "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// "name: inputs -> outputs" of every layer, by which tests tell how names were understood.
std::vector<std::string> wiring(const Network& network) {
  std::vector<std::string> lines;
  for (const Layer& layer : network.layers) {
    std::string line = layer.name + ":";
    for (const std::string& input : layer.inputs) line += " " + input;
    for (const std::string& output : layer.outputs) line += " > " + output;
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a repeated block is written out round after round", "[repeat]") {
  const Network network = network_of(R"({"name": "block", "repeat": 3, "input": "x", "layers": [
                     {"name": "fc", "op": "linear", "inputs": ["input"], "features": 8},
                     {"name": "sum", "op": "add", "inputs": ["input", "fc"]}]})");
  CHECK(wiring(network) == Lines{"block.0.fc: x", "block.0.sum: x block.0.fc",
                                 "block.1.fc: block.0.sum", "block.1.sum: block.0.sum block.1.fc",
                                 "block.2.fc: block.1.sum", "block.2.sum: block.1.sum block.2.fc"});
  CHECK(network.loss.inputs == Lines{"block.2.sum", "y"});
  CHECK(network.layers[4].kind == LayerKind(Linear{.features = 8}));
}

TEST_CASE("what is written out reads as the same network", "[repeat]") {
  const Network network = network_of(R"({"name": "block", "repeat": 2, "input": "x", "layers": [
                     {"name": "fc", "op": "linear", "inputs": ["input"], "features": 8}]},
                    {"name": "after", "op": "relu", "inputs": ["block"]})",
                                     "after");
  REQUIRE(parse_network(network_text(network), "again") == network);
}

TEST_CASE("a block repeated once only gives its layers names of their own", "[repeat]") {
  const Network network = network_of(R"({"name": "a", "repeat": 1, "input": "x", "layers": [
                     {"name": "fc", "op": "linear", "inputs": ["input"], "features": 8}]},
                    {"name": "b", "repeat": 1, "input": "a", "layers": [
                     {"name": "fc", "op": "linear", "inputs": ["input"], "features": 8}]})",
                                     "b");
  CHECK(wiring(network) == Lines{"a.0.fc: x", "b.0.fc: a.0.fc"});
}

TEST_CASE("blocks stand in blocks", "[repeat]") {
  const Network network = network_of(R"({"name": "block", "repeat": 2, "input": "x", "layers": [
                     {"name": "in", "op": "linear", "inputs": ["input"], "features": 8},
                     {"name": "deep", "repeat": 2, "input": "in", "layers": [
                      {"name": "relu", "op": "relu", "inputs": ["input"]},
                      {"name": "sum", "op": "add", "inputs": ["relu", "in"]}]}]})");
  CHECK(wiring(network) == Lines{"block.0.in: x", "block.0.deep.0.relu: block.0.in",
                                 "block.0.deep.0.sum: block.0.deep.0.relu block.0.in",
                                 "block.0.deep.1.relu: block.0.deep.0.sum",
                                 "block.0.deep.1.sum: block.0.deep.1.relu block.0.in",
                                 "block.1.in: block.0.deep.1.sum",
                                 "block.1.deep.0.relu: block.1.in",
                                 "block.1.deep.0.sum: block.1.deep.0.relu block.1.in",
                                 "block.1.deep.1.relu: block.1.deep.0.sum",
                                 "block.1.deep.1.sum: block.1.deep.1.relu block.1.in"});
  CHECK(network.loss.inputs[0] == "block.1.deep.1.sum");
}

TEST_CASE("a name means the nearest one before it", "[repeat]") {
  const Network network =
      network_of(R"({"name": "fc", "op": "linear", "inputs": ["x"], "features": 8},
                    {"name": "block", "repeat": 2, "input": "fc", "layers": [
                     {"name": "outer", "op": "add", "inputs": ["input", "fc"]},
                     {"name": "fc", "op": "linear", "inputs": ["outer"], "features": 8},
                     {"name": "inner", "op": "add", "inputs": ["input", "fc"]}]})");
  CHECK(wiring(network) == Lines{"fc: x", "block.0.outer: fc fc", "block.0.fc: block.0.outer",
                                 "block.0.inner: fc block.0.fc", "block.1.outer: block.0.inner fc",
                                 "block.1.fc: block.1.outer",
                                 "block.1.inner: block.0.inner block.1.fc"});
}

TEST_CASE("full names are understood everywhere", "[repeat]") {
  const Network network = network_of(R"({"name": "block", "repeat": 2, "input": "x", "layers": [
                     {"name": "fc", "op": "linear", "inputs": ["input"], "features": 8}]},
                    {"name": "sum", "op": "add", "inputs": ["block.0.fc", "block"]})",
                                     "sum");
  CHECK(wiring(network).back() == "sum: block.0.fc block.1.fc");
}

TEST_CASE("outputs and shared weights in a block belong to their round", "[repeat]") {
  const Network network =
      network_of(R"({"name": "first", "op": "linear", "inputs": ["x"], "features": 8},
                    {"name": "block", "repeat": 2, "input": "first", "layers": [
                     {"name": "own", "op": "linear", "inputs": ["input"], "features": 8},
                     {"name": "tied", "op": "linear", "inputs": ["own"], "features": 8,
                      "weight_of": "own"},
                     {"name": "all", "op": "linear", "inputs": ["tied"], "features": 8,
                      "weight_of": "first"},
                     {"name": "halves", "op": "split", "inputs": ["all"], "sizes": [4, 4]},
                     {"name": "named", "op": "split", "inputs": ["halves.1"], "sizes": [2, 2],
                      "outputs": ["l", "r"]},
                     {"name": "join", "op": "concat", "inputs": ["halves.0", "r", "l"]}]})");
  REQUIRE(network.layers.size() == 13);
  CHECK(std::get<Linear>(network.layers[8].kind).weight_of == "block.1.own");
  CHECK(std::get<Linear>(network.layers[9].kind).weight_of == "first");
  CHECK(wiring(network)[11] == "block.1.named: block.1.halves.1 > block.1.l > block.1.r");
  CHECK(wiring(network)[12] == "block.1.join: block.1.halves.0 block.1.r block.1.l");
}

TEST_CASE("the output of a round is the first of its last layer's", "[repeat]") {
  const Network network = network_of(R"({"name": "block", "repeat": 1, "input": "x", "layers": [
                     {"name": "wide", "op": "linear", "inputs": ["input"], "features": 16},
                     {"name": "parts", "op": "split", "inputs": ["wide"], "sizes": [8, 8]}]},
                    {"name": "sum", "op": "add", "inputs": ["block", "block.0.parts.1"]})",
                                     "sum");
  CHECK(wiring(network).back() == "sum: block.0.parts.0 block.0.parts.1");
}

TEST_CASE("faults of repeated layers stand where the file says them", "[repeat]") {
  const std::string relu = R"({"name": "relu", "op": "relu", "inputs": ["x"]}, )";
  CHECK_THAT(fault_of(relu + R"({"name": "block", "repeat": 3, "input": "relu", "layers": [
                                 {"name": "fc", "op": "linear", "inputs": ["input"], "features": 4},
                                 {"name": "sum", "op": "add", "inputs": ["fc", "x"]}]})"),
             StartsWith("f.json: /layers/1/layers/1: \"block.0.sum\" (add): "));
  CHECK_THAT(fault_of(relu + R"({"name": "block", "repeat": 3, "input": "relu", "layers": [
                                 {"name": "fc", "op": "linear", "inputs": ["block.0.fc"],
                                  "features": 4}]})"),
             StartsWith("f.json: /layers/1/layers/0: \"block.0.fc\" (linear): reads"));
  CHECK_THAT(fault_of(relu + R"({"name": "block", "repeat": 3, "input": "relu", "layers": [
                                 {"name": "fc", "op": "linear", "inputs": ["input"],
                                  "features": 0}]})"),
             StartsWith("f.json: /layers/1/layers/0/features: 0; expected"));
}

TEST_CASE("blocks that are not sound are refused", "[repeat]") {
  const std::string fc = R"({"name": "fc", "op": "linear", "inputs": ["input"], "features": 8})";
  const auto block = [&](const std::string& head, const std::string& layers) {
    return "{" + head + R"(, "layers": [)" + layers + "]}";
  };
  const std::string good = R"("name": "block", "repeat": 2, "input": "x")";
  CHECK(fault_of(block(good, fc)).empty());
  CHECK(fault_of(block(good + R"(, "op": "relu")", fc)) ==
        "f.json: /layers/0: unknown key \"op\"; expected only name, repeat, input, layers");
  CHECK(fault_of(block(R"("name": "block", "repeat": 0, "input": "x")", fc)) ==
        "f.json: /layers/0/repeat: 0; expected a whole number of at least 1");
  CHECK(fault_of(block(R"("name": "block", "repeat": 2)", fc)) ==
        "f.json: /layers/0: no key \"input\"; expected \"input\"");
  CHECK(fault_of(block(R"("name": "", "repeat": 2, "input": "x")", fc)) ==
        "f.json: /layers/0/name: an empty name; expected at least one character");
  CHECK(fault_of(block(good, "")) == "f.json: /layers/0/layers: no layers; expected at least one");
  CHECK(fault_of(block(good, R"({"name": "input", "op": "relu", "inputs": ["input"]})")) ==
        "f.json: /layers/0/layers/0: the name \"input\" is taken; expected another");
  CHECK(fault_of(block(good, fc) + "," + block(good, fc)) ==
        "f.json: /layers/1: the name \"block\" is taken; expected another");
  CHECK(fault_of(block(R"("name": "y", "repeat": 2, "input": "x")", fc)) ==
        "f.json: /layers/0: the name \"y\" is taken; expected another");
  CHECK_THAT(fault_of(block(R"("name": "block", "repeat": 2, "input": "zz")", fc)),
             StartsWith("f.json: /layers/0/layers/0: \"block.0.fc\" (linear): reads \"zz\""));
  CHECK(model_fault(document(block(good, ""))) != "");
  CHECK(model_fault(document(block(good + R"(, "op": "relu")", fc))) != "");
  CHECK(model_fault(document(block(R"("name": "b", "repeat": 0, "input": "x")", fc))) != "");
}

TEST_CASE("names that only meet when written out are refused", "[repeat]") {
  CHECK_THAT(fault_of(R"({"name": "block.0.fc", "op": "linear", "inputs": ["x"], "features": 8},
                         {"name": "block", "repeat": 1, "input": "block.0.fc", "layers": [
                          {"name": "fc", "op": "linear", "inputs": ["input"], "features": 8}]})"),
             StartsWith("f.json: /layers/1/layers/0/name: \"block.0.fc\" names two layers"));
}

TEST_CASE("a short file cannot ask for endless layers", "[repeat]") {
  const std::string relu = R"({"name": "r", "op": "relu", "inputs": ["input"]})";
  const auto repeated = [](const std::string& count, const std::string& layers) {
    return R"({"name": "block", "repeat": )" + count + R"(, "input": "x", "layers": [)" + layers +
           "]}";
  };
  const std::string endless = "9223372036854775807";
  CHECK(fault_of(repeated(endless, repeated(endless, relu))) ==
        "f.json: /layers/0/layers/0/layers/0: more than 100000 layers, repeated ones counted; "
        "expected fewer");
  const std::string long_name(100'000, 'n');
  CHECK(fault_of(repeated(
            "10000", R"({"name": ")" + long_name + R"(", "op": "relu", "inputs": ["input"]})")) ==
        "f.json: /layers/0/layers/0: more than 64000000 bytes of repeated layers; expected fewer");
}
