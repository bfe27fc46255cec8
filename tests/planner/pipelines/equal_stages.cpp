#include "tests/planner/pipelines/equal_stages.hpp"

#include <fmt/format.h>

namespace stint {
namespace {

class Building {
 public:
  explicit Building(const EqualStages& equal) : equal_(equal) { graph_.name = "equal"; }

  Graph build() {
    for (int j = 0; j < equal_.microbatches; ++j) {
      std::vector<TensorId> tapes;
      TensorId x = tensor(fmt::format("x{}", j), 0, Kind::input);
      for (int i = 0; i < equal_.stages; ++i) x = add_forward(i, j, x, tapes);
      for (int i = equal_.stages; i-- > 0;) x = add_backward(i, j, x, tapes[i]);
    }
    check(graph_);
    return graph_;
  }

 private:
  TensorId tensor(const std::string& name, std::int64_t bytes, Kind kind = Kind::activation) {
    graph_.tensors.push_back({name, bytes, kind, {}});
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }
  void task(const std::string& name, Phase phase, std::vector<TensorId> reads,
            std::vector<TensorId> writes, double seconds) {
    Task task;
    task.name = name;
    task.phase = phase;
    task.reads = std::move(reads);
    task.writes = std::move(writes);
    task.seconds["cpu"] = Quantity{seconds};
    graph_.tasks.push_back(task);
  }

  TensorId add_forward(int i, int j, TensorId x, std::vector<TensorId>& tapes) {
    const TensorId y = tensor(fmt::format("y{}.{}", i, j), 0);
    tapes.push_back(tensor(fmt::format("tape{}.{}", i, j), equal_.held_bytes));
    task(fmt::format("F{}.{}", i, j), Phase::forward, {x}, {y, tapes.back()},
         equal_.forward_seconds);
    return y;
  }
  TensorId add_backward(int i, int j, TensorId gradient, TensorId tape) {
    const TensorId g = tensor(fmt::format("g{}.{}", i, j), 0);
    task(fmt::format("B{}.{}", i, j), Phase::backward, {gradient, tape}, {g},
         equal_.backward_seconds);
    if (equal_.weight_seconds > 0) {
      task(fmt::format("W{}.{}", i, j), Phase::backward, {g},
           {tensor(fmt::format("w{}.{}", i, j), 0)}, equal_.weight_seconds);
    }
    return g;
  }

  const EqualStages& equal_;
  Graph graph_;
};

}  // namespace

Graph equal_stages_graph(const EqualStages& equal) { return Building(equal).build(); }

Platform row_of_devices(int devices, std::int64_t bytes_each) {
  std::string memories, list, links;
  for (int d = 0; d < devices; ++d) {
    const std::string comma = d == 0 ? "" : ",";
    memories += fmt::format(R"({}{{"name": "m{}", "bytes": {}, "alignment_bytes": 1}})", comma, d,
                            bytes_each);
    list += fmt::format(
        R"({}{{"name": "d{}", "kind": "cpu", "memory": "m{}", "workers": 1, "idle_watts": 1,
            "states": [{{"name": "on", "speed": 1, "busy_watts": 5}}]}})",
        comma, d, d);
    for (int e = 0; e < devices; ++e) {
      if (e == d) continue;
      links += fmt::format(R"({}{{"from": "m{}", "to": "m{}", "bytes_per_second": 1e12}})",
                           links.empty() ? "" : ",", d, e);
    }
  }
  return parse_platform(fmt::format(R"({{"format": "stint-platform", "version": 1, "name": "row",
                      "nodes": [{{"name": "n0", "base_watts": 10, "memories": [{}],
                                  "devices": [{}], "links": [{}]}}]}})",
                                    memories, list, links),
                        "row");
}

}  // namespace stint
