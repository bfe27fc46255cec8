#include "tests/support/operation_networks.hpp"

#include <map>

namespace stint {
namespace {

const std::map<std::string, std::string>& texts() {
  static const std::map<std::string, std::string> all = {
      {"images", R"({"inputs": [{"name": "image", "shape": ["batch", 3, 11, 9]},
                {"name": "label", "shape": ["batch"], "type": "int32"}],
     "layers": [{"name": "conv", "op": "conv2d", "inputs": ["image"], "filters": 18, "kernel": [3, 3], "padding": [1, 1]},
                {"name": "norm", "op": "batch_norm", "inputs": ["conv"]},
                {"name": "relu", "op": "relu", "inputs": ["norm"], "max": 1.5},
                {"name": "pool", "op": "max_pool2d", "inputs": ["relu"], "kernel": [3, 3], "stride": [2, 2], "padding": [1, 1]},
                {"name": "lrn", "op": "lrn", "inputs": ["pool"], "size": 5, "alpha": 0.3},
                {"name": "drop", "op": "dropout", "inputs": ["lrn"], "probability": 0.25, "seed": 7},
                {"name": "parts", "op": "split", "inputs": ["drop"], "sizes": [7, 11]},
                {"name": "narrow", "op": "conv2d", "inputs": ["parts.0"], "filters": 11, "kernel": [1, 1], "bias": false},
                {"name": "sum", "op": "add", "inputs": ["parts.1", "narrow", "parts.1"]},
                {"name": "bias", "op": "bias", "inputs": ["sum"]},
                {"name": "scale", "op": "scale", "inputs": ["bias"]},
                {"name": "affine", "op": "affine", "inputs": ["scale"], "factor": 0.5, "offset": 0.25},
                {"name": "both", "op": "concat", "inputs": ["affine", "parts.0"]},
                {"name": "mean", "op": "avg_pool2d", "inputs": ["both"], "kernel": [2, 2], "stride": [2, 2]},
                {"name": "global", "op": "global_avg_pool", "inputs": ["mean"]},
                {"name": "flat", "op": "flatten", "inputs": ["global"]},
                {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 5}],
     "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
     "optimizer": {"op": "sgd", "learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.01}})"},
      {"pixels", R"({"inputs": [{"name": "image", "shape": ["batch", 4, 6, 5]},
                {"name": "label", "shape": ["batch", 12, 10], "type": "int32"}],
     "layers": [{"name": "up", "op": "conv_transpose2d", "inputs": ["image"], "filters": 20, "kernel": [2, 2], "stride": [2, 2]},
                {"name": "leaky", "op": "relu", "inputs": ["up"], "slope": 0.1},
                {"name": "clipped", "op": "relu", "inputs": ["leaky"], "min": -0.03125, "max": 0.25},
                {"name": "own", "op": "bias", "inputs": ["clipped"], "shape": [20, 1, 10]},
                {"name": "rows", "op": "scale", "inputs": ["own"], "shape": [12, 1]},
                {"name": "one", "op": "scale", "inputs": ["rows"], "shape": [1]},
                {"name": "gate", "op": "sigmoid", "inputs": ["one"]},
                {"name": "product", "op": "mul", "inputs": ["one", "gate"]},
                {"name": "classes", "op": "conv2d", "inputs": ["product"], "filters": 3, "kernel": [1, 1]}],
     "loss": {"op": "cross_entropy", "inputs": ["classes", "label"], "axis": 1},
     "optimizer": {"op": "sgd", "learning_rate": 0.1}})"},
      {"gates", R"({"inputs": [{"name": "image", "shape": ["batch", 3, 6, 5]},
                {"name": "target", "shape": ["batch", 18, 6, 5]}],
     "layers": [{"name": "conv", "op": "conv2d", "inputs": ["image"], "filters": 18, "kernel": [3, 3], "padding": [1, 1]},
                {"name": "squeezed", "op": "global_avg_pool", "inputs": ["conv"]},
                {"name": "gate", "op": "sigmoid", "inputs": ["squeezed"]},
                {"name": "excited", "op": "mul", "inputs": ["conv", "gate"]},
                {"name": "spot", "op": "conv2d", "inputs": ["excited"], "filters": 1, "kernel": [1, 1]},
                {"name": "shaded", "op": "mul", "inputs": ["excited", "spot"]},
                {"name": "lifted", "op": "add", "inputs": ["shaded", "squeezed"]},
                {"name": "columns", "op": "avg_pool2d", "inputs": ["conv"], "kernel": [6, 1], "stride": [6, 1]},
                {"name": "sum", "op": "add", "inputs": ["lifted", "columns"]},
                {"name": "product", "op": "mul", "inputs": ["sum", "columns"]}],
     "loss": {"op": "mse", "inputs": ["product", "target"]},
     "optimizer": {"op": "sgd", "learning_rate": 0.1}})"},
      {"targets",
       R"({"inputs": [{"name": "image", "shape": ["batch", 3, 6, 5]}, {"name": "target", "shape": ["batch", 2, 6, 5]}],
     "layers": [{"name": "conv", "op": "conv2d", "inputs": ["image"], "filters": 2, "kernel": [3, 3], "padding": [1, 1]},
                {"name": "tanh", "op": "tanh", "inputs": ["conv"]}],
     "loss": {"op": "mse", "inputs": ["tanh", "target"]},
     "optimizer": {"op": "adam", "learning_rate": 0.01}})"},
      {"rows",
       R"({"inputs": [{"name": "x", "shape": ["batch", 37]}, {"name": "target", "shape": ["batch", 21]}],
     "layers": [{"name": "fc", "op": "linear", "inputs": ["x"], "features": 21},
                {"name": "norm", "op": "batch_norm", "inputs": ["fc"]},
                {"name": "gelu", "op": "gelu", "inputs": ["norm"]},
                {"name": "soft", "op": "softmax", "inputs": ["gelu"]}],
     "loss": {"op": "mse", "inputs": ["soft", "target"]},
     "optimizer": {"op": "sgd", "learning_rate": 0.1}})"},
      {"sequence", R"({"inputs": [{"name": "token", "shape": ["batch", 9], "type": "int32"},
                {"name": "label", "shape": ["batch", 9], "type": "int32"}],
     "layers": [{"name": "table", "op": "embedding", "inputs": ["token"], "entries": 6, "width": 20},
                {"name": "place", "op": "bias", "inputs": ["table"], "shape": [9, 20]},
                {"name": "norm", "op": "layer_norm", "inputs": ["place"]},
                {"name": "qkv", "op": "linear", "inputs": ["norm"], "features": 60},
                {"name": "parts", "op": "split", "inputs": ["qkv"], "sizes": [20, 20, 20], "axis": 2},
                {"name": "attend", "op": "attention", "inputs": ["parts.0", "parts.1", "parts.2"], "heads": 2, "causal": true},
                {"name": "sum", "op": "add", "inputs": ["attend", "place"]},
                {"name": "plain", "op": "layer_norm", "inputs": ["sum"], "bias": false, "axis": 1},
                {"name": "gelu", "op": "gelu", "inputs": ["plain"], "tanh": true},
                {"name": "turned", "op": "transpose", "inputs": ["gelu"], "order": [0, 2, 1]},
                {"name": "soft", "op": "softmax", "inputs": ["turned"], "axis": 1},
                {"name": "scores", "op": "matmul", "inputs": ["soft", "gelu"]},
                {"name": "back", "op": "matmul", "inputs": ["gelu", "scores"], "transpose_b": true},
                {"name": "tied", "op": "linear", "inputs": ["back"], "features": 6, "weight_of": "table"}],
     "loss": {"op": "cross_entropy", "inputs": ["tied", "label"]},
     "optimizer": {"op": "adam", "learning_rate": 0.01, "weight_decay": 0.1}})"},
      {"long sequence",
       R"({"inputs": [{"name": "q", "shape": ["batch", 37, 12]}, {"name": "k", "shape": ["batch", 70, 12]},
                {"name": "target", "shape": ["batch", 37, 34]}],
     "layers": [{"name": "queries", "op": "linear", "inputs": ["q"], "features": 36},
                {"name": "values", "op": "linear", "inputs": ["k"], "features": 34},
                {"name": "keys", "op": "linear", "inputs": ["k"], "features": 36},
                {"name": "attend", "op": "attention", "inputs": ["queries", "keys", "values"], "heads": 2, "scale": -0.5},
                {"name": "wide", "op": "layer_norm", "inputs": ["attend"]}],
     "loss": {"op": "mse", "inputs": ["wide", "target"]},
     "optimizer": {"op": "sgd", "learning_rate": 0.1}})"},
      {"data attended",
       R"({"inputs": [{"name": "q", "shape": ["batch", 5, 8]}, {"name": "target", "shape": ["batch", 5, 16]}],
     "layers": [{"name": "values", "op": "linear", "inputs": ["q"], "features": 16},
                {"name": "attend", "op": "attention", "inputs": ["q", "q", "values"], "heads": 1},
                {"name": "turned", "op": "transpose", "inputs": ["attend"], "order": [1, 0, 2]},
                {"name": "again", "op": "transpose", "inputs": ["turned"], "order": [1, 0, 2]}],
     "loss": {"op": "mse", "inputs": ["again", "target"]},
     "optimizer": {"op": "sgd", "learning_rate": 0.1}})"}};
  return all;
}

}  // namespace

std::vector<std::string> operation_network_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts()) names.push_back(name);
  return names;
}

Network operation_network(const std::string& name) {
  const std::string head = R"({"format": "stint-model", "version": 1, "name": ")" + name + "\",";
  return parse_network(head + texts().at(name).substr(1), name);
}

}  // namespace stint
