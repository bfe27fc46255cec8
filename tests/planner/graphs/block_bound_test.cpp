// What blocks of a training step must compute again: never more than the best plan does, against a
// search over everything that can happen; and ways of all blocks as one sequence.
#include "planner/graphs/block_bound.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "planner/graphs/block_sequence.hpp"
#include "planner/memory_bound.hpp"
#include "tests/planner/chains/task_search.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

constexpr double units = 1000;  // of a second

// Layers with a branch that their end adds to what they began with. Each has a gradient of its
// weights that nobody waits for, but for the last layer's, which the very last task reads (a weight
// that is used twice); some overwrite what they read, some need workspace. With `scale`, a third of
// what they write is small beside the rest; there is an input, which the last task may read too;
// and some write something optional for their backward.
class RandomLayers {
 public:
  explicit RandomLayers(std::uint64_t seed, int scale = 1) : random_(seed), scale_(scale) {}

  std::string text(int layers) {
    if (scale_ > 1) {
      tensors_ =
          fmt::format(R"({{"name": "in", "bytes": {}, "kind": "input"}})", number(4) * scale_);
    }
    const std::string again = scale_ > 1 && chance(2) ? R"(, "in")" : "";
    add("F", "forward", "x0", scale_ > 1 ? R"("in")" : "");
    for (int i = 0; i < layers; ++i) {
      const std::string place =
          chance(3) ? fmt::format(R"("may_overwrite": {{"a{0}": "x{0}"}}, )", i) : "";
      has_optional_.push_back(scale_ > 1 && chance(2));
      add(fmt::format("A{}", i), "forward", fmt::format("a{}", i), quoted("x", i), place,
          has_optional_.back() ? fmt::format("o{}", i) : "");
      const std::string skip = chance(2) ? ", " + quoted("x", i) : "";
      add(fmt::format("X{}", i), "forward", fmt::format("x{}", i + 1), quoted("a", i) + skip);
    }
    add("L", "loss", fmt::format("g{}", layers), quoted("x", layers));
    for (int i = layers; i-- > 0;) {
      const std::string gradient = quoted("g", i + 1);
      add(fmt::format("W{}", i), "backward", fmt::format("w{}", i),
          gradient + ", " + quoted("a", i) + (has_optional_[i] ? ", " + quoted("o", i) : ""));
      const std::string place =
          chance(2) ? fmt::format(R"("may_overwrite": {{"g{}": "g{}"}}, )", i, i + 1) : "";
      add(fmt::format("G{}", i), "backward", fmt::format("g{}", i),
          gradient + ", " + quoted("x", i) + (chance(2) ? ", " + quoted("a", i) : ""), place);
    }
    add("E", "backward", "e", fmt::format(R"("g0", "w{}"{})", layers - 1, again));
    return fmt::format(R"({{"format": "stint-tasks", "version": 1, "name": "layers",
 "tensors": [{}], "tasks": [{}], "results": ["e"]}})",
                       tensors_, tasks_);
  }

 private:
  static std::string quoted(const char* name, int i) { return fmt::format("\"{}{}\"", name, i); }
  int number(int most) { return std::uniform_int_distribution<int>(1, most)(random_); }
  bool chance(int of) { return number(of) == 1; }
  void add(const std::string& task, const std::string& phase, const std::string& writes,
           const std::string& reads, const std::string& more = "",
           const std::string& optional = "") {
    const int size = scale_ > 1 && chance(3) ? 1 : scale_;
    const int bytes = writes[0] == 'g' ? 2 * scale_ : number(6) * size;  // so that some fit
    add_tensor(writes, bytes);
    if (!optional.empty()) add_tensor(optional, number(3) * scale_);
    const std::string also = optional.empty() ? "" : fmt::format(R"(, "{}")", optional);
    tasks_ += fmt::format(
        R"({}{{"name": "{}", "phase": "{}", "reads": [{}], "writes": ["{}"{}], "optional": [{}], {}"workspace_bytes": {}, "seconds": {{"cpu": {}}}}})",
        tasks_.empty() ? "" : ", ", task, phase, reads, writes, also,
        also.empty() ? "" : also.substr(2), more, chance(3) ? number(4) * scale_ : 0, number(9));
  }
  void add_tensor(const std::string& name, int bytes) {
    tensors_ += fmt::format(R"({}{{"name": "{}", "bytes": {}}})", tensors_.empty() ? "" : ", ",
                            name, bytes);
  }

  std::mt19937_64 random_;
  int scale_;
  std::vector<bool> has_optional_;  // by layer
  std::string tensors_;
  std::string tasks_;
};

