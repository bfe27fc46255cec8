#include "planner/crowding.hpp"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <functional>
#include <numeric>
#include <optional>

#include "planner/infinity.hpp"
#include "planner/solver/cp_sat.hpp"
#include "schedules/cost.hpp"

namespace stint {

namespace {

constexpr std::size_t most_tasks = 200;
constexpr std::int64_t most_uses = 2000;  // of segments by tasks
constexpr double work_share = 0.1;        // of the limit, for one bound
constexpr double units_of_all_tasks = 1e7;

// By task, all that comes before it.
using Ancestors = std::vector<boost::dynamic_bitset<>>;

Ancestors ancestors(const Problem& problem) {
  const std::size_t count = problem.graph().tasks.size();
  Ancestors all(count, boost::dynamic_bitset<>(count));
  for (std::size_t t = 0; t < count; ++t) {
    for (const TaskId earlier : problem.needs[t]) {
      all[t] |= all[earlier];
      all[t].set(earlier);
    }
  }
  return all;
}

// Tasks in chains of which each comes after the one before; no more of them run at once than there
// are chains.
std::int64_t chains_of(const std::vector<TaskId>& tasks, const Ancestors& before) {
  std::vector<TaskId> ends;
  for (const TaskId task : tasks) {
    const auto chain =
        std::find_if(ends.begin(), ends.end(), [&](TaskId end) { return before[task][end]; });
    if (chain == ends.end())
      ends.push_back(task);
    else
      *chain = task;
  }
  return std::max<std::int64_t>(1, std::ssize(ends));
}

bool is_among(TensorId tensor, const std::vector<TensorId>& tensors) {
  return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
}

// Whether the output may lie in the place of an input.
bool may_overwrite(const Task& task, TensorId output) {
  return std::any_of(task.may_overwrite.begin(), task.may_overwrite.end(),
                     [&](const auto& over) { return over.first == output; });
}

// A piece of memory that is written or read by itself.
struct Piece {
  std::int64_t bytes = 0;
  Kind kind = Kind::activation;
  std::optional<TaskId> writer;   // of an activation
  bool is_over_an_input = false;  // perhaps: then it takes no bytes before its writer ends
  bool is_uncertain = false;      // perhaps not written at all, or by several
  std::vector<TaskId> users;      // who read or update it, in the order of the graph
};

std::vector<Piece> pieces_of_memory(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<Piece> pieces(problem.segments.count());
  const auto for_segments = [&](TensorId tensor, const auto& change) {
    const SegmentRange range = problem.segments.of_tensor[tensor];
    for (int s = range.begin; s < range.end; ++s) change(pieces[s]);
  };
  for (std::size_t s = 0; s < pieces.size(); ++s)
    pieces[s].bytes = problem.segments.end_bytes[s] - problem.segments.begin_bytes[s];
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    for_segments(static_cast<TensorId>(t), [&](Piece& piece) {
      if (graph.tensors[t].kind != Kind::activation) piece.kind = graph.tensors[t].kind;
    });
  }
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    const auto id = static_cast<TaskId>(t);
    const auto use = [&](Piece& piece) {
      if (piece.users.empty() || piece.users.back() != id) piece.users.push_back(id);
    };
    for (const TensorId tensor : task.reads) for_segments(tensor, use);
    for (const TensorId tensor : task.updates) for_segments(tensor, use);
    for (const TensorId tensor : task.writes) {
      const bool is_optional = is_among(tensor, task.optional);
      const bool is_over = may_overwrite(task, tensor);
      for_segments(tensor, [&](Piece& piece) {
        piece.is_uncertain = piece.is_uncertain || is_optional || piece.writer.has_value();
        piece.is_over_an_input = piece.is_over_an_input || is_over;
        piece.writer = id;
      });
    }
  }
  return pieces;
}

bool all_compute_in(MemoryId memory, const Platform& platform) {
  return std::all_of(platform.devices.begin(), platform.devices.end(),
                     [&](const Device& device) { return device.memory == memory; });
}

double least_task_joules(const Problem& problem, TaskId task) {
  double least = infinity;
  for (std::size_t d = 0; d < problem.platform().devices.size(); ++d) {
    const Device& device = problem.platform().devices[d];
    for (int s = 0; s < choosable_states(device); ++s) {
      const PowerState& state = device.states[s];
      const double seconds = problem.seconds[d][task] / state.speed;
      least = std::min(least, busy_watts(problem.graph().tasks[task], state) * seconds);
    }
  }
  return least;
}

