#include "executor/calibrate/calibration_text.hpp"
#include "files/json_text.hpp"
#include "platforms/names.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json errors_json(const ModelErrors& errors) {
  return {{"op", errors.op},
          {"shapes", errors.shapes},
          {"held_out", errors.held_out},
          {"error", errors.error},
          {"uncorrected_error", errors.uncorrected},
          {"noise_floor", errors.noise_floor},
          {"sigma", errors.sigma},
          {"alone", errors.alone},
          {"history_error", errors.history},
          {"power_law_error", or_null(errors.power_law)},
          {"power_law_answers", errors.power_law_answers}};
}

Json device_json(const Device& device, const std::vector<ModelErrors>& errors) {
  Json ops = Json::array();
  for (const ModelErrors& of_op : errors) ops.push_back(errors_json(of_op));
  return {{"device", device.name},
          {"workers", device.workers},
          {"kernels", device.kernels.size()},
          {"hand_over_seconds", hand_over_seconds(device, Wait::spin)},
          {"wake_seconds", hand_over_seconds(device, Wait::sleep)},
          {"handed_read_seconds_per_byte", hand_over_price(device, read_term)},
          {"handed_write_seconds_per_byte", hand_over_price(device, write_term)},
          {"ops", std::move(ops)}};
}

Json link_json(const Platform& platform, LinkId id) {
  const Link& link = platform.links[id];
  return {{"link", link_name(platform, id)},
          {"latency_seconds", to_json(link.latency_seconds)},
          {"bytes_per_second", to_json(link.bytes_per_second)}};
}

}  // namespace

std::string calibration_json(const Calibration& calibration) {
  const Platform& platform = calibration.platform;
  JsonText text;
  text.value("busy", calibration.all_busy ? "all" : "one");
  text.value("watts", calibration.power_basis.empty() ? "assumed" : calibration.power_basis);
  text.value("conditions", platform.description);
  text.begin_list("devices");
  for (std::size_t i = 0; i < calibration.devices.size(); ++i)
    text.element(device_json(platform.devices[i], calibration.devices[i].errors));
  text.end_list();
  text.begin_list("links");
  for (int i = 0; i < static_cast<int>(platform.links.size()); ++i)
    text.element(link_json(platform, LinkId{i}));
  text.end_list();
  return text.finish();
}

}  // namespace stint
