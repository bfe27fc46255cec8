#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/planner/grains/grain_vectors.hpp"

namespace stint {
namespace {

using nlohmann::json;

json document(const std::string& name) {
  std::ifstream file(STINT_SOURCE_DIR "/tests/planner/grains/data/" + name);
  return json::parse(file);
}

SplitVector split_of(const json& given) {
  SplitVector split{.items = given.at("B")};
  for (std::size_t k = 0; k < given.at("cap").size(); ++k) {
    split.workers.push_back({.overhead_seconds = given.at("overhead")[k],
                             .item_seconds = given.at("per_sample")[k],
                             .most_items = given.at("cap")[k]});
  }
  split.best.items = given.at("batch").get<std::vector<std::int64_t>>();
  return split;
}

}  // namespace

std::vector<SplitVector> time_vectors() {
  std::vector<SplitVector> all;
  const json file = document("batch_split.json");
  for (const json& given : file.at("time")) {
    all.push_back(split_of(given));
    all.back().best.seconds = given.at("finish");
  }
  return all;
}

std::vector<SplitVector> energy_vectors() {
  std::vector<SplitVector> all;
  const json file = document("batch_split.json");
  for (const json& given : file.at("energy")) {
    SplitVector split = split_of(given);
    for (std::size_t k = 0; k < split.workers.size(); ++k) {
      split.workers[k].busy_watts = given.at("busy_power")[k];
      split.workers[k].idle_watts = given.at("idle_power")[k];
    }
    split.after_seconds = given.at("comm");
    if (!given.at("deadline").is_null()) split.deadline_seconds = given.at("deadline");
    split.best.seconds = given.at("T");
    split.best.joules = given.at("min_energy");
    all.push_back(std::move(split));
  }
  return all;
}

std::vector<GranularityVector> granularity_vectors() {
  std::vector<GranularityVector> all;
  const json file = document("granularity.json");
  for (const json& given : file.at("cases")) {
    all.push_back({{.units = given.at("units"),
                    .workers = given.at("P"),
                    .unit_seconds = given.at("unit_cost"),
                    .overhead_seconds = given.at("h"),
                    .submit_seconds = given.at("submit")},
                   {given.at("best_n"), given.at("makespan")},
                   given.at("n_equals_P"),
                   given.at("n_equals_units")});
  }
  return all;
}

}  // namespace stint
