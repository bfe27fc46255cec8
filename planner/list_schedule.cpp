#include "planner/list_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "planner/homes.hpp"
#include "planner/infinity.hpp"
#include "planner/routes.hpp"
#include "schedules/cost.hpp"

namespace stint {

namespace {

// A memory that holds a piece, and since when.
struct Holding {
  MemoryId memory = no_memory;
  double since_seconds = 0;
};

// Where a piece comes from, and when it would arrive.
struct Delivery {
  MemoryId from = no_memory;
  double arrival_seconds = infinity;
};

std::int64_t mean_bytes(const Graph& graph) {
  double sum = 0;
  for (const Tensor& tensor : graph.tensors) sum += static_cast<double>(tensor.bytes);
  return static_cast<std::int64_t>(
      sum / static_cast<double>(std::max<std::size_t>(1, graph.tensors.size())));
}

class ListScheduler {
 public:
  ListScheduler(const Problem& problem, const Pieces& pieces, const Crew& crew)
      : problem_(problem),
        pieces_(pieces),
        crew_(crew),
        homes_(problem, pieces, crew.workers),
        routes_(problem.platform(), mean_bytes(problem.graph())),
        holdings_(pieces.tensor.size()),
        worker_free_(problem.workers.size(), 0),
        free_workers_(problem.platform().devices.size()),
        finished_(problem.graph().tasks.size(), 0) {
    steps_.state = crew.state;
    for (std::size_t d = 0; d < free_workers_.size(); ++d) {
      for (int w = 0; w < crew.workers[d]; ++w)
        free_workers_[d].emplace(0.0, problem.first_worker[d] + w);
    }
  }

  std::optional<Steps> run(const TaskOrder& order) {
    for (const TaskId task : order) {
      const auto device = best_device(task);
      if (!device) return std::nullopt;
      commit(task, *device);
    }
    for (const TensorId result : problem_.graph().results) {
      if (!keep_result(result)) return std::nullopt;
    }
    note_homes();
    return std::move(steps_);
  }

 private:
  const Platform& platform() const { return problem_.platform(); }
  const Task& task_of(TaskId task) const { return problem_.graph().tasks[task]; }

  double seconds_on(TaskId task, int device) const {
    const PowerState& state = platform().devices[device].states[crew_.state[device]];
    return problem_.seconds[device][task] / state.speed;
  }

  bool may_update(const Task& task, MemoryId memory) const {
    for (const TensorId tensor : task.updates) {
      for (const PieceId piece : pieces_.of_tensor[tensor]) {
        if (!homes_.may_be(piece, memory)) return false;
      }
    }
    return true;
  }

  // When everything that the task waits for would be there, copies included.
  double ready_seconds(TaskId task, MemoryId memory) {
    double ready = 0;
    for (const TaskId other : problem_.before[task]) ready = std::max(ready, finished_[other]);
    for (const TensorId tensor : task_of(task).reads) {
      for (const PieceId piece : pieces_.of_tensor[tensor])
        ready = std::max(ready, delivery(piece, memory).arrival_seconds);
    }
    return ready;
  }

  std::optional<int> best_device(TaskId task) {
    std::optional<int> best;
    double best_finish = infinity;
    for (std::size_t d = 0; d < free_workers_.size(); ++d) {
      const int device = static_cast<int>(d);
      const MemoryId memory = platform().devices[d].memory;
      if (free_workers_[d].empty() || !std::isfinite(problem_.seconds[d][task])) continue;
      if (!may_update(task_of(task), memory)) continue;
      const double start = std::max(free_workers_[d].begin()->first, ready_seconds(task, memory));
      const double finish = start + seconds_on(task, device);
      if (finish >= best_finish) continue;
      best = device;
      best_finish = finish;
    }
    return best;
  }

  // Of the workers that are free when the task can begin, the one that rests the shortest: it most
  // likely made what the task reads, and what it has in its caches is of use.
  WorkerId worker_for(TaskId task, int device) {
    const auto& free = free_workers_[device];
    const double ready = ready_seconds(task, platform().devices[device].memory);
    const auto later = free.upper_bound({ready, std::numeric_limits<int>::max()});
    return static_cast<WorkerId>(later == free.begin() ? later->second : std::prev(later)->second);
  }

  void commit(TaskId task, int device) {
    const MemoryId memory = platform().devices[device].memory;
    const WorkerId worker = worker_for(task, device);
    for (const TensorId tensor : task_of(task).updates) bring(tensor, memory, worker);
    for (const TensorId tensor : task_of(task).reads) bring(tensor, memory, worker);
    const double start = std::max(worker_free_[worker], ready_seconds(task, memory));
    finished_[task] = start + seconds_on(task, device);
    set_free(worker, finished_[task]);
    steps_.steps.push_back({worker, task});
    for (const TensorId tensor : task_of(task).writes) hold_only_in(tensor, memory, task);
    for (const TensorId tensor : task_of(task).updates) hold_only_in(tensor, memory, task);
  }

  // What was just written, or rewritten, is nowhere else.
  void hold_only_in(TensorId tensor, MemoryId memory, TaskId task) {
    for (const PieceId piece : pieces_.of_tensor[tensor])
      holdings_[piece] = {{memory, finished_[task]}};
  }

  void set_free(WorkerId worker, double seconds) {
    const int device = problem_.workers[worker].device;
    if (device >= 0 && free_workers_[device].erase({worker_free_[worker], worker}) > 0)
      free_workers_[device].emplace(seconds, worker);
    worker_free_[worker] = seconds;
  }

