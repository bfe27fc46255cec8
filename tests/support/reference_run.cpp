#include "tests/support/reference_run.hpp"

#include <fmt/format.h>

#include <map>
#include <span>
#include <vector>

#include "executor/byte_streams.hpp"
#include "executor/synthetic_data.hpp"
#include "files/sha256.hpp"

namespace stint {
namespace {

class Tensors {
 public:
  explicit Tensors(const Graph& graph) : graph_(graph), bytes_(graph.tensors.size()) {
    for (int t = 0; t < static_cast<int>(graph.tensors.size()); ++t) {
      if (graph.tensors[t].part_of) continue;
      bytes_[t].resize(graph.tensors[t].bytes);
      if (graph.tensors[t].kind == Kind::state) {
        fill_state(initial_state(graph, TensorId{t}), bytes_[t]);
      }
    }
  }

  std::span<std::byte> operator[](TensorId tensor) {
    const auto size = static_cast<std::size_t>(graph_.tensors[tensor].bytes);
    std::size_t offset = 0;
    while (graph_.tensors[tensor].part_of) {
      offset += graph_.tensors[tensor].part_of->offset_bytes;
      tensor = graph_.tensors[tensor].part_of->tensor;
    }
    return std::span(bytes_[tensor]).subspan(offset, size);
  }

  void bring_inputs(std::int64_t step, std::int64_t seed) {
    for (int t = 0; t < static_cast<int>(graph_.tensors.size()); ++t) {
      if (graph_.tensors[t].part_of || graph_.tensors[t].kind != Kind::input) continue;
      fill_input(input_of_all_steps(graph_, TensorId{t}, seed), step, bytes_[t]);
    }
  }

  std::string state_sha256() const {
    std::map<std::string, std::string> by_name;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (graph_.tensors[t].part_of || graph_.tensors[t].kind != Kind::state) continue;
      by_name[graph_.tensors[t].name] =
          std::string(reinterpret_cast<const char*>(bytes_[t].data()), bytes_[t].size());
    }
    std::string lines;
    for (const auto& [name, bytes] : by_name) {
      lines += sha256(bytes) + ' ' + std::to_string(bytes.size()) + ' ' + name + '\n';
    }
    return sha256(lines);
  }

 private:
  const Graph& graph_;
  std::vector<std::vector<std::byte>> bytes_;  // by tensor that is no part
};

// Returns the digest of what it read.
std::uint64_t perform(const Task& task, Tensors& tensors) {
  std::vector<std::byte> workspace(task.workspace_bytes);
  write_stream(workspace_key(task_key(task)), 0, workspace);
  std::uint64_t sum = task_key(task);
  for (const TensorId tensor : task.reads) sum = digest(sum, tensors[tensor]);
  for (const TensorId tensor : task.updates) sum = digest(sum, tensors[tensor]);
  if (!workspace.empty()) sum = digest(sum, workspace);
  for (std::size_t i = 0; i < task.writes.size(); ++i) {
    write_stream(output_key(sum, i), 0, tensors[task.writes[i]]);
  }
  for (std::size_t i = 0; i < task.updates.size(); ++i) {
    write_stream(update_key(sum, i), 0, tensors[task.updates[i]]);
  }
  return sum;
}

}  // namespace

ReferenceRun reference_run(const Graph& graph, std::int64_t steps, std::int64_t seed) {
  Tensors tensors(graph);
  std::string digests;
  for (std::int64_t step = 0; step < steps; ++step) {
    tensors.bring_inputs(step, seed);
    std::uint64_t all = 0;
    for (const Task& task : graph.tasks) all = mix(all ^ perform(task, tensors));
    digests += fmt::format("{:016x}\n", all);
    for (const TensorId result : graph.results) {
      digests += fmt::format("{:016x}\n", digest(0, tensors[result]));
    }
  }
  return {tensors.state_sha256(), sha256(digests)};
}

}  // namespace stint
