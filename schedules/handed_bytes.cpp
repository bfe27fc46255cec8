#include "schedules/handed_bytes.hpp"

#include <algorithm>
#include <limits>

#include "models/segments.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

// Who has a segment, and how many bytes it had touched by then.
struct Holder {
  WorkerId worker = no_worker;
  double touched_bytes = 0;
};

// What the largest cache of a worker's own has room for; without any, everything.
double own_cache_bytes(const Device& device) {
  double largest = 0;
  for (const Cache& cache : device.caches) {
    if (cache.shared_by <= 1) largest = std::max(largest, static_cast<double>(cache.bytes));
  }
  return largest > 0 ? largest : std::numeric_limits<double>::infinity();
}

class Following {
 public:
  Following(const Schedule& schedule, const std::vector<Worker>& workers, const Order& order)
      : schedule_(schedule),
        workers_(workers),
        order_(order),
        segments_(segments(schedule.graph)),
        holders_(segments_.count()),
        touched_bytes_(workers.size(), 0) {
    for (const Device& device : schedule.platform.devices) {
      read_prices_.push_back(hand_over_price(device, read_term));
      write_prices_.push_back(hand_over_price(device, write_term));
      cache_bytes_.push_back(own_cache_bytes(device));
    }
    for (std::size_t w = 0; w < workers.size() && first_ == no_worker; ++w) {
      if (!order.lanes.lists[w].empty()) first_ = static_cast<WorkerId>(w);
    }
  }

  // Once to learn what everybody holds when a step ends, and once more.
  std::vector<double> seconds() {
    std::vector<double> seconds;
    for (int step = 0; step < 2; ++step) {
      seconds.assign(schedule_.actions.size(), 0);
      bring_inputs();
      for (const ActionId id : *order_.topological) seconds[id] = follow(schedule_.actions[id]);
    }
    return seconds;
  }

 private:
  template <typename Visit>
  void for_each_segment(TensorId tensor, Visit visit) const {
    const SegmentRange range = segments_.of_tensor[tensor];
    for (int s = range.begin; s < range.end; ++s) visit(s);
  }

  void bring_inputs() {
    for (const Buffer& buffer : schedule_.buffers) {
      const bool brought = buffer.initial && !buffer.second_offset && buffer.tensor != no_tensor &&
                           schedule_.graph.tensors[buffer.tensor].kind == Kind::input;
      if (brought) for_each_segment(buffer.tensor, [&](int s) { write(s, first_); });
    }
  }

  double follow(const Action& action) {
    if (workers_[action.worker].is_link()) return 0;
    if (action.what == Do::load) return load(action);
    const int device = workers_[action.worker].device;
    const Task& task = schedule_.graph.tasks[action.task];
    double seconds = 0;
    for (const TensorId tensor : task.reads) {
      for_each_segment(tensor,
                       [&](int s) { seconds += read_prices_[device] * read(s, action.worker); });
    }
    for (const auto* tensors : {&task.updates, &task.writes}) {
      for (const TensorId tensor : *tensors) {
        for_each_segment(
            tensor, [&](int s) { seconds += write_prices_[device] * write(s, action.worker); });
      }
    }
    return seconds;
  }

  double load(const Action& action) {
    for (const BufferId buffer : action.writes)
      for_each_segment(schedule_.buffers[buffer].tensor, [&](int s) { write(s, action.worker); });
    return 0;
  }

  double bytes(int s) const {
    return static_cast<double>(segments_.end_bytes[s] - segments_.begin_bytes[s]);
  }

  // Bytes of the segment that others than this worker hold.
  double held_by_others(int s, WorkerId worker) const {
    double most = 0;
    for (const Holder& holder : holders_[s]) {
      if (holder.worker == worker) continue;
      const double room = cache_bytes_[workers_[holder.worker].device] -
                          (touched_bytes_[holder.worker] - holder.touched_bytes);
      most = std::max(most, std::clamp(room, 0.0, bytes(s)));
    }
    return most;
  }

  void touch(int s, WorkerId worker) {
    touched_bytes_[worker] += bytes(s);
    holders_[s].push_back({worker, touched_bytes_[worker]});
  }

  // Both return the bytes that have to come from elsewhere.
  double read(int s, WorkerId worker) {
    const auto own = std::find_if(holders_[s].begin(), holders_[s].end(),
                                  [&](const Holder& holder) { return holder.worker == worker; });
    const double missing = own == holders_[s].end() ? held_by_others(s, worker) : 0;
    if (own != holders_[s].end()) holders_[s].erase(own);
    touch(s, worker);
    return missing;
  }

  double write(int s, WorkerId worker) {
    const double missing = held_by_others(s, worker);
    holders_[s].clear();
    touch(s, worker);
    return missing;
  }

  const Schedule& schedule_;
  const std::vector<Worker>& workers_;
  const Order& order_;
  Segments segments_;
  std::vector<std::vector<Holder>> holders_;  // by segment
  std::vector<double> touched_bytes_;         // by worker, so far
  std::vector<double> read_prices_;           // by device
  std::vector<double> write_prices_;
  std::vector<double> cache_bytes_;
  WorkerId first_ = no_worker;
};

bool is_priced(const Platform& platform) {
  return std::any_of(platform.devices.begin(), platform.devices.end(), [](const Device& device) {
    return hand_over_price(device, read_term) > 0 || hand_over_price(device, write_term) > 0;
  });
}

// Whoever works alone has nothing to fetch.
bool several_compute(const std::vector<Worker>& workers, const Order& order) {
  int computing = 0;
  for (std::size_t w = 0; w < workers.size(); ++w)
    computing += !workers[w].is_link() && !order.lanes.lists[w].empty() ? 1 : 0;
  return computing > 1;
}

}  // namespace

std::vector<double> handed_over_seconds(const Schedule& schedule,
                                        const std::vector<Worker>& workers, const Order& order) {
  if (!order.topological || !is_priced(schedule.platform) || !several_compute(workers, order))
    return {};
  return Following(schedule, workers, order).seconds();
}

}  // namespace stint