struct Step {
  explicit Step(Problem of)
      : problem(std::move(of)),
        graph(*device_graph(problem, DeviceId{0})),
        recognised(recognise_chain(problem.graph(), problem.before)) {
    for (const double seconds : problem.seconds[0])
      costs.push_back(static_cast<std::int64_t>(seconds * units));
  }
  BlockRow row(const RowShape& shape) const {
    return block_row(problem, graph, *recognised.chain, costs, shape);
  }
  BlockBoundOptions options() const {
    BlockBoundOptions options;
    options.capacity_bytes = graph.capacity_bytes;
    options.most_states = 1000000;
    return options;
  }

  Problem problem;
  DeviceGraph graph;
  Recognised recognised;
  std::vector<std::int64_t> costs;
};

Reruns reruns(const RerunBlock& block, std::int64_t kept_bytes, std::int64_t capacity_bytes) {
  RerunLimits limits;
  limits.kept_bytes = kept_bytes;
  limits.capacity_bytes = capacity_bytes;
  return least_reruns(block, limits);
}

constexpr RowShape shapes[] = {{2, 1}, {4, 1}, {6, 1}, {4, 2}, {8, 2}};

}  // namespace

TEST_CASE("blocks of a step never compute again more than the best plan of all does", "[graph]") {
  const int scale = GENERATE(1, 100);
  int bounds = 0;
  int met = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed, scale);
    const int layers = seed % 6 == 0 ? 3 : 2;
    const std::string text = RandomLayers(seed, scale).text(layers);
    const Problem whole = problem_of(text, plain_machine());
    const auto& seconds = whole.seconds[0];
    const double once = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    const std::int64_t least = memory_bound(whole, MemoryId{0}).bytes;
    const std::int64_t step_bytes = (layers == 3 ? 4 : 2) * scale;
    for (std::int64_t bytes = least; bytes < least + 8 * scale; bytes += step_bytes) {
      CAPTURE(bytes);
      const auto best = least_seconds(whole.graph(), bytes);
      const Step step(problem_of(text, plain_machine(), within("n0/ram", bytes)));
      if (!best || !step.recognised.chain) continue;
      std::int64_t highest = 0;
      for (const RowShape& shape : shapes) {
        const std::int64_t bound = block_bound(step.row(shape), step.options()).cost;
        CHECK(static_cast<double>(bound) <= (*best - once) * units + 0.5);
        highest = std::max(highest, bound);
      }
      bounds += highest > 0 ? 1 : 0;
      met += highest > 0 && static_cast<double>(highest) >= (*best - once) * units * 0.99 ? 1 : 0;
    }
  }
  CHECK(bounds > 60);
  CHECK(met > 20);
}

TEST_CASE("ways of blocks that need no other again are a plan of their cost", "[graph]") {
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const std::string text = RandomLayers(seed).text(3);
    const std::int64_t least = memory_bound(problem_of(text, plain_machine()), MemoryId{0}).bytes;
    const Step step(problem_of(text, plain_machine(), within("n0/ram", least + 4)));
    if (!step.recognised.chain) continue;
    const BlockRow row = step.row({6, 1});
    BlockBoundOptions options = step.options();
    options.is_alone = true;
    const BlockBound found = block_bound(row, options);
    const TaskSequence sequence =
        block_sequence(step.problem, step.graph, row, found.ways, listed_order(step.problem));
    if (sequence.empty()) continue;
    ++plans;
    SequenceMeter meter(step.graph, {step.costs.begin(), step.costs.end()});
    CHECK(meter.measure(sequence).cost >= meter.cost_of_all() + static_cast<double>(found.cost));
  }
  CHECK(plans > 20);
}

TEST_CASE("blocks that are too large prove nothing, and are no plan", "[graph]") {
  const std::string text = RandomLayers(1).text(60);
  const Step step(problem_of(text, plain_machine(), within("n0/ram", 60)));
  REQUIRE(step.recognised.chain);
  const BlockRow row = step.row({80, 1});
  REQUIRE(row.blocks.size() > 1);
  const auto is_empty = [](const RerunBlock& block) { return block.tasks.empty(); };
  REQUIRE(std::any_of(row.blocks.begin(), row.blocks.end(), is_empty));
  BlockBoundOptions options = step.options();
  options.most_states = 1000;
  const std::vector<Reruns> ways(row.blocks.size(), Reruns{.is_exact = true});
  CHECK(block_sequence(step.problem, step.graph, row, ways, listed_order(step.problem)).empty());
  CHECK(block_bound(row, options).cost >= 0);
}

