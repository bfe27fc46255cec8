#include "models/check_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/input_error.hpp"

namespace stint {

std::string TotalBytes::add(std::int64_t bytes) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (bytes < 0) return fmt::format("{}; expected a whole number of at least 0", bytes);
  if (bytes > most - total_) {
    return fmt::format("{}, too large a sum of all sizes; expected a sum of at most {}", bytes,
                       most);
  }
  total_ += bytes;
  return "";
}

std::string fault_in_name(const std::string& name) {
  if (name.empty()) return "an empty name; expected at least one character";
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    return "the name " + in_quotes(name) + " has control characters; expected a name without";
  }
  return "";
}

void check(const Graph& graph) {
  if (const auto fault = fault_in_name(graph.name); !fault.empty())
    throw InputError("/name", fault);
  if (graph.tasks.empty()) throw InputError("/tasks", "no tasks; expected at least one");
  TotalBytes total;
  check_tensors(graph, total);
  check_tasks(graph, total);
  check_flow(graph);
}

std::map<std::string, TensorId> tensors_by_name(const Graph& graph) {
  std::map<std::string, TensorId> ids;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    ids.emplace(graph.tensors[i].name, static_cast<TensorId>(i));
  }
  return ids;
}

}  // namespace stint
