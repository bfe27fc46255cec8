// The reader of run reports, for *_json.cpp files only.
#pragma once

#include "files/json_reader.hpp"
#include "schedules/run_report.hpp"

namespace stint {

RunReport run_report_from_json(const JsonReader& json);

}  // namespace stint
