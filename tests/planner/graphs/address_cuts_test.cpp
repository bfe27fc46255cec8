// Plans that fit in live bytes and have no addresses, and what is planned instead.
#include "planner/graphs/address_cuts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "planner/addresses/fit.hpp"
#include "planner/order.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/addresses/packings.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

constexpr std::int64_t memory_bytes = 12;

TensorId add_tensor(Graph& graph, int writer, std::int64_t bytes) {
  Tensor tensor;
  tensor.name = "i" + std::to_string(graph.tensors.size());
  tensor.bytes = bytes;
  tensor.kind = Kind::activation;
  graph.tensors.push_back(tensor);
  const auto id = static_cast<TensorId>(graph.tensors.size() - 1);
  graph.tasks[writer].writes.push_back(id);
  return id;
}

// A task for every moment of a memory that is full all the time, one after the other; each writes
// the items that begin to live there and reads those that it is the last for.
Graph full_graph(std::uint64_t seed) {
  const auto items = full_memory(seed, 9 + static_cast<int>(seed % 6), memory_bytes);
  int tasks = 0;
  for (const Item& item : items) tasks = std::max(tasks, item.end);
  std::mt19937_64 random(seed);
  Graph graph;
  graph.name = "full";
  for (int t = 0; t < tasks; ++t) {
    Task task;
    task.name = "t" + std::to_string(t);
    task.seconds["cpu"] = 1 + static_cast<double>(random() % 9);
    if (t > 0) task.reads = {graph.tasks.back().writes.front()};
    graph.tasks.push_back(task);
    add_tensor(graph, t, 0);
  }
  for (const Item& item : items) {
    const TensorId tensor = add_tensor(graph, item.begin, item.bytes);
    if (item.begin + 1 < item.end) graph.tasks[item.end - 1].reads.push_back(tensor);
  }
  return graph;
}

DeviceGraph flat_graph(const Problem& problem) { return *device_graph(problem, DeviceId{0}); }

SequenceMeter meter_of(const Problem& problem, const DeviceGraph& flat) {
  return SequenceMeter(flat, problem.seconds[0]);
}

bool has_addresses(const DeviceGraph& flat, SequenceMeter& meter, const TaskSequence& sequence) {
  meter.measure(sequence);
  std::vector<Item> items;
  for (const ItemInstance& instance : meter.instances())
    items.push_back({instance.bytes, instance.begin, instance.last + 1});
  const Fit found = fit(items, flat.capacity_bytes, {});
  REQUIRE(found.status != FitStatus::unknown);
  return found.status == FitStatus::fits;
}

// Looks at every sequence of tasks that costs less than a given one: whether one has addresses.
class Cheaper {
 public:
  Cheaper(const Problem& problem, double below)
      : flat_(flat_graph(problem)), meter_(meter_of(problem, flat_)), left_(below - 1e-6) {
    left_ -= meter_.cost_of_all();
    written_.assign(flat_.items.size(), 0);
    ran_.assign(flat_.tasks.size(), 0);
    for (std::size_t i = 0; i < flat_.items.size(); ++i)
      written_[i] = flat_.items[i].writers.empty();
  }

  bool exists() {
    if (left_ < 0) return false;
    if (!sequence_.empty() && meter_.measure(sequence_).peak_bytes > flat_.capacity_bytes)
      return false;
    const auto left_out = std::count(ran_.begin(), ran_.end(), 0);
    if (left_out == 0 && has_addresses(flat_, meter_, sequence_)) return true;
    for (std::size_t t = 0; t < flat_.tasks.size(); ++t) {
      if (may_run(static_cast<TaskId>(t)) && exists_after(static_cast<TaskId>(t))) return true;
    }
    return false;
  }

 private:
  bool may_run(TaskId task) const {
    if (ran_[task] && (flat_.tasks[task].runs_once || !was_of_use(task))) return false;
    const auto& reads = flat_.tasks[task].reads;
    return std::all_of(reads.begin(), reads.end(),
                       [&](GraphItemId read) { return written_[read] > 0; });
  }

