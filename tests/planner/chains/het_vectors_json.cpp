#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/planner/chains/het_chains.hpp"

namespace stint {
namespace {

using nlohmann::json;

template <class T>
std::optional<T> maybe(const json& row, const char* key) {
  if (!row.contains(key) || row.at(key).is_null()) return std::nullopt;
  return row.at(key).get<T>();
}

ChainProblem problem_of(const json& c) {
  ChainProblem problem;
  const auto a = c.at("a").get<std::vector<std::int64_t>>();
  const auto t = c.at("t").get<std::vector<std::int64_t>>();
  problem.input_bytes = a[0];
  for (std::size_t i = 0; i < c.at("f").size(); ++i) {
    ChainStage stage;
    stage.forward_cost = c.at("f")[i];
    stage.backward_cost = c.at("b")[i];
    stage.output_bytes = a[i + 1];
    stage.gradient_bytes = a[i];
    stage.tape = Tape::holds_output;
    stage.tape_bytes = t[i + 1];
    stage.forward_workspace_bytes = c.at("of")[i];
    stage.backward_workspace_bytes = c.at("ob")[i];
    problem.stages.push_back(stage);
  }
  return problem;
}

RotorRow row_of(const json& r) {
  RotorRow row;
  row.fast_bytes = r.contains("M") ? r.at("M") : r.at("M0");
  if (r.contains("M1")) row.slow.push_back({r.at("M1"), 0, r.at("w"), 0, r.at("r")});
  row.persistent = maybe<double>(r, "persistent");
  row.exact = maybe<double>(r, "exact");
  row.exact_pinned = maybe<double>(r, "exact_pinned");
  row.rotor_c = maybe<double>(r, "rotor_c");
  return row;
}

}  // namespace

std::vector<RotorCase> read_rotor_cases(const std::string& name) {
  std::ifstream file(std::string(STINT_SOURCE_DIR "/tests/planner/chains/data/") + name);
  const json document = json::parse(file);
  std::vector<RotorCase> cases;
  for (const json& c : document.at("cases")) {
    RotorCase& one = cases.emplace_back();
    one.problem = problem_of(c);
    one.full_bytes = maybe<std::int64_t>(c, "full_memory");
    one.least_persistent_bytes = maybe<std::int64_t>(c, "min_memory_persistent");
    one.least_exact_bytes = maybe<std::int64_t>(c, "min_memory_exact");
    for (const json& r : c.at("rows")) one.rows.push_back(row_of(r));
  }
  return cases;
}

}  // namespace stint
