#include "planner/outcome_json.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "schedules/request_json.hpp"

namespace stint {

namespace {

using nlohmann::ordered_json;

ordered_json number(double value, bool in_bytes) {
  return in_bytes ? ordered_json(static_cast<std::int64_t>(value)) : ordered_json(value);
}

ordered_json shortage_json(const Shortage& shortage) {
  const std::string unit = shortage.in_bytes ? "_bytes" : "_seconds";
  const bool bytes = shortage.in_bytes;
  ordered_json json{{shortage.in_bytes ? "memory" : "bound", shortage.what}};
  json["asked" + unit] = number(shortage.asked, bytes);
  json["lower_bound" + unit] = number(shortage.lower_bound, bytes);
  json["found" + unit] = shortage.found ? number(*shortage.found, bytes) : ordered_json(nullptr);
  if (bytes) {
    json["tensors"] = shortage.tensors;
    json["reason"] = shortage.reason;
  }
  return json;
}

}  // namespace

std::string outcome_text(const Outcome& outcome, const std::vector<WhatIf>& answers) {
  ordered_json json{{"status", to_string(outcome.status)}};
  if (outcome.schedule) {
    json.update(to_json(outcome.schedule->predicted));
  } else {
    json["shortages"] = ordered_json::array();
    for (const Shortage& shortage : outcome.shortages)
      json["shortages"].push_back(shortage_json(shortage));
    if (!outcome.shortages.empty()) json.update(shortage_json(outcome.shortages.front()));
  }
  for (const WhatIf& answer : answers)
    json["what_if"].push_back({{"change", answer.change},
                               {"saves", answer.saves},
                               {"saves_at_most", answer.saves_at_most},
                               {"from", "neighbouring solve"}});
  if (outcome.interrupted) json["interrupted"] = true;
  return json.dump(1) + "\n";
}

}  // namespace stint