  // The memory from which a piece arrives first. What has no home yet is at home where it is
  // needed, if it may.
  Delivery delivery(PieceId piece, MemoryId memory) {
    if (holdings_[piece].empty()) {
      const MemoryId home = homes_.near(piece, memory);
      return {home, arrival(piece, {home, 0}, memory)};
    }
    Delivery best;
    for (const Holding& holding : holdings_[piece]) {
      const double seconds = arrival(piece, holding, memory);
      if (seconds < best.arrival_seconds) best = {holding.memory, seconds};
    }
    return best;
  }

  double arrival(PieceId piece, const Holding& holding, MemoryId memory) {
    if (holding.memory == memory) return holding.since_seconds;
    if (holding.memory == no_memory) return infinity;
    const auto& route = routes_.route(holding.memory, memory);
    if (route.empty()) return infinity;
    double seconds = holding.since_seconds;
    for (const LinkId link : route)
      seconds = std::max(seconds, link_free(link)) + piece_seconds(link, piece);
    return seconds;
  }

  double piece_seconds(LinkId link, PieceId piece) const {
    return copy_seconds(platform().links[link],
                        problem_.graph().tensors[pieces_.tensor[piece]].bytes);
  }
  double link_free(LinkId link) const {
    const double own = worker_free_[problem_.link_worker[link]];
    const auto channel = channel_free_.find(platform().links[link].channel);
    return channel == channel_free_.end() ? own : std::max(own, channel->second);
  }

  void bring(TensorId tensor, MemoryId memory, WorkerId worker) {
    for (const PieceId piece : pieces_.of_tensor[tensor]) {
      const Delivery from = delivery(piece, memory);
      if (holdings_[piece].empty()) settle(piece, from.from);
      if (from.from == memory) continue;
      for (const LinkId link : routes_.route(from.from, memory)) copy(piece, link, worker);
    }
  }

  void settle(PieceId piece, MemoryId home) {
    homes_.settle(piece, home);
    holdings_[piece] = {{home, 0}};
  }

  const Holding* holding_in(PieceId piece, MemoryId memory) const {
    for (const Holding& holding : holdings_[piece]) {
      if (holding.memory == memory) return &holding;
    }
    return nullptr;
  }

  void copy(PieceId piece, LinkId link, WorkerId for_worker) {
    const Link& way = platform().links[link];
    if (holding_in(piece, way.to) != nullptr) return;
    double start = std::max(holding_in(piece, way.from)->since_seconds, link_free(link));
    const WorkerId occupies = way.blocking ? occupied_by(way, for_worker) : no_worker;
    if (occupies != no_worker) start = std::max(start, worker_free_[occupies]);
    const double end = start + piece_seconds(link, piece);
    worker_free_[problem_.link_worker[link]] = end;
    if (!way.channel.empty()) channel_free_[way.channel] = end;
    if (occupies != no_worker) set_free(occupies, end);
    holdings_[piece].push_back({way.to, end});
    steps_.steps.push_back({problem_.link_worker[link], no_task, piece, occupies});
  }

  // A blocking copy holds up the worker that needs the data if it works at one end of the link,
  // else the first worker that does.
  WorkerId occupied_by(const Link& link, WorkerId needs_it) const {
    const auto at_an_end = [&](const Device& device) {
      return device.memory == link.from || device.memory == link.to;
    };
    const auto& devices = platform().devices;
    if (needs_it != no_worker && at_an_end(problem_.device_of(needs_it))) return needs_it;
    const auto device = std::find_if(devices.begin(), devices.end(), at_an_end);
    if (device != devices.end()) return problem_.first_worker[device - devices.begin()];
    return needs_it != no_worker ? needs_it : problem_.first_worker.front();
  }

  bool held_in(TensorId tensor, MemoryId memory) const {
    const auto& all = pieces_.of_tensor[tensor];
    return std::all_of(all.begin(), all.end(),
                       [&](PieceId piece) { return holding_in(piece, memory) != nullptr; });
  }

  // A result is kept where it is whole, or made whole where its first piece came to be.
  bool keep_result(TensorId result) {
    const PieceId first = pieces_.of_tensor[result].front();
    if (holdings_[first].empty()) settle(first, homes_.near(first, homes_.first_memory()));
    MemoryId memory = holdings_[first].front().memory;
    for (const Holding& holding : holdings_[first]) {
      if (held_in(result, holding.memory)) {
        memory = holding.memory;
        break;
      }
    }
    for (const PieceId piece : pieces_.of_tensor[result]) {
      if (!std::isfinite(delivery(piece, memory).arrival_seconds)) return false;
    }
    bring(result, memory, no_worker);
    steps_.result_memory.push_back(memory);
    return true;
  }

  void note_homes() {
    for (std::size_t p = 0; p < pieces_.tensor.size(); ++p)
      steps_.home.push_back(homes_.of(static_cast<PieceId>(p)));
  }

  const Problem& problem_;
  const Pieces& pieces_;
  const Crew& crew_;
  Homes homes_;
  Routes routes_;
  std::vector<std::vector<Holding>> holdings_;                  // by piece
  std::vector<double> worker_free_;                             // by worker, links included
  std::vector<std::set<std::pair<double, int>>> free_workers_;  // by device: (free at, worker)
  std::map<std::string, double> channel_free_;
  std::vector<double> finished_;  // by task
  Steps steps_;
};

}  // namespace

std::optional<Steps> list_schedule(const Problem& problem, const Pieces& pieces,
                                   const TaskOrder& order, const Crew& crew) {
  return ListScheduler(problem, pieces, crew).run(order);
}

}  // namespace stint
