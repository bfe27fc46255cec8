#include "executor/synthetic.hpp"

#include "executor/byte_streams.hpp"
#include "executor/synthetic_data.hpp"
#include "executor/ticks.hpp"

namespace stint {
namespace {

class ComputeJob : public Job {
 public:
  ComputeJob(const Task& task, Operands operands, const Arenas& arenas, const Spin* spin,
             double seconds)
      : key_(task_key(task)),
        operands_(std::move(operands)),
        arenas_(arenas),
        spin_(spin),
        seconds_(seconds) {
    operands_.workspace.bytes = task.workspace_bytes;
  }

  const std::uint64_t& digest_of_inputs() const { return digest_of_inputs_; }

  void run(std::int64_t step) override {
    if (seconds_ == 0) return touch_bytes(step);
    const std::int64_t end = nanoseconds_in(seconds_);
    touch_bytes(step);
    spin_->burn_until(end);
  }

 private:
  void touch_bytes(std::int64_t step) {
    const Place& scratch = operands_.workspace;
    if (scratch.bytes > 0) write_stream(workspace_key(key_), 0, arenas_.bytes(scratch, step));
    std::uint64_t sum = key_;
    for (const Place& place : operands_.reads) sum = digest(sum, arenas_.bytes(place, step));
    for (const Place& place : operands_.updates_from) sum = digest(sum, arenas_.bytes(place, step));
    if (scratch.bytes > 0) sum = digest(sum, arenas_.bytes(scratch, step));
    digest_of_inputs_ = sum;
    for (std::size_t i = 0; i < operands_.writes.size(); ++i) {
      const Place& place = operands_.writes[i];
      if (place.bytes > 0) write_stream(output_key(sum, i), 0, arenas_.bytes(place, step));
    }
    for (std::size_t i = 0; i < operands_.updates_to.size(); ++i) {
      write_stream(update_key(sum, i), 0, arenas_.bytes(operands_.updates_to[i], step));
    }
  }

  std::uint64_t key_;
  Operands operands_;
  const Arenas& arenas_;
  const Spin* spin_;
  double seconds_;
  std::uint64_t digest_of_inputs_ = 0;
};

}  // namespace

SyntheticBackend::SyntheticBackend(const Schedule& schedule, Arenas& arenas,
                                   const TensorValues& values, Pace pace)
    : schedule_(schedule),
      arenas_(arenas),
      moves_(schedule, arenas, values),
      pace_(pace),
      digests_(schedule.graph.tasks.size()) {
  if (pace == Pace::predicted) spin_ = Spin::calibrated();
}

std::unique_ptr<Job> SyntheticBackend::compute(const Action& action, const Operands& operands,
                                               double seconds) {
  auto job = std::make_unique<ComputeJob>(schedule_.graph.tasks[action.task], operands, arenas_,
                                          spin_ ? &*spin_ : nullptr, paced(seconds));
  digests_[action.task].push_back(&job->digest_of_inputs());
  return job;
}

std::unique_ptr<Job> SyntheticBackend::copy(const Action& action, const Operands& operands,
                                            double seconds) {
  return moves_.copy(action, operands, paced(seconds));
}

std::unique_ptr<Job> SyntheticBackend::load(const Action& action, const Operands& operands,
                                            double seconds) {
  return moves_.load(action, operands, paced(seconds));
}

std::uint64_t SyntheticBackend::step_digest() const {
  std::uint64_t all = 0;
  for (const auto& executions : digests_) {
    std::uint64_t task = executions.empty() ? 0 : *executions.front();
    for (const std::uint64_t* again : executions) {
      if (*again != task) task = mix(task ^ *again);
    }
    all = mix(all ^ task);
  }
  return all;
}

}  // namespace stint
