#include "tests/support/tiny_network.hpp"

namespace stint {

const char* const tiny_network_text =
    R"({"format": "stint-model", "version": 1, "name": "tiny", "description": "Two by two.",
 "inputs": [{"name": "image", "shape": ["batch", 1, 4, 4]},
            {"name": "label", "shape": ["batch"], "type": "int32"}],
 "layers": [{"name": "a", "op": "conv2d", "inputs": ["image"], "filters": 2, "kernel": [3, 3]},
            {"name": "a.b", "op": "relu", "inputs": ["a"]},
            {"name": "flat", "op": "flatten", "inputs": ["a.b"]},
            {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 3}],
 "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
 "optimizer": {"op": "sgd", "learning_rate": 0.1}})";

Network tiny_network() { return parse_network(tiny_network_text, "tiny.json"); }

}  // namespace stint
