#include "planner/memory_bound.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <queue>
#include <set>

#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

constexpr MemoryId ram{0};

std::int64_t bound_of(const Problem& problem) { return memory_bound(problem, ram).bytes; }

// The smallest peak of any order on one worker, recomputing as often as wanted: a search over what
// is resident and what has been run. Inputs are loaded when wanted, once. Without parts and state;
// outputs may overwrite inputs and optional ones be left out.
class Pebbles {
 public:
  explicit Pebbles(const Problem& problem)
      : graph_(problem.graph()), memory_(problem.platform().memories[0]) {}

  std::int64_t smallest_peak() {
    reach({}, 0);
    while (!open_.empty()) {
      const auto [peak, position] = *open_.begin();
      open_.erase(open_.begin());
      if (is_end(position)) return peak;
      for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
        Position next = position;
        next.resident ^= bit(t);
        if (position.resident & bit(t)) {
          reach(next, peak);  // dropped
        } else if (graph_.tensors[t].kind == Kind::input && !(position.loaded & bit(t))) {
          next.loaded |= bit(t);
          reach(next, std::max(peak, bytes(next.resident)));
        }
      }
      for (std::size_t t = 0; t < graph_.tasks.size(); ++t) run(t, position, peak);
    }
    return -1;
  }

 private:
  struct Position {
    unsigned resident = 0;
    unsigned done = 0;
    unsigned loaded = 0;
    auto operator<=>(const Position&) const = default;
  };
  static unsigned bit(std::size_t i) { return 1U << i; }

  std::int64_t bytes(unsigned resident) const {
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (resident & bit(t)) sum += aligned(graph_.tensors[t].bytes, memory_);
    }
    return sum;
  }

  bool is_end(const Position& position) const {
    if (position.done != bit(graph_.tasks.size()) - 1) return false;
    return std::all_of(graph_.results.begin(), graph_.results.end(),
                       [&](TensorId t) { return (position.resident & bit(t)) != 0; });
  }

  void reach(const Position& position, std::int64_t peak) {
    const auto [known, is_new] = best_.emplace(position, peak);
    if (!is_new && known->second <= peak) return;
    open_.erase({known->second, position});
    known->second = peak;
    open_.insert({peak, position});
  }

  void run(std::size_t t, const Position& position, std::int64_t peak) {
    const Task& task = graph_.tasks[t];
    for (const TensorId read : task.reads) {
      if (!(position.resident & bit(read))) return;
    }
    // Every choice of optional outputs to leave out and of inputs to overwrite.
    const auto optional = static_cast<unsigned>(task.optional.size());
    const auto over = static_cast<unsigned>(task.may_overwrite.size());
    for (unsigned choice = 0; choice < bit(optional + over); ++choice)
      run(task, choice, optional,
          Position{position.resident, position.done | bit(t), position.loaded}, peak);
  }

  void run(const Task& task, unsigned choice, unsigned optional, Position next, std::int64_t peak) {
    unsigned writes = 0;
    for (const TensorId tensor : task.writes) writes |= bit(tensor);
    for (unsigned o = 0; o < optional; ++o) {
      if (choice & bit(o)) writes &= ~bit(task.optional[o]);
    }
    unsigned gone = 0;
    std::int64_t saved = 0;
    for (std::size_t o = 0; o < task.may_overwrite.size(); ++o) {
      const auto [y, x] = task.may_overwrite[o];
      if (!(choice & bit(optional + o)) || !(writes & bit(y))) continue;
      if (graph_.tensors[y].bytes > graph_.tensors[x].bytes) continue;
      gone |= bit(x);
      saved += aligned(graph_.tensors[y].bytes, memory_);
    }
    const std::int64_t during =
        bytes(next.resident | writes) - saved + aligned(task.workspace_bytes, memory_);
    next.resident = (next.resident | writes) & ~gone;
    reach(next, std::max(peak, during));
  }

  const Graph& graph_;
  const Memory& memory_;
  std::map<Position, std::int64_t> best_;
  std::set<std::pair<std::int64_t, Position>> open_;
};

}  // namespace

