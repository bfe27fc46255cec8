#include <fmt/format.h>

#include "files/input_error.hpp"
#include "schedules/graph_facts.hpp"
#include "schedules/summary.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;

std::string phases(const GraphFacts& facts) {
  TextTable table({{"phase", Align::left}, {"tasks"}});
  for (const auto& [phase, count] : facts.tasks_by_phase) {
    table.row({to_string(phase), std::to_string(count)});
  }
  return table.text();
}

std::string kinds(const GraphFacts& facts) {
  TextTable table({{"kind", Align::left}, {"tensors"}, {"size"}});
  for (const auto& [kind, it] : facts.tensors_by_kind) {
    table.row({to_string(kind), std::to_string(it.tensors), bytes_text(it.bytes)});
  }
  return table.text();
}

std::string work(const GraphFacts& facts, std::size_t tasks) {
  TextTable table({{"device", Align::left}, {"work"}, {"critical path"}, {"priced tasks"}});
  for (const auto& [device, it] : facts.work_by_device) {
    table.row({device, seconds_text(it.seconds), seconds_text(it.critical_path_seconds),
               fmt::format("{} of {}", it.tasks, tasks)});
  }
  if (table.empty()) return "no task gives its seconds: a platform prices them\n";
  return table.text();
}

std::string largest(const Graph& graph, const GraphFacts& facts) {
  TextTable table({{"largest", Align::left}, {"size"}, {"kind", Align::left}});
  for (const TensorId id : facts.largest) {
    const Tensor& tensor = graph.tensors[id];
    table.row({tensor.name, bytes_text(tensor.bytes), to_string(tensor.kind)});
  }
  return table.text();
}

std::string working_set(const Graph& graph, const GraphFacts& facts) {
  if (facts.working_set_task < 0) return "";
  return fmt::format("\nworking set  {}, the most that one task needs at once (by {})\n",
                     bytes_text(facts.working_set_bytes),
                     one_line(graph.tasks[facts.working_set_task].name));
}

}  // namespace

std::string summary(const Graph& graph) {
  const GraphFacts facts = graph_facts(graph);
  std::string text = fmt::format("{}: a graph of {}, {}, {}\n", one_line(graph.name),
                                 count_text(std::ssize(graph.tasks), "task"),
                                 count_text(std::ssize(graph.tensors), "tensor"),
                                 count_text(std::ssize(graph.results), "result"));
  if (!graph.description.empty()) text += one_line(graph.description) + '\n';
  text += '\n' + phases(facts) + '\n' + kinds(facts) + '\n' + work(facts, graph.tasks.size());
  return text + '\n' + largest(graph, facts) + working_set(graph, facts);
}

}  // namespace stint
