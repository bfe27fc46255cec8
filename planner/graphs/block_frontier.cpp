#include "planner/graphs/block_frontier.hpp"

#include <algorithm>
#include <span>

#include "planner/graphs/graph_solver.hpp"

namespace stint {
namespace {

constexpr double block_limit = 0.02;  // units of search, for one choice

struct Shares {
  double kept = 1;  // of what keeping everything takes
  double peak = 1;  // between the largest task and keeping everything
};
constexpr Shares few[] = {{1, 1}, {0.5, 1}, {0, 1}, {0, 0.4}};
constexpr Shares many[] = {{1, 1},     {0.7, 1},   {0.4, 1}, {0.2, 1}, {0, 1},
                           {0.6, 0.5}, {0.3, 0.5}, {0, 0.5}, {0, 0.1}, {0, 0}};

class Frontier {
 public:
  Frontier(const BlockGraph& block, const std::atomic<bool>* interrupted)
      : interrupted_(interrupted), meter_(block.graph, block.costs) {
    found_.block = block;
    for (std::size_t t = 0; t < block.graph.tasks.size(); ++t)
      order_.push_back(static_cast<TaskId>(t));
  }

  BlockFrontier find(bool thorough) {
    const BlockOption all = option(order_);
    found_.options = {all};
    for (const TaskId task : all.forward) found_.forward_cost += found_.block.costs[task];
    measure_plain_forward();
    for (const Shares& shares : thorough ? std::span<const Shares>(many) : few) add(all, shares);
    drop_beaten();
    return std::move(found_);
  }

 private:
  std::int64_t bytes(GraphItemId item) const {
    return item == no_graph_item ? 0 : found_.block.graph.items[item].bytes;
  }
  std::int64_t input_bytes() const { return bytes(found_.block.input); }

  static std::int64_t part(std::int64_t low, std::int64_t high, double share) {
    return low + static_cast<std::int64_t>(share * static_cast<double>(std::max(high - low, {})));
  }

  // The largest that a single task needs.
  std::int64_t least_peak() const {
    std::int64_t least = 0;
    for (const GraphTask& task : found_.block.graph.tasks) {
      std::int64_t sum = task.workspace_bytes;
      for (const GraphItemId read : task.reads) sum += bytes(read);
      for (const GraphOutput& output : task.writes) sum += output.bytes;
      least = std::max(least, sum);
    }
    return least;
  }

  // All other blocks together take what may not be kept.
  void add(const BlockOption& all, const Shares& shares) {
    const std::int64_t high =
        std::max(all.forward_peak.with_input, all.backward_peak.with_input) + input_bytes();
    const std::int64_t peak = part(least_peak(), high, shares.peak);
    const std::int64_t kept = part(input_bytes(), all.kept_bytes + input_bytes(), shares.kept);
    BlockGraph limited = found_.block;
    const std::int64_t passes = bytes(limited.output) + limited.gradient_bytes;
    std::int64_t& others = limited.graph.tasks[limited.between].workspace_bytes;
    others = std::max<std::int64_t>(peak - kept - passes, 0);
    GraphSolverOptions options;
    options.limit = block_limit;
    options.interrupted = interrupted_;
    GraphSolver solver(limited.graph, limited.costs, {order_}, options);
    const auto plan = solver.solve(std::max(peak, kept + passes));
    if (plan) found_.options.push_back(option(plan->sequence));
  }

  bool is_live(GraphItemId item, int step) const {
    const auto& all = meter_.instances();
    return item != no_graph_item &&
           std::any_of(all.begin(), all.end(), [&](const ItemInstance& instance) {
             return instance.item == item && instance.begin <= step && instance.last >= step;
           });
  }

  BlockPeak peak(int from, int to) const {
    BlockPeak peak;
    for (int step = from; step < to; ++step) {
      const std::int64_t live = meter_.live_bytes()[step];
      peak.with_input = std::max(peak.with_input, live);
      const std::int64_t input = is_live(found_.block.input, step) ? input_bytes() : 0;
      peak.without_input = std::max(peak.without_input, live - input);
    }
    return peak;
  }

  // Where the forwards have run before: without those that only the output needs.
  double cost_alone(const BlockOption& option) const {
    const auto before = order_.begin() + found_.block.between;
    TaskSequence again(order_.begin(), before);
    again.insert(again.end(), option.forward.begin(), option.forward.end());
    again.insert(again.end(), option.backward.begin(), option.backward.end());
    const auto& costs = found_.block.costs;
    double cost = 0;
    for (const TaskId task : without_needless_runs(found_.block.graph, again)) cost += costs[task];
    for (auto task = order_.begin(); task < before; ++task) cost -= costs[*task];
    return cost;
  }

  BlockOption option(const TaskSequence& sequence) {
    const SequenceMeasure measure = meter_.measure(sequence);
    const auto middle = std::find(sequence.begin(), sequence.end(), found_.block.between);
    const int at = static_cast<int>(middle - sequence.begin());
    const int steps = static_cast<int>(sequence.size());
    BlockOption option;
    option.forward.assign(sequence.begin(), middle);
    option.backward.assign(middle + 1, sequence.end());
    option.cost = measure.cost;
    option.cost_alone = cost_alone(option);
    for (const ItemInstance& instance : meter_.instances()) {
      if (instance.begin >= at || instance.last <= at) continue;
      const bool is_input = instance.item == found_.block.input;
      const bool is_output = instance.item == found_.block.output;
      option.keeps_input |= is_input;
      option.keeps_output |= is_output;
      if (!is_input && !is_output) option.kept_bytes += instance.bytes;
    }
    option.forward_peak = peak(0, at);
    option.backward_peak = peak(at + 1, steps + 1);
    return option;
  }

  // The same tasks without anybody who reads what they keep.
  void measure_plain_forward() {
    meter_.measure({order_.begin(), order_.begin() + found_.block.between + 1});
    found_.forward_peak = peak(0, found_.block.between);
  }

  static bool beats(const BlockOption& a, const BlockOption& b) {
    return a.cost <= b.cost && a.cost_alone <= b.cost_alone && a.kept_bytes <= b.kept_bytes &&
           a.keeps_input <= b.keeps_input && a.keeps_output <= b.keeps_output &&
           a.forward_peak.with_input <= b.forward_peak.with_input &&
           a.backward_peak.with_input <= b.backward_peak.with_input;
  }
  void drop_beaten() {
    std::vector<BlockOption> left;
    for (const BlockOption& option : found_.options) {
      const auto is_better = [&](const BlockOption& other) { return beats(other, option); };
      if (std::any_of(left.begin(), left.end(), is_better)) continue;
      std::erase_if(left, [&](const BlockOption& other) { return beats(option, other); });
      left.push_back(option);
    }
    std::stable_sort(left.begin(), left.end(), [](const BlockOption& a, const BlockOption& b) {
      return a.kept_bytes > b.kept_bytes;
    });
    found_.options = std::move(left);
  }

  const std::atomic<bool>* interrupted_;
  BlockFrontier found_;
  SequenceMeter meter_;
  TaskOrder order_;
};

}  // namespace

std::shared_ptr<const BlockFrontier> BlockSolver::solve(const BlockGraph& block, bool thorough) {
  auto& known = known_[block.key()];
  if (!known) known = std::make_shared<BlockFrontier>(Frontier(block, interrupted_).find(thorough));
  return known;
}

}  // namespace stint
