#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/planner/power/anchors.hpp"

namespace stint {
namespace {

using nlohmann::json;

constexpr double unit_seconds = 50e-6;

PowerChoice choice_of(const json& pair) {
  return {pair.at(0).get<double>() * unit_seconds, pair.at(1).get<double>() * 1e-3};
}

Anchor anchor_of(const std::string& name, const json& graph) {
  Anchor anchor;
  anchor.graph = name;
  for (const json& task : graph.at("modes")) {
    auto& modes = anchor.modes.emplace_back();
    for (const json& mode : task) modes.push_back(choice_of(mode));
  }
  for (const json& transfer : graph.at("transfer")) anchor.transfers.push_back(choice_of(transfer));
  return anchor;
}

}  // namespace

std::vector<Anchor> read_anchors() {
  std::ifstream file(STINT_SOURCE_DIR "/tests/planner/power/energy_anchors.json");
  const json document = json::parse(file);
  std::vector<Anchor> anchors;
  for (const auto& [name, graph] : document.at("graphs").items()) {
    Anchor anchor = anchor_of(name, graph);
    for (const json& best : graph.at("best")) {
      anchor.memory_bytes =
          best.at("memory_fraction").get<double>() * graph.at("peak_bytes").get<double>();
      anchor.deadline_seconds = best.at("deadline_units").get<double>() * unit_seconds;
      for (const bool with_offload : {false, true}) {
        const json& joules = best.at(with_offload ? "offload_joules" : "remat_joules");
        if (joules.is_null()) continue;
        anchor.with_offload = with_offload;
        anchor.best_joules = joules;
        anchors.push_back(anchor);
      }
    }
  }
  return anchors;
}

}  // namespace stint
