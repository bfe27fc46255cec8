// From text to JSON values, strictly: what JSON leaves open (keys written twice, any depth of
// nesting) is a fault here.
//
// For *_json.cpp files only, like json_reader.hpp, which includes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace stint {

// Parses the text of `file`; throws InputError with line and column if it is not JSON.
nlohmann::json parse_json(const std::string& text, const std::string& file);

}  // namespace stint
