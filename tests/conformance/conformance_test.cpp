// Every operator that we read against ONNX's own test data.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "models/onnx/translation.hpp"
#include "tests/conformance/case_outcome.hpp"
#include "tests/conformance/out_of_scope.hpp"

using namespace stint;

namespace {

const std::filesystem::path data = STINT_ONNX_TESTDATA;

bool is_here() {
  if (data.empty()) WARN("skipped: no test data of ONNX; install libonnx-testdata");
  return !data.empty();
}

bool is_read(const OnnxNode& node) {
  return operators().contains(node.op) || folds().contains(node.op);
}

std::set<std::filesystem::path> folders_of(const std::string& kind) {
  std::set<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(data / kind))
    folders.insert(entry.path());
  return folders;
}

// What cases came to, for people.
struct Count {
  int agreed = 0;
  int agreed_in_first = 0;
  std::map<std::string, int> out_of_scope;  // by reason
};

std::string to_text(const std::string& of, const Count& count) {
  std::string text = fmt::format("{:<20} {:3} agree", of, count.agreed);
  if (count.agreed_in_first > 0)
    text += fmt::format(" ({} of them in their first output)", count.agreed_in_first);
  for (const auto& [reason, cases] : count.out_of_scope)
    text += fmt::format("; {} out of scope: {}", cases, reason);
  return text + "\n";
}

void check_case(const NodeCase& test, Count& count) {
  CAPTURE(test.name);
  const CaseOutcome outcome = outcome_of(test);
  if (const auto reason = why_out_of_scope(test.name)) {
    ++count.out_of_scope[*reason];
    CHECK(outcome.agreed == 0);
    return;
  }
  INFO(fmt::format("{}", fmt::join(outcome.differences, "\n")));
  INFO(fmt::format("{}", fmt::join(outcome.refusals, "\n")));
  CHECK(outcome.differences.empty());
  CHECK(outcome.agreed > 0);
  if (outcome.agreed == 0) return;
  ++count.agreed;
  if (outcome.agreed == outcome.agreed_in_first) ++count.agreed_in_first;
}

// The cases of a folder whose operators we all read, by their only one.
std::map<std::string, Count> check_folder(const std::string& kind) {
  std::map<std::string, Count> counts;
  for (const auto& folder : folders_of(kind)) {
    NodeCase test;
    read_case(folder, test);
    const auto& nodes = test.model.graph.nodes;
    if (nodes.empty() || !std::all_of(nodes.begin(), nodes.end(), is_read)) continue;
    check_case(test, counts[nodes.size() == 1 ? nodes[0].op : "several operators"]);
  }
  return counts;
}

void print(const std::map<std::string, Count>& counts) {
  for (const auto& [of, count] : counts) std::cout << to_text(of, count);
}

}  // namespace

TEST_CASE("every operator that is read computes what ONNX's tests of it expect", "[conformance]") {
  if (!is_here()) return;
  const auto counts = check_folder("node");
  print(counts);
  // Operators that are newer than the package, or have no tests of their own.
  const std::set<std::string> untested = {"Attention", "Gelu"};
  for (const auto* table : {&operators(), &folds()}) {
    for (const auto& [op, translate] : *table) {
      CAPTURE(op);
      CHECK(counts.contains(op) != untested.contains(op));
    }
  }
}

TEST_CASE("layers that PyTorch exported compute what ONNX's tests of them expect",
          "[conformance]") {
  if (!is_here()) return;
  for (const char* kind : {"pytorch-converted", "pytorch-operator", "simple"}) {
    const auto counts = check_folder(kind);
    print(counts);
    CHECK_FALSE(counts.empty());
  }
}
