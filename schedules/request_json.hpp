// The request and the prediction of a schedule as JSON, for every file and program that shows them.
//
// For *_json.cpp files only: it shows nlohmann-json, which is slow to compile.
#pragma once

#include <nlohmann/json.hpp>

#include "files/json_reader.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// Names of memories are taken as they stand: whether they name anything is asked elsewhere.
Request request_from_json(const JsonReader& json);
Predicted predicted_from_json(const JsonReader& json);

JoulesBy joules_by_from_json(const JsonReader& json);

// Keys in the fixed order of the file.
nlohmann::ordered_json to_json(const Request& request);
nlohmann::ordered_json to_json(const Predicted& predicted);
nlohmann::ordered_json to_json(const JoulesBy& by);

// Bytes by memory name; negative ones are for the judge.
std::map<std::string, std::int64_t> bytes_by_memory(const JsonReader& json);
nlohmann::ordered_json to_json(const std::map<std::string, std::int64_t>& bytes_by_memory);

Objective objective_from_json(const JsonReader& json);

// The member "shards" of a request or a lowering; absent, there are none.
std::vector<Shard> shards_from_json(const JsonReader& json);
nlohmann::ordered_json to_json(const Shard& shard);

// The member "layout" of a request or a lowering; absent, it is nhwc.
ImageLayout layout_from_json(const JsonReader& json);

}  // namespace stint
