#include "planner/graphs/block_chain.hpp"

#include <algorithm>
#include <cmath>

#include "planner/infinity.hpp"

namespace stint {
namespace {

constexpr int most_blocks = 128;
constexpr int thorough_up_to = 24;  // blocks that differ
constexpr double table_cells = 6e6;
constexpr int most_units = 800;
constexpr double beyond = 1.3;  // of the memory: rounding may have been too careful

// One option of a block in units of memory. [0]: the block's input is its own, [1]: others keep it.
struct Option {
  double cost = 0;
  double cost_alone = 0;  // see BlockOption
  int kept[2] = {0, 0};
  int forward_peak[2] = {0, 0};
  int backward_peak[2] = {0, 0};
  bool output_stays = false;
  const BlockOption* of = nullptr;
};

struct Block {
  std::vector<Option> options;
  double forward_cost = 0;
  int forward_peak[2] = {0, 0};
  int input = 0;
  int gradients = 0;  // from behind it
};

class BlockChain {
 public:
  BlockChain(const std::vector<std::shared_ptr<const BlockFrontier>>& frontiers,
             std::int64_t capacity)
      : count_(static_cast<int>(frontiers.size())) {
    const double pairs = 0.5 * count_ * (count_ + 1);
    units_ = std::clamp(static_cast<int>(table_cells / pairs / 2), 60, most_units);
    unit_bytes_ = std::max(static_cast<double>(capacity) * beyond / units_, 1e-9);
    for (const auto& frontier : frontiers) add_block(*frontier);
    fill();
  }

  int units() const { return units_; }
  double cost(int m) const { return cell(false, 0, count_ - 1, m); }

  // Blocks and their options in the order in which they run.
  struct Run {
    int block = 0;
    const BlockOption* option = nullptr;  // null: forward, for the output alone
    bool is_backward = false;
  };
  std::vector<Run> runs(int m) const {
    std::vector<Run> all;
    trace(false, 0, count_ - 1, m, all);
    return all;
  }

 private:
  // What is rounded up and what down differs from block to block: errors do not add up.
  int in_units(std::int64_t bytes) const {
    const double golden = 0.6180339887498949;
    const double shift = std::fmod((static_cast<double>(blocks_.size()) + 1) * golden, 1.0);
    const double units = static_cast<double>(bytes) / unit_bytes_ + shift;
    return static_cast<int>(std::min(units, 1e6));
  }

  void add_block(const BlockFrontier& frontier) {
    const auto bytes = [&](GraphItemId item) {
      return item == no_graph_item ? 0 : frontier.block.graph.items[item].bytes;
    };
    Block block;
    block.forward_cost = frontier.forward_cost;
    block.input = in_units(bytes(frontier.block.input));
    block.gradients = in_units(frontier.block.gradient_bytes);
    const auto set = [&](int(&to)[2], const BlockPeak& peak) {
      to[0] = in_units(peak.with_input);
      to[1] = in_units(peak.without_input);
    };
    set(block.forward_peak, frontier.forward_peak);
    for (const BlockOption& from : frontier.options) {
      Option option;
      option.of = &from;
      option.cost = from.cost;
      option.cost_alone = from.cost_alone;
      option.output_stays = from.keeps_output;
      const std::int64_t output = from.keeps_output ? bytes(frontier.block.output) : 0;
      const std::int64_t input = from.keeps_input ? bytes(frontier.block.input) : 0;
      option.kept[0] = in_units(from.kept_bytes + output + input);
      option.kept[1] = in_units(from.kept_bytes + output);
      set(option.forward_peak, from.forward_peak);
      set(option.backward_peak, from.backward_peak);
      block.options.push_back(option);
    }
    blocks_.push_back(std::move(block));
  }

  std::size_t row(bool held, int i, int j) const {
    const std::size_t pair = static_cast<std::size_t>(j) * (j + 1) / 2 + i;
    return (pair * 2 + held) * (units_ + 1);
  }
  double cell(bool held, int i, int j, int m) const {
    return m < 0 ? infinity : table_[row(held, i, j) + m];
  }
  int gradients_behind(int j) const { return j + 1 < count_ ? blocks_[j].gradients : 0; }

  void fill() {
    table_.assign(row(true, count_ - 1, count_ - 1) + units_ + 1, infinity);
    for (int j = 0; j < count_; ++j) {
      for (int i = j; i >= 0; --i)
        for (const bool held : {false, true}) fill(held, i, j);
    }
  }

  void fill(bool held, int i, int j) {
    double* cells = &table_[row(held, i, j)];
    for (const Option& option : blocks_[i].options) {
      for (int m = least(option, held, j); m <= units_; ++m)
        cells[m] = std::min(cells[m], kept(option, held, i, j, m));
    }
    double forward = 0;
    int peak = 0;
    for (int k = i + 1; k <= j; ++k) {
      advance(held, i, k, forward, peak);
      for (int m = peak + gradients_behind(j); m <= units_; ++m)
        cells[m] = std::min(cells[m], forward + split(held, i, k, j, m));
    }
  }

