#include "files/json_reader.hpp"
#include "files/text_file.hpp"
#include "models/graph_json.hpp"
#include "models/layers/network_json.hpp"
#include "models/model.hpp"
#include "platforms/here.hpp"
#include "platforms/platform_json.hpp"
#include "schedules/any_file.hpp"
#include "schedules/frontier_json.hpp"
#include "schedules/run_report_json.hpp"
#include "schedules/schedule_json.hpp"

namespace stint {

AnyFile parse_any_file(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  const JsonReader json(document, file);
  const std::string format = format_of(json);
  if (format == "stint-tasks") return graph_from_json(json);
  if (format == "stint-model") return network_from_json(json);
  if (format == "stint-platform") return platform_from_json(json);
  if (format == "stint-schedule") return schedule_from_json(json);
  if (format == "stint-run") return run_report_from_json(json);
  if (format == "stint-frontier") return frontier_from_json(json);
  json.child("format").fail(
      "the format " + in_quotes(format) +
      "; expected stint-model, stint-tasks, stint-platform, stint-schedule, stint-run or "
      "stint-frontier");
}

AnyFile read_any_file(const std::string& path) {
  if (path == "here") return discover_platform();
  if (is_onnx_file(path)) return std::get<Network>(read_model(path));
  return parse_any_file(read_text(path), path == "-" ? "standard input" : path);
}

}  // namespace stint
