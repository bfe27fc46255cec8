// A schedule from a document that is already parsed. For *_json.cpp files only.
#pragma once

#include "files/json_reader.hpp"
#include "schedules/schedule.hpp"

namespace stint {

Schedule schedule_from_json(const JsonReader& json);

}  // namespace stint