  bool exists_after(TaskId task) {
    const double cost = ran_[task] ? meter_.cost_of(task) : 0;
    ++ran_[task];
    left_ -= cost;
    sequence_.push_back(task);
    for (const GraphOutput& output : flat_.tasks[task].writes) ++written_[output.item];
    const bool found = exists();
    for (const GraphOutput& output : flat_.tasks[task].writes) --written_[output.item];
    sequence_.pop_back();
    left_ += cost;
    --ran_[task];
    return found;
  }

  // Whether somebody read what the task wrote when it ran last.
  bool was_of_use(TaskId task) const {
    for (std::size_t step = sequence_.size(); step-- > 0 && sequence_[step] != task;) {
      const auto& reads = flat_.tasks[sequence_[step]].reads;
      for (const GraphOutput& output : flat_.tasks[task].writes)
        if (std::binary_search(reads.begin(), reads.end(), output.item)) return true;
    }
    return false;
  }

  DeviceGraph flat_;
  SequenceMeter meter_;
  double left_;
  std::vector<int> written_;  // by item: how often
  std::vector<int> ran_;
  TaskSequence sequence_;
};

struct Count {
  int fragmented = 0;  // everything once is within the memory in live bytes, but has no addresses
  int plans = 0;
  int missed = 0;  // there is a cheaper one, or one at all
};

void count_plans(std::uint64_t seed, Count& count) {
  Request request = within("n0/ram", memory_bytes);
  request.strategy = "graph";
  request.limit = 0.2;
  const Problem problem = problem_of(full_graph(seed), plain_machine(), request);
  const DeviceGraph flat = flat_graph(problem);
  SequenceMeter meter = meter_of(problem, flat);
  if (has_addresses(flat, meter, listed_order(problem))) return;
  ++count.fragmented;
  const Outcome outcome = plan(problem, {});
  double seconds = meter.cost_of_all() * 1.3;
  if (outcome.schedule) {
    ++count.plans;
    seconds = outcome.schedule->predicted.objective.value / plain_machine_watts;
    CHECK(validate(*outcome.schedule).empty());
    CHECK(seconds > meter.cost_of_all() * (1 + 1e-9));
  }
  if (Cheaper(problem, seconds).exists()) ++count.missed;
}

}  // namespace

TEST_CASE("a cut is found exactly where items do not fit, and forbids the plan", "[graph]") {
  int fitting = 0;
  int cut_off = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Problem problem = problem_of(full_graph(seed), plain_machine());
    DeviceGraph flat = flat_graph(problem);
    flat.capacity_bytes = memory_bytes;
    SequenceMeter meter = meter_of(problem, flat);
    const TaskSequence sequence = listed_order(problem);
    const auto cuts = address_cuts(flat, sequence, {});
    REQUIRE(cuts.empty() == has_addresses(flat, meter, sequence));
    ++(cuts.empty() ? fitting : cut_off);
    for (const AddressCut& cut : cuts) {
      REQUIRE(0 <= cut.begin);
      REQUIRE(cut.begin < cut.end);
      REQUIRE(cut.end <= std::ssize(sequence));
      std::vector<std::int64_t> reserved(sequence.size(), 0);
      std::fill(reserved.begin() + cut.begin, reserved.begin() + cut.end, cut.reserved_bytes);
      meter.reserve(reserved);
      CHECK(meter.measure(sequence).peak_bytes > flat.capacity_bytes);
      meter.reserve({});
    }
  }
  CHECK(fitting > 0);
  CHECK(cut_off > 0);
}

TEST_CASE("most plans that nobody can address have another in their place, often the best",
          "[graph]") {
  Count count;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    count_plans(seed, count);
  }
  CAPTURE(count.fragmented, count.plans, count.missed);
  CHECK(count.plans > count.fragmented * 2 / 3);
  CHECK(count.missed <= count.fragmented / 2);
}

TEST_CASE("the same for hundreds of full memories", "[.many]") {
  Count count;
  for (std::uint64_t seed = 100; seed < 700; ++seed) count_plans(seed, count);
  WARN(count.fragmented << " fragmented, " << count.plans << " planned, " << count.missed
                        << " dearer than the best with addresses, or missed");
}
