// The layers of a "stint-model" document, with blocks that are written once and repeated:
//
//   {"name": "block", "repeat": 12, "input": "embed", "layers": […]}
//
// stands for 12 rounds of its layers, one after the other. What a round calls `norm` becomes
// `block.3.norm`; `input` is the block's input in the first round and the output of the round
// before in the others; `block`, outside, is the output of the last. An element's output is the
// first that it makes, a round's that of its last element. A name is looked for among what stands
// before it in its round, then in the round around it, and so on outward; a full name,
// `block.3.norm`, is understood everywhere. Blocks may stand in blocks.
//
// For *_json.cpp files only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/json_reader.hpp"
#include "models/layers/network.hpp"

namespace stint {

inline constexpr std::size_t most_layers = 100'000;             // written out
inline constexpr std::size_t most_repeated_bytes = 64'000'000;  // of their text

struct WrittenOut {
  std::vector<Layer> layers;
  std::vector<std::string> places;            // by layer: where the document says it
  std::map<std::string, std::string> values;  // full names of what the top level names
};

std::string name_from_json(const JsonReader& json);  // not empty, on one line

WrittenOut layers_from_json(const JsonReader& list, const std::vector<NetworkInput>& inputs);

nlohmann::ordered_json to_json(const Layer& layer);

}  // namespace stint
