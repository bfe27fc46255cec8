// The report as a file: written, read again, and as its schema says.
#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/replaced.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

const std::string schema = bundled("schedules/stint-run.schema.json");

}  // namespace

TEST_CASE("a report is read as it was written, and conforms to its schema", "[run_report]") {
  const std::string text = run_report_text(replay(training_step()));
  CHECK(run_report_text(parse_run_report(text, "report.json")) == text);
  CHECK(schema_fault(schema, text) == "");
}

TEST_CASE("a report without bills, from an older program, is read", "[run_report]") {
  std::string text = run_report_text(replay(training_step()));
  const std::size_t bills = text.find(" \"bills\"");
  text.erase(bills, text.find(" \"actions\"") - bills);
  const RunReport report = parse_run_report(text, "report.json");
  CHECK(report.bills.empty());
  CHECK(report.tasks.empty());
  CHECK_FALSE(report.actions.empty());
  CHECK(schema_fault(schema, text) == "");
}

TEST_CASE("a report with a fault is refused where the fault is", "[run_report]") {
  const std::string text = run_report_text(replay(training_step()));
  for (const auto& [from, to, where] : std::vector<std::array<std::string, 3>>{
           {"\"steps\": 3", "\"steps\": -3", "/steps"},
           {"\"replayed_exactly\": true", "\"replayed_exactly\": 1", "/replayed_exactly"},
           {"\"basis\"", "\"bases\"", "/energy"},
           {"\"measured_seconds\"", "\"seconds\"", "/actions/0"},
           {"\"notes\"", "\"note\"", "report.json"}}) {
    const std::string bad = replaced(text, from, to);
    CHECK_THROWS_WITH(parse_run_report(bad, "report.json"), Catch::Contains(where));
    CHECK(schema_fault(schema, bad) != "");
  }
}

TEST_CASE("an error is relative to the prediction, if there is one", "[run_report]") {
  RunReport report;
  report.predicted = {.seconds = 2, .joules = 0};
  report.measured = {.seconds = 3, .joules = 5};
  CHECK(report.error_seconds() == Approx(0.5));
  CHECK_FALSE(report.error_joules());
}

TEST_CASE("the summary tells when the order was not kept", "[run_report]") {
  RunReport report = replay(training_step());
  CHECK(summary(report).find("exactly as scheduled") != std::string::npos);
  report.replayed_exactly = false;
  CHECK(summary(report).find("NOT as scheduled") != std::string::npos);
}