  int least(const Option& option, bool held, int j) const {
    return std::max(option.forward_peak[held] + gradients_behind(j), option.backward_peak[held]);
  }
  double kept(const Option& option, bool held, int i, int j, int m) const {
    if (i == j) return j + 1 < count_ ? option.cost_alone : option.cost;
    return option.cost + cell(option.output_stays, i + 1, j, m - option.kept[held]);
  }
  double split(bool held, int i, int k, int j, int m) const {
    return cell(false, k, j, m - (held ? 0 : blocks_[i].input)) + cell(held, i, k - 1, m);
  }
  // Forward over the blocks before k, from i on, whose input stays.
  void advance(bool held, int i, int k, double& cost, int& peak) const {
    const Block& block = blocks_[k - 1];
    const bool is_first = k - 1 == i;
    const int beside = is_first || held ? 0 : blocks_[i].input;
    cost += block.forward_cost;
    peak = std::max(peak, block.forward_peak[is_first && held] + beside);
  }

  void trace(bool held, int i, int j, int m, std::vector<Run>& out) const {
    const double best = cell(held, i, j, m);
    for (const Option& option : blocks_[i].options) {
      if (m < least(option, held, j) || kept(option, held, i, j, m) > best) continue;
      out.push_back({i, option.of, false});
      if (i < j) trace(option.output_stays, i + 1, j, m - option.kept[held], out);
      out.push_back({i, option.of, true});
      return;
    }
    double forward = 0;
    int peak = 0;
    for (int k = i + 1; k <= j; ++k) {
      advance(held, i, k, forward, peak);
      if (m < peak + gradients_behind(j) || forward + split(held, i, k, j, m) > best) continue;
      for (int b = i; b < k; ++b) out.push_back({b, nullptr, false});
      trace(false, k, j, m - (held ? 0 : blocks_[i].input), out);
      return trace(held, i, k - 1, m, out);
    }
  }

  int count_;
  int units_ = 0;
  double unit_bytes_ = 1;
  std::vector<Block> blocks_;
  std::vector<double> table_;
};

class Assembling {
 public:
  Assembling(const DeviceGraph& graph, const std::vector<double>& costs, const TaskChain& chain,
             BlockSolver& solver)
      : graph_(graph), meter_(graph, costs), blocks_(graph_blocks(graph, chain, most_blocks)) {
    for (const GraphBlock& block : blocks_) graphs_.push_back(block_graph(graph, costs, block));
    std::map<std::vector<std::int64_t>, int> kinds;
    for (const BlockGraph& block : graphs_) ++kinds[block.key()];
    for (const BlockGraph& block : graphs_)
      frontiers_.push_back(solver.solve(block, std::ssize(kinds) <= thorough_up_to));
  }

  std::optional<GraphPlan> best(std::int64_t capacity) {
    if (blocks_.empty()) return std::nullopt;
    const BlockChain chain(frontiers_, capacity);
    std::optional<GraphPlan> best;
    double before = -1;
    for (int m = chain.units(); m > 0 && chain.cost(m) < infinity; --m) {
      if (chain.cost(m) == before) continue;
      before = chain.cost(m);
      GraphPlan plan{without_needless_runs(graph_, sequence(chain.runs(m))), {}};
      plan.measure = meter_.measure(plan.sequence);
      if (plan.measure.peak_bytes > capacity) continue;
      if (!best || plan.measure.cost < best->measure.cost)
        best = std::move(plan);
      else if (chain.cost(m) > best->measure.cost)
        break;
    }
    return best;
  }

 private:
  TaskSequence sequence(const std::vector<BlockChain::Run>& runs) const {
    TaskSequence all;
    for (const auto& [block, option, is_backward] : runs) {
      if (option == nullptr) {
        const auto& forward = blocks_[block].forward;
        all.insert(all.end(), forward.begin(), forward.end());
        continue;
      }
      for (const TaskId task : is_backward ? option->backward : option->forward)
        all.push_back(graphs_[block].origin[task]);
    }
    return all;
  }

  const DeviceGraph& graph_;
  SequenceMeter meter_;
  std::vector<GraphBlock> blocks_;
  std::vector<BlockGraph> graphs_;
  std::vector<std::shared_ptr<const BlockFrontier>> frontiers_;
};

}  // namespace

std::optional<GraphPlan> block_plan(const DeviceGraph& graph, const std::vector<double>& costs,
                                    const TaskChain& chain, std::int64_t capacity_bytes,
                                    BlockSolver& solver) {
  return Assembling(graph, costs, chain, solver).best(capacity_bytes);
}

}  // namespace stint
