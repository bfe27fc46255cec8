// A network inside another of our documents. For *_json.cpp files only.
#pragma once

#include "files/json_reader.hpp"
#include "models/layers/network.hpp"

namespace stint {

// Reads and checks a "stint-model" document; faults name the document's own place in its file.
Network network_from_json(const JsonReader& document);

}  // namespace stint
