#include <set>

#include "schedules/summary.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;

std::string verdict(const Judged& judged) {
  if (judged.violations.empty()) return "valid";
  return count_text(std::ssize(judged.violations), "violation");
}

// How much more (or less) the second is than the first.
std::string change(double first, double second) {
  if (first == second) return "same";
  if (first == 0) return "";
  return (second > first ? "+" : "") + percent_text(second / first - 1);
}

void add_memories(const std::map<std::string, std::int64_t>& first,
                  const std::map<std::string, std::int64_t>& second, TextTable& table) {
  std::set<std::string> names;
  for (const auto* map : {&first, &second}) {
    for (const auto& [name, bytes] : *map) names.insert(name);
  }
  for (const std::string& name : names) {
    const std::int64_t a = first.contains(name) ? first.at(name) : 0;
    const std::int64_t b = second.contains(name) ? second.at(name) : 0;
    table.row({"peak of " + name, bytes_text(a), bytes_text(b),
               change(static_cast<double>(a), static_cast<double>(b))});
  }
}

void add_count(const char* name, std::int64_t first, std::int64_t second, TextTable& table) {
  table.row({name, std::to_string(first), std::to_string(second),
             change(static_cast<double>(first), static_cast<double>(second))});
}

}  // namespace

std::string comparison(const Schedule& first, const Judged& first_judged, const Schedule& second,
                       const Judged& second_judged) {
  const Predicted a = prediction(first, first_judged);
  const Predicted b = prediction(second, second_judged);
  TextTable table({{"", Align::left}, {"first"}, {"second"}, {"change"}});
  table.row({"model", first.graph.name, second.graph.name,
             first.model_sha256 == second.model_sha256 ? "same" : "differs"});
  table.row({"platform", first.platform.name, second.platform.name,
             first.platform_sha256 == second.platform_sha256 ? "same" : "differs"});
  table.row({"strategy", a.strategy, b.strategy, ""});
  table.row({"verdict", verdict(first_judged), verdict(second_judged), ""});
  table.row(
      {"time", seconds_text(a.seconds), seconds_text(b.seconds), change(a.seconds, b.seconds)});
  table.row({"energy", joules_text(a.joules), joules_text(b.joules), change(a.joules, b.joules)});
  add_memories(a.peak_bytes, b.peak_bytes, table);
  add_count("executions", a.executions, b.executions, table);
  add_count("recomputed", a.recomputed, b.recomputed, table);
  table.row({"copied", bytes_text(a.copied_bytes), bytes_text(b.copied_bytes),
             change(static_cast<double>(a.copied_bytes), static_cast<double>(b.copied_bytes))});
  return table.text();
}

}  // namespace stint
