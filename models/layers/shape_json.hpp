// Shapes in files: a list of whole numbers, "batch" and "4*batch". For *_json.cpp files only.
#pragma once

#include "files/json_reader.hpp"
#include "models/layers/shape.hpp"

namespace stint {

// `least` is what a dimension counts at least; at most one dimension depends on the batch.
Shape shape_from_json(const JsonReader& list, std::int64_t least);

nlohmann::ordered_json to_json(const Shape& shape);

}  // namespace stint
