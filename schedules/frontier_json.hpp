// The reader of frontiers, for *_json.cpp files only.
#pragma once

#include "files/json_reader.hpp"
#include "schedules/frontier.hpp"

namespace stint {

Frontier frontier_from_json(const JsonReader& json);

}  // namespace stint
