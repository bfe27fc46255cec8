// A model inside another of our documents. For *_json.cpp files only.
#pragma once

#include "files/json_reader.hpp"
#include "models/model.hpp"

namespace stint {

// Reads and checks a "stint-tasks" or "stint-model" document; faults name the document's own place
// in its file.
Model model_from_json(const JsonReader& document);

}  // namespace stint
