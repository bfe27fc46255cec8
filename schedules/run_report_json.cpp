#include "schedules/run_report_json.hpp"

#include <cmath>
#include <limits>

#include "files/text_file.hpp"
#include "schedules/bills_json.hpp"
#include "schedules/request_json.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json measured_energy_json(const std::optional<MeasuredEnergy>& measured) {
  if (!measured) return nullptr;
  Json domains = Json::array();
  for (const DomainEnergy& domain : measured->domains) {
    domains.push_back(
        {{"domain", domain.domain}, {"joules", domain.joules}, {"compared", domain.compared}});
  }
  return {{"seconds", measured->seconds},
          {"domains", domains},
          {"predicted_covered", to_json(measured->predicted_covered)},
          {"predicted_uncovered", to_json(measured->predicted_uncovered)}};
}

Json energy_json(const EnergyBasis& energy) {
  return {{"basis", energy.basis},
          {"domains", energy.domains},
          {"why_not_better", or_null(energy.why_not_better)},
          {"measured", measured_energy_json(energy.measured)}};
}

Json spread_json(const StepSpread& spread) {
  return {{"least", spread.least_seconds},
          {"median", spread.median_seconds},
          {"greatest", spread.greatest_seconds}};
}

// JSON has no infinities, and nothing that is not a number.
Json number_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json loss_json(const std::vector<double>& losses) {
  Json list = Json::array();
  for (const double loss : losses) list.push_back(number_or_null(loss));
  return list;
}

Json evaluation_json(const std::optional<Evaluation>& evaluation) {
  if (!evaluation) return nullptr;
  return {{"batches", evaluation->batches},
          {"samples", evaluation->samples},
          {"left_out", evaluation->left_out},
          {"loss", number_or_null(evaluation->loss)},
          {"accuracy", or_null(evaluation->accuracy)}};
}

// Everything but the actions, in the order of the file.
Json head_json(const RunReport& report) {
  return {
      {"format", "stint-run"},
      {"version", 1},
      {"schedule_sha256", report.schedule_sha256},
      {"numerics_sha256", report.numerics_sha256},
      {"name", report.name},
      {"steps", report.steps},
      {"warmup_steps", report.warmup_steps},
      {"replayed_exactly", report.replayed_exactly},
      {"degraded", or_null(report.degraded)},
      {"energy", energy_json(report.energy)},
      {"predicted", {{"seconds", report.predicted.seconds}, {"joules", report.predicted.joules}}},
      {"measured",
       {{"seconds", report.measured.seconds},
        {"joules", report.measured.joules},
        {"joules_by", to_json(report.measured_joules_by)}}},
      {"error",
       {{"seconds", or_null(report.error_seconds())}, {"joules", or_null(report.error_joules())}}},
      {"step_seconds", spread_json(report.spread)},
      {"loss", loss_json(report.loss)},
      {"evaluation", evaluation_json(report.evaluation)},
      {"state_sha256", report.state_sha256},
      {"results_sha256", report.results_sha256},
      {"peak_bytes", report.peak_bytes},
      {"notes", report.notes},
      {"bills", bills_json(report.bills)}};
}

MeasuredEnergy measured_energy_from(const JsonReader& json) {
  json.expect_only({"seconds", "domains", "predicted_covered", "predicted_uncovered"});
  MeasuredEnergy measured{
      .seconds = json.child("seconds").number(),
      .predicted_covered = joules_by_from_json(json.child("predicted_covered")),
      .predicted_uncovered = joules_by_from_json(json.child("predicted_uncovered"))};
  for (const JsonReader& domain : json.elements("domains")) {
    domain.expect_only({"domain", "joules", "compared"});
    measured.domains.push_back({domain.text("domain"), domain.child("joules").number(),
                                domain.child("compared").boolean()});
  }
  return measured;
}

EnergyBasis energy_from(const JsonReader& json) {
  json.expect_only({"basis", "domains", "why_not_better", "measured"});
  EnergyBasis energy{.basis = json.text("basis")};
  for (const JsonReader& domain : json.elements("domains")) energy.domains.push_back(domain.text());
  if (json.has("why_not_better")) energy.why_not_better = json.text("why_not_better");
  if (json.has("measured")) energy.measured = measured_energy_from(json.child("measured"));
  return energy;
}

StepSpread spread_from(const JsonReader& json) {
  json.expect_only({"least", "median", "greatest"});
  return {json.child("least").number(), json.child("median").number(),
          json.child("greatest").number()};
}