TEST_CASE("the course's chain needs 3 bytes: its input is read at both ends", "[memory_bound]") {
  const Problem problem = problem_of(chain_graph(5), plain_machine());
  const MemoryBound bound = memory_bound(problem, ram);
  CHECK(bound.bytes == 3);
  std::vector<std::string> names;
  for (const TensorId tensor : bound.tensors) names.push_back(problem.graph().tensors[tensor].name);
  CHECK(names == std::vector<std::string>{"x0", "x1", "x2"});
}

TEST_CASE("of an input that will be needed something is there, if only what was made of it",
          "[memory_bound]") {
  // The copy of x is read at both ends, big and its gradient g meet before H.
  const Problem problem = problem_of(R"({"format": "stint-tasks", "version": 1, "name": "ends",
 "tensors": [{"name": "x", "bytes": 4, "kind": "input"}, {"name": "copy", "bytes": 4}, {"name": "big", "bytes": 10},
             {"name": "small", "bytes": 1}, {"name": "g", "bytes": 10}, {"name": "h", "bytes": 1}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "X", "reads": ["x"], "writes": ["copy"], "seconds": {"cpu": 1}},
           {"name": "B", "reads": ["copy"], "writes": ["big"], "seconds": {"cpu": 1}},
           {"name": "S", "reads": ["big"], "writes": ["small"], "seconds": {"cpu": 1}},
           {"name": "G", "reads": ["small"], "writes": ["g"], "seconds": {"cpu": 1}},
           {"name": "H", "reads": ["big", "g"], "writes": ["h"], "may_overwrite": {"h": "g"}, "seconds": {"cpu": 1}},
           {"name": "D", "reads": ["copy", "h"], "writes": ["d"], "seconds": {"cpu": 1}}],
 "results": ["d"]})",
                                     plain_machine());
  CHECK(bound_of(problem) == 24);
  CHECK(Pebbles(problem).smallest_peak() == 24);
}

TEST_CASE("where things can be moved away, only the task itself counts", "[memory_bound]") {
  CHECK(bound_of(problem_of(chain_graph(5), course_machine())) == 2);
}

TEST_CASE("sizes are rounded up to the alignment", "[memory_bound]") {
  CHECK(bound_of(problem_of(chain_graph(5), plain_machine(1, 64))) == 3 * 64);
}

TEST_CASE("no order and no recomputation needs less than the bound", "[memory_bound]") {
  const int seed = GENERATE(range(0, 300));
  CAPTURE(seed);
  RandomGraphOptions options;
  options.tasks = 2 + seed % 4;
  options.with_state = options.with_parts = false;
  const Graph graph = random_graph(seed, options);
  if (graph.tensors.size() > 14) return;
  const Problem problem = problem_of(graph, plain_machine(1, seed % 3 == 0 ? 8 : 1));
  const std::int64_t smallest = Pebbles(problem).smallest_peak();
  REQUIRE(smallest >= 0);
  CHECK(bound_of(problem) <= smallest);
}

TEST_CASE("the chain's bound is what a search over all schedules finds", "[memory_bound]") {
  const int steps = GENERATE(1, 2, 3);
  const Problem problem = problem_of(chain_graph(steps), plain_machine());
  CHECK(Pebbles(problem).smallest_peak() == bound_of(problem));
}

TEST_CASE("state is there throughout, an overwritten input only once", "[memory_bound]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "state",
 "tensors": [{"name": "w", "bytes": 100, "kind": "state"}, {"name": "x", "bytes": 10, "kind": "input"},
  {"name": "y", "bytes": 10}, {"name": "z", "bytes": 4}],
 "tasks": [{"name": "U", "updates": ["w"], "seconds": {"cpu": 1}},
  {"name": "Y", "reads": ["x"], "writes": ["y"], "may_overwrite": {"y": "x"}, "workspace_bytes": 3, "seconds": {"cpu": 1}},
  {"name": "Z", "reads": ["y"], "writes": ["z"], "seconds": {"cpu": 1}}], "results": ["z"]})";
  CHECK(bound_of(problem_of(graph, plain_machine())) == 100 + 10 + 4);
}

