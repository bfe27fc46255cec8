#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/planner/power/pipelines.hpp"

namespace stint {
namespace {

using nlohmann::json;
using Numbers = std::vector<double>;
using Table = std::vector<Numbers>;

json document() {
  std::ifstream file(STINT_SOURCE_DIR "/tests/planner/power/pipeline_slack.json");
  return json::parse(file);
}

SlackCase slack_case(const json& c) {
  SlackCase one;
  one.forward_seconds = c.at("tF").get<Numbers>();
  one.backward_seconds = c.at("tB").get<Numbers>();
  if (!c.at("tW").is_null()) one.weight_seconds = c.at("tW").get<Numbers>();
  one.message_seconds = c.at("comm");
  one.makespan_seconds = c.at("makespan");
  one.pipeline.stages = c.at("p");
  one.pipeline.order.resize(one.pipeline.stages);
  one.start.resize(one.pipeline.stages);
  one.slack.resize(one.pipeline.stages);
  for (const json& row : c.at("ops")) {
    const auto name = row.at(0).get<std::string>();
    const int stage = row.at(1);
    one.pipeline.order[stage].push_back({name.front(), std::stoi(name.substr(1)), stage});
    one.start[stage].push_back(row.at(2));
    one.slack[stage].push_back(row.at(3));
  }
  return one;
}

DvfsCase dvfs_case(const json& c) {
  DvfsCase one;
  const int stages = c.at("p");
  const int microbatches = c.at("m");
  one.pipeline = c.at("schedule") == "GPIPE" ? gpipe(stages, microbatches)
                                             : one_forward_one_backward(stages, microbatches);
  one.forward_seconds = c.at("tF").get<Table>();
  one.backward_seconds = c.at("tB").get<Table>();
  one.forward_joules = c.at("eF").get<Table>();
  one.backward_joules = c.at("eB").get<Table>();
  one.idle_watts = c.at("idle_power").get<Numbers>();
  one.deadline_seconds = c.at("bound");
  one.all_fast_joules = c.at("all_fast_energy");
  one.least_joules = c.at("min_energy");
  return one;
}

}  // namespace

std::vector<SlackCase> read_slack_cases() {
  std::vector<SlackCase> cases;
  const json all = document();
  for (const json& c : all.at("cases")) cases.push_back(slack_case(c));
  return cases;
}

std::vector<DvfsCase> read_dvfs_cases() {
  std::vector<DvfsCase> cases;
  const json all = document();
  for (const json& c : all.at("dvfs")) cases.push_back(dvfs_case(c));
  return cases;
}

}  // namespace stint
