#include <nlohmann/json.hpp>

#include "files/json_text.hpp"
#include "schedules/perturb.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Distribution& values) {
  return {{"planned", values.planned}, {"least", values.least},
          {"5%", values.low},          {"median", values.median},
          {"95%", values.high},        {"greatest", values.greatest},
          {"mean", values.mean},       {"all_longest", values.all_longest}};
}

Json to_json(const CriticalAction& action) {
  return {{"action", action.id},
          {"name", action.name},
          {"worker", action.worker},
          {"seconds", action.seconds},
          {"share", action.share}};
}

}  // namespace

std::string summary_json(const Perturbation& result) {
  Json critical = Json::array();
  for (const CriticalAction& action : result.critical) critical.push_back(to_json(action));
  const Json json = {{"error", result.options.error},
                     {"samples", result.options.samples},
                     {"seed", result.options.seed},
                     {"seconds", to_json(result.seconds)},
                     {"joules", to_json(result.joules)},
                     {"late", or_null(result.late)},
                     {"gain", to_json(result.gain)},
                     {"gain_bound", to_json(result.gain_bound)},
                     {"critical", critical}};
  return json.dump() + '\n';
}

}  // namespace stint