RunAction action_from(const JsonReader& json) {
  json.expect_only({"id", "start_seconds", "predicted_seconds", "measured_seconds", "class", "name",
                    "worker", "predicted_joules", "measured_joules", "error_joules"});
  RunAction action{json.child("id").integer(min_int64), json.child("start_seconds").number(),
                   json.child("predicted_seconds").number(),
                   json.child("measured_seconds").number()};
  action.action_class = json.text("class", "");
  action.name = json.text("name", "");
  action.worker = json.text("worker", "");
  action.predicted_joules = json.quantity("predicted_joules", 0);
  action.measured_joules = json.quantity("measured_joules", 0);
  if (json.has("error_joules")) action.error_joules = json.child("error_joules").number(any_number);
  return action;
}

double loss_from(const JsonReader& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.number(any_number);
}

Evaluation evaluation_from(const JsonReader& json) {
  json.expect_only({"batches", "samples", "left_out", "loss", "accuracy"});
  Evaluation evaluation{.batches = json.integer("batches"),
                        .samples = json.integer("samples"),
                        .left_out = json.integer("left_out"),
                        .loss = loss_from(json.child("loss"))};
  if (json.has("accuracy")) evaluation.accuracy = json.child("accuracy").number();
  return evaluation;
}

void read_times(const JsonReader& json, RunReport& report) {
  const JsonReader predicted = json.child("predicted");
  predicted.expect_only({"seconds", "joules"});
  report.predicted = {predicted.child("seconds").number(), predicted.child("joules").number()};
  const JsonReader measured = json.child("measured");
  measured.expect_only({"seconds", "joules", "joules_by"});
  report.measured = {measured.child("seconds").number(), measured.child("joules").number()};
  report.measured_joules_by = joules_by_from_json(measured.child("joules_by"));
  json.child("error").expect_only({"seconds", "joules"});  // follows from the others
  report.spread = spread_from(json.child("step_seconds"));
}

}  // namespace

RunReport run_report_from_json(const JsonReader& json) {
  json.expect_format("stint-run", 1);
  json.expect_only({"format",         "version",    "schedule_sha256", "numerics_sha256",
                    "name",           "steps",      "warmup_steps",    "replayed_exactly",
                    "energy",         "predicted",  "measured",        "error",
                    "step_seconds",   "loss",       "evaluation",      "state_sha256",
                    "results_sha256", "peak_bytes", "notes",           "actions",
                    "degraded",       "bills",      "ledger",          "tasks"});
  RunReport report{.schedule_sha256 = json.text("schedule_sha256"),
                   .numerics_sha256 = json.text("numerics_sha256"),
                   .name = json.text("name"),
                   .steps = json.integer("steps"),
                   .warmup_steps = json.integer("warmup_steps"),
                   .replayed_exactly = json.child("replayed_exactly").boolean(),
                   .energy = energy_from(json.child("energy"))};
  if (json.has("degraded")) report.degraded = json.text("degraded");
  read_times(json, report);
  for (const JsonReader& loss : json.elements("loss")) report.loss.push_back(loss_from(loss));
  if (json.has("evaluation")) report.evaluation = evaluation_from(json.child("evaluation"));
  report.state_sha256 = json.text("state_sha256");
  report.results_sha256 = json.text("results_sha256");
  for (const auto& [name, bytes] : json.child("peak_bytes").members()) {
    report.peak_bytes[name] = bytes.integer();
  }
  for (const JsonReader& note : json.elements("notes")) report.notes.push_back(note.text());
  read_bills(json, report);
  for (const JsonReader& action : json.elements("actions")) {
    report.actions.push_back(action_from(action));
  }
  return report;
}

RunReport read_run_report(const std::string& path) {
  return parse_run_report(read_text(path), path == "-" ? "standard input" : path);
}

RunReport parse_run_report(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return run_report_from_json(JsonReader(document, file));
}

std::string run_report_text(const RunReport& report) {
  JsonText text;
  const Json head = head_json(report);
  for (const auto& [key, value] : head.items()) text.value(key.c_str(), value);
  text.begin_list("ledger");
  for (const LedgerEntry& entry : report.ledger) text.element(to_json(entry));
  text.end_list();
  text.begin_list("tasks");
  for (const MeasuredTask& task : report.tasks) text.element(to_json(task));
  text.end_list();
  text.begin_list("actions");
  for (const RunAction& action : report.actions) {
    text.element({{"id", action.id},
                  {"start_seconds", action.start_seconds},
                  {"predicted_seconds", action.predicted_seconds},
                  {"measured_seconds", action.measured_seconds},
                  {"class", action.action_class},
                  {"name", action.name},
                  {"worker", action.worker},
                  {"predicted_joules", action.predicted_joules},
                  {"measured_joules", action.measured_joules},
                  {"error_joules", action.error_joules}});
  }
  text.end_list();
  return text.finish();
}

std::string summary_json(const RunReport& report) { return head_json(report).dump() + '\n'; }

}  // namespace stint
