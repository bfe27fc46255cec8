#include "schedules/frontier_json.hpp"

#include "files/json_text.hpp"
#include "schedules/request_json.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const Frontier& frontier, const FrontierEntry& point) {
  Json json;
  if (frontier.over == FrontierOver::time)
    json["deadline_seconds"] = point.deadline_seconds;
  else
    json["bytes"] = point.bytes;
  json["predicted"] = {{"seconds", or_null(point.seconds)}, {"joules", or_null(point.joules)}};
  json["lower_bound"] = or_null(point.lower_bound);
  json["schedule"] = or_null(point.schedule);
  return json;
}

Json head_json(const Frontier& frontier) {
  Json json{{"format", "stint-frontier"},
            {"version", 1},
            {"model", frontier.model},
            {"platform", frontier.platform}};
  json["over"] = frontier.over == FrontierOver::time ? "time" : "memory";
  if (frontier.over == FrontierOver::memory) json["memory"] = frontier.memory;
  json["objective"] = to_string(frontier.objective);
  json["addressed"] = frontier.addressed;
  return json;
}

FrontierOver over_from(const JsonReader& json) {
  if (json.text("over") == "memory") return FrontierOver::memory;
  if (json.text("over") != "time") json.child("over").fail("expected memory or time");
  return FrontierOver::time;
}

FrontierEntry point_from(const JsonReader& json, FrontierOver over) {
  const char* const place = over == FrontierOver::time ? "deadline_seconds" : "bytes";
  json.expect_only({place, "predicted", "lower_bound", "schedule"});
  const JsonReader predicted = json.child("predicted");
  predicted.expect_only({"seconds", "joules"});
  FrontierEntry point;
  if (over == FrontierOver::time)
    point.deadline_seconds = json.child(place).number();
  else
    point.bytes = json.integer(place);
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
  const FrontierOver over = over_from(json);
  Frontier frontier{.model = json.text("model"),
                    .platform = json.text("platform"),
                    .memory = over == FrontierOver::memory ? json.text("memory") : "",
                    .objective = objective_from_json(json.child("objective")),
                    .addressed = json.has("addressed") && json.child("addressed").boolean(),
                    .points = {},
                    .over = over};
  for (const JsonReader& point : json.elements("points"))
    frontier.points.push_back(point_from(point, over));
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
  for (const FrontierEntry& point : frontier.points) text.element(point_json(frontier, point));
  text.end_list();
  return text.finish();
}

std::string summary_json(const Frontier& frontier) {
  Json json = head_json(frontier);
  json["points"] = Json::array();
  for (const FrontierEntry& point : frontier.points)
    json["points"].push_back(point_json(frontier, point));
  return json.dump() + '\n';
}

}  // namespace stint
