// A graph inside another of our documents. For *_json.cpp files only.
#pragma once

#include "files/json_reader.hpp"
#include "models/graph.hpp"

namespace stint {

// Reads and checks a "stint-tasks" document; faults name the document's own place in its file.
Graph graph_from_json(const JsonReader& document);

}  // namespace stint
