#include "schedules/bills_json.hpp"

#include "files/json_text.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json pair_json(const SecondsAndJoules& amount) {
  return {{"seconds", amount.seconds}, {"joules", amount.joules}};
}

Json triple_json(const SecondsAndJoules& amount) {
  return {
      {"seconds", amount.seconds}, {"watts", or_null(amount.watts())}, {"joules", amount.joules}};
}

Json line_json(const BillLine& line) {
  return {{"name", line.name},
          {"actions", line.actions},
          {"predicted", triple_json(line.predicted)},
          {"measured", triple_json(line.measured)},
          {"sigma", pair_json(line.sigma)},
          {"error",
           {{"seconds", or_null(line.error_seconds())},
            {"watts", or_null(line.error_watts())},
            {"joules", or_null(line.error_joules())}}}};
}

// Watts follow from the others.
SecondsAndJoules amount_from(const JsonReader& json) {
  json.expect_only({"seconds", "watts", "joules"});
  return {json.child("seconds").number(), json.child("joules").number(any_number)};
}

BillLine line_from(const JsonReader& json) {
  json.expect_only({"name", "actions", "predicted", "measured", "sigma", "error"});
  json.child("error").expect_only({"seconds", "watts", "joules"});  // follows from the others
  return {.name = json.text("name"),
          .actions = json.integer("actions"),
          .predicted = amount_from(json.child("predicted")),
          .measured = amount_from(json.child("measured")),
          .sigma = amount_from(json.child("sigma"))};
}

EnergyBill bill_from(const JsonReader& json) {
  json.expect_only({"part", "lines", "total"});
  EnergyBill bill{.part = json.text("part")};
  for (const JsonReader& line : json.elements("lines")) bill.lines.push_back(line_from(line));
  bill.total = line_from(json.child("total"));
  return bill;
}

LedgerEntry entry_from(const JsonReader& json) {
  json.expect_only({"decision", "name", "memory", "action", "predicted", "measured",
                    "shared_joules", "bytes", "byte_seconds", "peak_bytes"});
  return {.decision = json.text("decision"),
          .name = json.text("name"),
          .memory = json.text("memory"),
          .action = json.child("action").integer(min_int64),
          .predicted = amount_from(json.child("predicted")),
          .measured = amount_from(json.child("measured")),
          .shared_joules = json.child("shared_joules").number(),
          .bytes = json.integer("bytes"),
          .byte_seconds = json.child("byte_seconds").number(),
          .peak_bytes = json.integer("peak_bytes")};
}

MeasuredTask task_from(const JsonReader& json) {
  json.expect_only({"task", "device", "op", "shape", "executions", "seconds"});
  return {.task = json.text("task"),
          .device = json.text("device"),
          .op = json.text("op"),
          .shape = json.text("shape"),
          .executions = json.child("executions").integer(1),
          .seconds = json.child("seconds").number()};
}

}  // namespace

Json bills_json(const std::vector<EnergyBill>& bills) {
  Json list = Json::array();
  for (const EnergyBill& bill : bills) {
    Json lines = Json::array();
    for (const BillLine& line : bill.lines) lines.push_back(line_json(line));
    list.push_back({{"part", bill.part}, {"lines", lines}, {"total", line_json(bill.total)}});
  }
  return list;
}

Json to_json(const LedgerEntry& entry) {
  return {{"decision", entry.decision},
          {"name", entry.name},
          {"memory", entry.memory},
          {"action", entry.action},
          {"predicted", pair_json(entry.predicted)},
          {"measured", pair_json(entry.measured)},
          {"shared_joules", entry.shared_joules},
          {"bytes", entry.bytes},
          {"byte_seconds", entry.byte_seconds},
          {"peak_bytes", entry.peak_bytes}};
}

Json to_json(const MeasuredTask& task) {
  return {{"task", task.task},   {"device", task.device},         {"op", task.op},
          {"shape", task.shape}, {"executions", task.executions}, {"seconds", task.seconds}};
}

void read_bills(const JsonReader& json, RunReport& report) {
  for (const JsonReader& bill : json.optional_elements("bills"))
    report.bills.push_back(bill_from(bill));
  for (const JsonReader& entry : json.optional_elements("ledger"))
    report.ledger.push_back(entry_from(entry));
  for (const JsonReader& task : json.optional_elements("tasks"))
    report.tasks.push_back(task_from(task));
}

}  // namespace stint
