#include "benchmarks/graphs/vector_json.hpp"

#include <algorithm>
#include <cstdlib>

#include "files/json_reader.hpp"
#include "files/text_file.hpp"

namespace stint {
namespace {

constexpr double microsecond = 1e-6;

void add_node(const JsonReader& node, Graph& graph) {
  const std::string name = node.text("name");
  Task task;
  task.name = name;
  for (const JsonReader& read : node.elements("deps"))
    task.reads.push_back(
        static_cast<TensorId>(read.integer(std::int64_t{0}, std::ssize(graph.tensors) - 1)));
  task.writes = {static_cast<TensorId>(graph.tensors.size())};
  task.seconds["cpu"].value = node.child("cost").number() * microsecond;
  graph.tensors.push_back({name, node.integer("size"), Kind::activation, std::nullopt});
  graph.tasks.push_back(std::move(task));
}

}  // namespace

GraphVector read_vector(const std::string& path) {
  const nlohmann::json text = parse_json(read_text(path), path);
  const JsonReader file(text, path);
  GraphVector vector;
  vector.graph.name = file.text("name");
  for (const JsonReader& node : file.elements("nodes")) add_node(node, vector.graph);
  check(vector.graph);
  for (const auto& [share, plan] : file.child("budgets").members()) {
    vector.known.push_back({std::strtod(share.c_str(), nullptr), plan.integer("budget"),
                            plan.child("best_cost").number() * microsecond,
                            plan.child("lower_bound").number() * microsecond});
  }
  std::sort(vector.known.begin(), vector.known.end(),
            [](const KnownPlan& a, const KnownPlan& b) { return a.share > b.share; });
  return vector;
}

bool is_vector(const std::string& path) {
  return path.ends_with(".json") && parse_json(read_text(path), path).contains("budgets");
}

}  // namespace stint