TEST_CASE("a block computes again what does not fit beside what others hold", "[graph]") {
  // b is read by the backward and written from a, which is kept or was written from nothing.
  RerunBlock block;
  block.item_bytes = {2, 4, 1};  // a, b, gradient
  RerunTask a{.writes = 1, .cost = 5, .is_early = true};
  RerunTask b{.reads = 1, .writes = 2, .cost = 7, .is_early = true};
  RerunTask begin{.writes = 4};
  RerunTask back{.reads = 2 | 4, .is_backbone = true};
  block.tasks = {a, b, begin, back};
  block.begin = 2;
  const auto cost = [&](std::int64_t kept, std::int64_t capacity) {
    return reruns(block, kept, capacity).cost;
  };
  CHECK(cost(4, 5) == 0);
  CHECK(cost(3, 7) == 7);
  CHECK(cost(1, 7) == 12);
  CHECK(cost(1, 6) == 12);  // b first, then the gradient in the place of a
  CHECK(cost(4, 4) == INT64_MAX);
  CHECK(cost(1, 5) == INT64_MAX);
}

TEST_CASE("what a block may begin with is looked for only among sets that are maximal", "[graph]") {
  // All of it fits, or none of a thousand million sets fits better than others.
  constexpr int items = 60;
  RerunBlock block;
  block.item_bytes.assign(items, 2);
  RerunTask back{.is_backbone = true};
  for (int i = 0; i < items; ++i) {
    const std::uint64_t item = std::uint64_t{1} << i;
    block.tasks.push_back({.writes = item, .cost = 1, .is_early = true});
    back.reads |= item;
  }
  block.tasks.push_back(back);
  block.begin = items;
  const Reruns all = reruns(block, 2 * items, 2 * items);
  CHECK(all.is_exact);
  CHECK(all.cost == 0);
  const Reruns half = reruns(block, items, 2 * items);
  CHECK_FALSE(half.is_exact);
  CHECK(half.cost <= items / 2);
  CHECK(half.states > 0);
}

TEST_CASE("an input that a block needs again stays, and what is optional need not be written",
          "[graph]") {
  // The forward writes b, and p for whoever wants it, from the input.
  RerunBlock block;
  block.item_bytes = {3, 4, 2, 1};  // input, b, p, gradient
  RerunTask forward{.reads = 1, .writes = 2 | 4, .optional = 4, .cost = 5, .is_early = true};
  RerunTask begin{.writes = 8};
  RerunTask back{.reads = 2 | 8, .is_backbone = true};
  block.tasks = {forward, begin, back};
  block.begin = 1;
  const auto cost = [&](std::int64_t kept, std::int64_t capacity) {
    return reruns(block, kept, capacity).cost;
  };
  CHECK(cost(4, 5) == 0);
  CHECK(cost(3, 8) == 5);          // the gradient beside the input and b, without p
  CHECK(cost(2, 9) == INT64_MAX);  // neither b nor the input was kept
  block.tasks[0].optional = 0;
  CHECK(cost(3, 9) == 5);  // before the gradient
  CHECK(cost(3, 8) == INT64_MAX);
}

TEST_CASE("blocks of small items tell only what keeping them takes", "[graph]") {
  RerunBlock block;
  block.in_any_memory = true;
  block.item_bytes = {2, 3, 4};
  for (int i = 0; i < 3; ++i) {
    block.tasks.push_back({.reads = i == 2 ? 2u : 0u,
                           .writes = std::uint64_t{1} << i,
                           .cost = 10 * (i + 1),
                           .is_early = true});
  }
  block.end_reads = 1 | 4;  // the second only for the third
  const auto found = [&](std::int64_t kept) { return reruns(block, kept, INT64_MAX / 4); };
  CHECK(found(6).cost == 0);
  CHECK(found(5).cost == 10);  // the third is kept, not the first
  CHECK(found(5).kept_bytes == 4);
  CHECK(found(3).cost == 40);  // the second is kept
  CHECK(found(0).cost == 60);
}