// From elsewhere into the memory; infinite if nothing leads there.
double least_copy_joules(const Platform& platform, MemoryId memory, std::int64_t bytes) {
  double least = infinity;
  for (const Link& link : platform.links) {
    if (link.to == memory) least = std::min(least, copy_joules(link, bytes));
  }
  return least;
}

// The project as a model of the solver.
class Project {
 public:
  // A joule counts as so many seconds.
  Project(const Problem& problem, MemoryId memory, const std::vector<double>& task_seconds,
          double seconds_per_joule)
      : problem_(problem), memory_(memory) {
    const double all_seconds = std::accumulate(task_seconds.begin(), task_seconds.end(), 0.0);
    unit_seconds_ = all_seconds / units_of_all_tasks;
    units_per_joule_ = seconds_per_joule / unit_seconds_;
    end_ = model_.add_variable(0, horizon);
    cost_ = LinearSum(end_);
    for (std::size_t t = 0; t < task_seconds.size(); ++t)
      add_task(static_cast<TaskId>(t), static_cast<std::int64_t>(task_seconds[t] / unit_seconds_));
    computed_again_.resize(task_seconds.size());
    const Ancestors before = ancestors(problem);
    for (const Piece& piece : pieces_of_memory(problem)) {
      if (!piece.is_uncertain && piece.bytes > 0) add_use(piece, before);
    }
  }

  // First of tasks with what they use, which is soon solved; then of all that lies in memory.
  double least_seconds(double work) {
    const std::int64_t workers = all_workers(problem_.platform());
    const std::int64_t capacity = problem_.capacity_bytes[memory_];
    model_.add_cumulative(runs_, std::vector<LinearSum>(runs_.size(), LinearSum(1)), workers);
    model_.add_cumulative(runs_, std::vector<LinearSum>(used_bytes_.begin(), used_bytes_.end()),
                          capacity);
    CpModel of_tasks = model_;
    of_tasks.minimise(LinearSum(end_));
    const std::int64_t first = bound_of(of_tasks, work);
    model_.add_linear(LinearSum(end_), first, horizon);
    for (const Use& use : uses_) add_piece(use);
    model_.add_cumulative(held_, held_bytes_, capacity);
    model_.minimise(cost_);
    const std::int64_t second = bound_of(model_, work);
    return static_cast<double>(std::max(first, second)) * unit_seconds_ * (1 - 1e-9);
  }

 private:
  static constexpr auto horizon = static_cast<std::int64_t>(units_of_all_tasks);

  // A piece and the tasks while which it is there, each charged a share of its bytes.
  struct Use {
    Piece piece;
    std::vector<TaskId> holders;
    std::int64_t share_bytes = 0;
  };

  static std::int64_t bound_of(const CpModel& model, double work) {
    const CpAnswer answer = solve(model, {.work = work});
    return answer.status == CpStatus::infeasible ? 0 : std::max<std::int64_t>(0, answer.bound);
  }

  LinearSum end_of(TaskId task) const {
    LinearSum sum(starts_[task]);
    sum.constant = lengths_[task];
    return sum;
  }

  // The first sum is not less than the second.
  void add_order(const LinearSum& late, const LinearSum& early,
                 std::span<const VariableId> if_all = {}) {
    LinearSum apart = late;
    for (const auto& [variable, coefficient] : early.terms) apart.add(variable, -coefficient);
    apart.constant -= early.constant;
    model_.add_linear(apart, 0, 2 * horizon, if_all);
  }

  void hold(IntervalId interval, std::int64_t bytes) {
    held_.push_back(interval);
    held_bytes_.emplace_back(bytes);
  }

  void add_task(TaskId task, std::int64_t length) {
    starts_.push_back(model_.add_variable(0, horizon));
    lengths_.push_back(length);
    runs_.push_back(model_.add_interval(starts_[task], length, end_of(task)));
    add_order(end_, end_of(task));
    for (const TaskId earlier : problem_.needs[task]) add_order(starts_[task], end_of(earlier));
    const std::int64_t workspace = problem_.graph().tasks[task].workspace_bytes;
    used_bytes_.push_back(std::min(workspace, huge_bytes));
    if (workspace > 0) hold(runs_[task], used_bytes_.back());
  }

  VariableId add_price(double joules) {
    const VariableId is_paid = model_.add_boolean();
    const double most_units = static_cast<double>(4 * horizon);
    const double units = std::min(joules * units_per_joule_, most_units);
    cost_.add(is_paid, static_cast<std::int64_t>(units));
    return is_paid;
  }

