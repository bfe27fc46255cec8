// The parts of a run's report that compare predicted with measured, as JSON; for *_json.cpp files
// only.
#pragma once

#include <nlohmann/json.hpp>

#include "files/json_reader.hpp"
#include "schedules/run_report.hpp"

namespace stint {

nlohmann::ordered_json bills_json(const std::vector<EnergyBill>& bills);
nlohmann::ordered_json to_json(const LedgerEntry& entry);
nlohmann::ordered_json to_json(const MeasuredTask& task);

// Bills, ledger and tasks of a report, where it has them.
void read_bills(const JsonReader& report_json, RunReport& report);

}  // namespace stint
