#include "benchmarks/overhead/tbb_rival.hpp"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>

#include <deque>
#include <memory>

namespace stint {
namespace {

namespace flow = oneapi::tbb::flow;

class FlowGraph {
 public:
  FlowGraph(const TaskShape& shape, Work work) : arena_(shape.workers) {
    arena_.execute([&] { build(shape, work); });
  }

  void step() {
    arena_.execute([this] {
      start_->try_put({});
      graph_->wait_for_all();
    });
  }

 private:
  using Node = flow::continue_node<flow::continue_msg>;

  // Inside the arena, whose threads the graph then uses.
  void build(const TaskShape& shape, Work work) {
    graph_ = std::make_unique<flow::graph>();
    start_ = std::make_unique<flow::broadcast_node<flow::continue_msg>>(*graph_);
    for (int task = 0; task < static_cast<int>(shape.tasks.size()); ++task) {
      nodes_.emplace_back(*graph_, [work, task](const flow::continue_msg&) { work(task); });
      const auto& predecessors = shape.tasks[task].predecessors;
      for (const int predecessor : predecessors)
        flow::make_edge(nodes_[predecessor], nodes_.back());
      if (predecessors.empty()) flow::make_edge(*start_, nodes_.back());
    }
  }

  oneapi::tbb::task_arena arena_;
  std::unique_ptr<flow::graph> graph_;
  std::unique_ptr<flow::broadcast_node<flow::continue_msg>> start_;
  std::deque<Node> nodes_;  // nodes cannot move
};

}  // namespace

Contestant tbb_contestant() {
  return {"oneTBB", [](const TaskShape& shape, Work work) -> Step {
            const auto graph = std::make_shared<FlowGraph>(shape, work);
            return [graph] { graph->step(); };
          }};
}

}  // namespace stint
