#include "tests/executor/cpu/sharded_networks.hpp"

namespace stint {
namespace {

Network perceptron() {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "perceptron",
    "inputs": [{"name": "image", "shape": ["batch", 20]},
               {"name": "label", "shape": ["batch"], "type": "int32"}],
    "layers": [
      {"name": "fc1", "op": "linear", "inputs": ["image"], "features": 24},
      {"name": "relu1", "op": "relu", "inputs": ["fc1"]},
      {"name": "fc2", "op": "linear", "inputs": ["relu1"], "features": 17},
      {"name": "relu2", "op": "relu", "inputs": ["fc2"]},
      {"name": "fc3", "op": "linear", "inputs": ["relu2"], "features": 10, "bias": false}],
    "loss": {"op": "cross_entropy", "inputs": ["fc3", "label"]},
    "optimizer": {"op": "sgd", "learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.01}})",
                       "perceptron");
}

Network transformer() {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "transformer",
    "inputs": [{"name": "x", "shape": ["batch", 6, 16]}, {"name": "y", "shape": ["batch", 6, 16]}],
    "layers": [
      {"name": "norm1", "op": "layer_norm", "inputs": ["x"]},
      {"name": "qkv", "op": "linear", "inputs": ["norm1"], "features": 48},
      {"name": "parts", "op": "split", "inputs": ["qkv"], "outputs": ["q", "k", "v"],
       "sizes": [16, 16, 16], "axis": 2},
      {"name": "attention", "op": "attention", "inputs": ["q", "k", "v"], "heads": 4,
       "causal": true},
      {"name": "merge", "op": "linear", "inputs": ["attention"], "features": 16},
      {"name": "sum1", "op": "add", "inputs": ["x", "merge"]},
      {"name": "norm2", "op": "layer_norm", "inputs": ["sum1"]},
      {"name": "wide", "op": "linear", "inputs": ["norm2"], "features": 32},
      {"name": "gelu", "op": "gelu", "inputs": ["wide"]},
      {"name": "narrow", "op": "linear", "inputs": ["gelu"], "features": 16},
      {"name": "sum2", "op": "add", "inputs": ["sum1", "narrow"]}],
    "loss": {"op": "mse", "inputs": ["sum2", "y"]},
    "optimizer": {"op": "adam", "learning_rate": 0.003, "weight_decay": 0.1}})",
                       "transformer");
}

// The table of words is the weight of the scores as well.
Network words() {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "words",
    "inputs": [{"name": "tokens", "shape": ["batch", 5], "type": "int32"},
               {"name": "label", "shape": ["batch", 5], "type": "int32"}],
    "layers": [
      {"name": "word", "op": "embedding", "inputs": ["tokens"], "entries": 17, "width": 12},
      {"name": "fc", "op": "linear", "inputs": ["word"], "features": 12},
      {"name": "scores", "op": "linear", "inputs": ["fc"], "features": 17, "bias": false,
       "weight_of": "word"}],
    "loss": {"op": "cross_entropy", "inputs": ["scores", "label"]},
    "optimizer": {"op": "adam", "learning_rate": 0.003}})",
                       "words");
}

Network images() {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "images",
    "inputs": [{"name": "image", "shape": ["batch", 3, 8, 8]},
               {"name": "label", "shape": ["batch"], "type": "int32"}],
    "layers": [
      {"name": "conv1", "op": "conv2d", "inputs": ["image"], "filters": 8, "kernel": [3, 3],
       "padding": [1, 1], "bias": false},
      {"name": "norm1", "op": "batch_norm", "inputs": ["conv1"]},
      {"name": "relu1", "op": "relu", "inputs": ["norm1"]},
      {"name": "conv2", "op": "conv2d", "inputs": ["relu1"], "filters": 10, "kernel": [3, 3]},
      {"name": "relu2", "op": "relu", "inputs": ["conv2"]},
      {"name": "pool", "op": "max_pool2d", "inputs": ["relu2"], "kernel": [2, 2], "stride": [2, 2]},
      {"name": "flat", "op": "flatten", "inputs": ["pool"]},
      {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 10}],
    "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
    "optimizer": {"op": "sgd", "learning_rate": 0.1, "momentum": 0.9}})",
                       "images");
}

}  // namespace

std::vector<ShardedCase> sharded_cases() {
  using enum ShardBy;
  return {{perceptron(), {{"fc1", columns, 2}, {"fc2", rows, 2}}},
          {perceptron(), {{"fc1", rows, 5}, {"fc2", columns, 3}, {"fc3", columns, 4}}},
          {perceptron(), {{"fc1", columns, 5}, {"fc2", rows, 4}}},
          {transformer(), {{"attention", heads, 4}}},
          {transformer(),
           {{"qkv", columns, 2},
            {"attention", heads, 2},
            {"merge", rows, 2},
            {"wide", columns, 2},
            {"narrow", rows, 2}}},
          {transformer(), {{"qkv", columns, 4}, {"attention", heads, 2}, {"wide", rows, 2}}},
          {words(), {{"fc", rows, 2}, {"scores", columns, 3}}},
          {images(), {{"conv1", channels, 2}, {"conv2", channels, 3}}},
          {images(), {{"conv2", channels, 2}, {"fc", rows, 3}}}};
}

}  // namespace stint
