#include "schedules/frontier_json.hpp"

#include "files/json_text.hpp"
#include "schedules/request_json.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const FrontierEntry& point) {
  return {{"bytes", point.bytes},
          {"predicted", {{"seconds", or_null(point.seconds)}, {"joules", or_null(point.joules)}}},
          {"lower_bound", or_null(point.lower_bound)},
          {"schedule", or_null(point.schedule)}};
}

Json head_json(const Frontier& frontier) {
  return {{"format", "stint-frontier"},
          {"version", 1},
          {"model", frontier.model},
          {"platform", frontier.platform},
          {"over", "memory"},
          {"memory", frontier.memory},
          {"objective", to_string(frontier.objective)},
          {"addressed", frontier.addressed}};
}

FrontierEntry point_from(const JsonReader& json) {
  json.expect_only({"bytes", "predicted", "lower_bound", "schedule"});
  const JsonReader predicted = json.child("predicted");
  predicted.expect_only({"seconds", "joules"});
  FrontierEntry point{.bytes = json.integer("bytes")};
  if (predicted.has("seconds")) point.seconds = predicted.child("seconds").number();
  if (predicted.has("joules")) point.joules = predicted.child("joules").number();
  if (json.has("lower_bound")) point.lower_bound = json.child("lower_bound").number();
  if (json.has("schedule")) point.schedule = json.text("schedule");
  return point;
}

}  // namespace

Frontier frontier_from_json(const JsonReader& json) {
  json.expect_format("stint-frontier", 1);
  json.expect_only({"format", "version", "model", "platform", "over", "memory", "objective",
                    "addressed", "points"});
  if (json.text("over") != "memory") json.child("over").fail("expected memory");
  Frontier frontier{.model = json.text("model"),
                    .platform = json.text("platform"),
                    .memory = json.text("memory"),
                    .objective = objective_from_json(json.child("objective")),
                    .addressed = json.has("addressed") && json.child("addressed").boolean()};
  for (const JsonReader& point : json.elements("points"))
    frontier.points.push_back(point_from(point));
  return frontier;
}

Frontier parse_frontier(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return frontier_from_json(JsonReader(document, file));
}

std::string frontier_text(const Frontier& frontier) {
  JsonText text;
  const Json head = head_json(frontier);
  for (const auto& [key, value] : head.items()) text.value(key.c_str(), value);
  text.begin_list("points");
  for (const FrontierEntry& point : frontier.points) text.element(point_json(point));
  text.end_list();
  return text.finish();
}

std::string summary_json(const Frontier& frontier) {
  Json json = head_json(frontier);
  json["points"] = Json::array();
  for (const FrontierEntry& point : frontier.points) json["points"].push_back(point_json(point));
  return json.dump() + '\n';
}

}  // namespace stint