  VariableId computed_again(TaskId task) {
    auto& known = computed_again_[task];
    if (!known) known = add_price(least_task_joules(problem_, task));
    return *known;
  }

  void add_use(const Piece& piece, const Ancestors& before) {
    std::vector<TaskId> holders = piece.users;
    if (piece.writer && !piece.is_over_an_input) holders.push_back(*piece.writer);
    std::sort(holders.begin(), holders.end());
    holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
    if (holders.empty()) return;
    const std::int64_t share = piece.bytes / chains_of(holders, before);
    for (const TaskId task : holders) used_bytes_[task] = capped_sum(used_bytes_[task], share);
    uses_.push_back({piece, std::move(holders), share});
  }

  // Held from its writer to its last user, or throughout if it is state; or brought back, and held
  // while it is used.
  void add_piece(const Use& use) {
    if (use.holders.size() == 1 && use.piece.kind != Kind::state)
      return hold(runs_[use.holders.front()], use.share_bytes);
    const VariableId is_kept = model_.add_boolean();
    add_ways_back(use.piece, is_kept);
    hold(kept_interval(use, is_kept), use.piece.bytes);
    const std::array if_back{no(is_kept)};
    for (const TaskId task : use.holders) {
      hold(model_.add_interval(starts_[task], lengths_[task], end_of(task), if_back),
           use.share_bytes);
    }
  }

  void add_ways_back(const Piece& piece, VariableId is_kept) {
    std::vector<VariableId> ways = {is_kept};
    if (piece.writer && piece.kind == Kind::activation)
      ways.push_back(computed_again(*piece.writer));
    const double joules = least_copy_joules(problem_.platform(), memory_, piece.bytes);
    if (joules < infinity) ways.push_back(add_price(joules));
    model_.add_clause(ways);
  }

  IntervalId kept_interval(const Use& use, VariableId is_kept) {
    const Piece& piece = use.piece;
    const std::array if_kept{is_kept};
    const VariableId length = model_.add_variable(0, horizon);
    if (piece.kind == Kind::state) {
      add_order(length, end_, if_kept);
      return model_.add_interval(0, length, length, if_kept);
    }
    LinearSum begin = model_.add_variable(0, horizon);
    if (piece.writer)
      begin = piece.is_over_an_input ? end_of(*piece.writer) : starts_[*piece.writer];
    const VariableId end = model_.add_variable(0, horizon);
    for (const TaskId task : use.holders) {
      if (!piece.writer) add_order(starts_[task], begin, if_kept);
      add_order(end, end_of(task), if_kept);
    }
    return model_.add_interval(begin, length, end, if_kept);
  }

  const Problem& problem_;
  MemoryId memory_;
  double unit_seconds_ = 0;
  double units_per_joule_ = 0;
  CpModel model_;
  VariableId end_{0};
  LinearSum cost_;
  std::vector<VariableId> starts_;
  std::vector<std::int64_t> lengths_;
  std::vector<IntervalId> runs_;
  std::vector<std::int64_t> used_bytes_;  // by task, at least, while it runs
  std::vector<Use> uses_;
  std::vector<IntervalId> held_;
  std::vector<LinearSum> held_bytes_;
  std::vector<std::optional<VariableId>> computed_again_;
};

}  // namespace

Crowding::Crowding(const Problem& problem) : problem_(problem) {
  const Platform& platform = problem.platform();
  memory_ = platform.devices.front().memory;
  const std::size_t count = problem.graph().tasks.size();
  std::int64_t all_bytes = 0;
  std::int64_t uses = 0;
  for (const Piece& piece : pieces_of_memory(problem)) {
    all_bytes = capped_sum(all_bytes, piece.bytes);
    uses += std::ssize(piece.users);
  }
  for (const Task& task : problem.graph().tasks)
    all_bytes = capped_sum(all_bytes, std::min(task.workspace_bytes, huge_bytes));
  matters_ = has_cp_sat() && all_workers(platform) > 1 && count > 1 && count <= most_tasks &&
             uses <= most_uses && all_compute_in(memory_, platform) &&
             all_bytes > problem.capacity_bytes[memory_];
}

double Crowding::least_seconds(const std::vector<double>& task_seconds, double watts) const {
  const double all_seconds = std::accumulate(task_seconds.begin(), task_seconds.end(), 0.0);
  if (!matters_ || !(all_seconds > 0) || all_seconds > 1e300) return 0;
  Project project(problem_, memory_, task_seconds, watts > 0 ? 1 / watts : 0);
  return project.least_seconds(problem_.request().limit * work_share);
}

}  // namespace stint