TEST_CASE("what a task reads is there while the last of it is written", "[memory_bound]") {
  // D needs a and c. In place, c takes no more than b did; else either a is kept while c is made of
  // b, or a is made of x beside c.
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "beside",
 "tensors": [{"name": "x", "bytes": 5}, {"name": "a", "bytes": 10}, {"name": "b", "bytes": 10}, {"name": "c", "bytes": 10}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "X", "writes": ["x"], "seconds": {"cpu": 1}},
  {"name": "A", "reads": ["x"], "writes": ["a"], "seconds": {"cpu": 1}},
  {"name": "B", "reads": ["a"], "writes": ["b"], "may_overwrite": {"b": "a"}, "seconds": {"cpu": 1}},
  {"name": "C", "reads": ["b"], "writes": ["c"], "may_overwrite": {"c": "b"}, "seconds": {"cpu": 1}},
  {"name": "D", "reads": ["a", "c"], "writes": ["d"], "seconds": {"cpu": 1}}], "results": ["d"]})";
  const Problem problem = problem_of(graph, plain_machine());
  CHECK(bound_of(problem) == 21);
  CHECK(Pebbles(problem).smallest_peak() == 21);
  std::string plain(graph);
  for (const std::string over :
       {R"("may_overwrite": {"b": "a"}, )", R"("may_overwrite": {"c": "b"}, )"})
    plain.erase(plain.find(over), over.size());
  const Problem other = problem_of(plain, plain_machine());
  CHECK(bound_of(other) == 25);
  CHECK(Pebbles(other).smallest_peak() == 25);
  CHECK(reason_above(other, ram, 24).size() == 0);  // one of two moments, nobody knows which
}

TEST_CASE("no training in any order needs less than the bound", "[memory_bound]") {
  int closed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 3;
    options.with_workspace = seed % 2 == 1;
    const Graph graph = random_training(seed, options);
    if (graph.tensors.size() > 14) continue;
    const Problem problem = problem_of(graph, plain_machine());
    const std::int64_t smallest = Pebbles(problem).smallest_peak();
    const std::int64_t bound = bound_of(problem);
    REQUIRE(smallest >= 0);
    CHECK(bound <= smallest);
    CHECK(reason_above(problem, ram, bound).size() == 0);
    closed += bound == smallest ? 1 : 0;
  }
  CHECK(closed >= 20);
}

TEST_CASE("results stand side by side when the step ends", "[memory_bound]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "results",
 "tensors": [{"name": "a", "bytes": 5}, {"name": "b", "bytes": 6}, {"name": "c", "bytes": 7}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}}, {"name": "B", "writes": ["b"], "seconds": {"cpu": 1}},
  {"name": "C", "writes": ["c"], "seconds": {"cpu": 1}}], "results": ["a", "b", "c"]})";
  CHECK(bound_of(problem_of(graph, plain_machine())) == 18);
}

TEST_CASE("a task that runs elsewhere too says nothing about a memory", "[memory_bound]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "any",
 "tensors": [{"name": "a", "bytes": 5}, {"name": "b", "bytes": 6}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1, "gpu": 1}}, {"name": "B", "writes": ["b"], "seconds": {"gpu": 1}}],
 "results": []})";
  const Problem problem = problem_of(graph, two_gpus());
  for (int m = 0; m < 3; ++m) CHECK(memory_bound(problem, static_cast<MemoryId>(m)).bytes == 0);
  CHECK(least_memory(problem) == 6);
}

TEST_CASE("a task that fits into no other memory says how large one must be", "[bounds]") {
  Graph graph = chain_graph(5);
  for (Task& task : graph.tasks) task.seconds["gpu"] = 1;
  Request request;
  const auto bound = [&](int memory) {
    return memory_bound(problem_of(graph, two_gpus(), request), static_cast<MemoryId>(memory))
        .bytes;
  };
  CHECK(bound(0) == 0);  // all of it may run elsewhere
  request.memory = {{"n0/hbm0", 1}, {"n0/hbm1", 1}};
  CHECK(bound(0) == 2);  // what a task of the chain touches
  CHECK(bound(1) == 0);
  request.memory["n0/ram"] = 1;
  CHECK(bound(0) == 2);
  CHECK(bound(1) == 2);
  CHECK(bound(2) == 2);
}
