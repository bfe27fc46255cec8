#include "executor/device_backend.hpp"

#include <fmt/format.h>

#include "executor/witness.hpp"
#include "files/input_error.hpp"

namespace stint {
namespace {

// Inputs of a step, where a device will fetch them.
class StagingJob : public Job {
 public:
  struct Input {
    TensorId tensor = no_tensor;
    std::span<std::byte> staged;
  };
  StagingJob(std::vector<Input> inputs, int for_step, const TensorValues& values, Witness* witness)
      : inputs_(std::move(inputs)), for_step_(for_step), values_(values), witness_(witness) {}

  void run(std::int64_t step) override {
    for (const Input& input : inputs_) {
      if (witness_ != nullptr) witness_->touch("an input of the step", input.staged, true);
      values_.fill_input(input.tensor, step + for_step_, input.staged);
    }
  }

 private:
  std::vector<Input> inputs_;
  int for_step_;
  const TensorValues& values_;
  Witness* witness_;
};

// A job of the host that says first what it is about to touch.
class WitnessedJob : public Job {
 public:
  WitnessedJob(std::string who, const Operands& operands, const Arenas& arenas, Witness& witness,
               std::unique_ptr<Job> job)
      : who_(std::move(who)),
        operands_(operands),
        arenas_(arenas),
        witness_(witness),
        job_(std::move(job)) {}

  void run(std::int64_t step) override {
    touch(operands_.reads, step, false);
    touch(operands_.updates_from, step, false);
    touch(operands_.writes, step, true);
    touch(operands_.updates_to, step, true);
    touch({operands_.workspace}, step, true);
    job_->run(step);
  }

 private:
  void touch(const std::vector<Place>& places, std::int64_t step, bool writes) {
    for (const Place& place : places) {
      if (place.buffer == no_buffer || place.bytes == 0 || arenas_.is_storage(place.memory))
        continue;
      witness_.touch(who_, arenas_.bytes(place, step), writes);
    }
  }

  std::string who_;
  Operands operands_;
  const Arenas& arenas_;
  Witness& witness_;
  std::unique_ptr<Job> job_;
};

}  // namespace

DeviceBackend::DeviceBackend(const Schedule& schedule, const LoweredNetwork& lowered,
                             Arenas& arenas, const TensorValues& values, std::int64_t seed,
                             Accelerator& accelerator)
    : schedule_(schedule),
      lowered_(lowered),
      arenas_(arenas),
      values_(values),
      accelerator_(accelerator),
      cpu_(schedule, lowered, arenas, values, seed),
      planned_(schedule, cuda_kind) {}

ActionId DeviceBackend::id_of(const Action& action) const {
  return ActionId{static_cast<int>(&action - schedule_.actions.data())};
}

CopyEnd DeviceBackend::end_of(const Place& place) const {
  return {place.memory, {arenas_.bytes(place, 0).data(), arenas_.bytes(place, 1).data()}};
}

std::unique_ptr<Job> DeviceBackend::on_host(ActionId action, const Operands& operands,
                                            std::unique_ptr<Job> job) {
  if (Witness* const watcher = witness())
    job = std::make_unique<WitnessedJob>(fmt::format("action {}", static_cast<int>(action)),
                                         operands, arenas_, *watcher, std::move(job));
  return accelerator_.after_devices(action, std::move(job));
}

std::unique_ptr<Job> DeviceBackend::compute(const Action& action, const Operands& operands,
                                            double seconds) {
  const ActionId id = id_of(action);
  if (!accelerator_.performs(id))
    return on_host(id, operands, cpu_.compute(action, operands, seconds));
  const Task& task = schedule_.graph.tasks[action.task];
  auto job = accelerator_.kernel(id, lowered_.kernels[action.task],
                                 {planned_.algorithm(task), task.workspace_bytes});
  planned_.expect(task, *job);
  point_to(*job, operands, arenas_);
  return accelerator_.in_place(id, std::move(job));
}

std::unique_ptr<Job> DeviceBackend::copy(const Action& action, const Operands& operands,
                                         double seconds) {
  const ActionId id = id_of(action);
  if (!accelerator_.performs(id))
    return on_host(id, operands, cpu_.copy(action, operands, seconds));
  const Place& from = operands.reads[0];
  const Place& to = operands.writes[0];
  for (const Place* end : {&from, &to}) {
    if (arenas_.is_storage(end->memory))
      throw InputError(fmt::format("/actions/{}", static_cast<int>(id)),
                       "copies between storage and a GPU; expected a copy through the memory of "
                       "the host");
  }
  return accelerator_.copy(id, end_of(from), end_of(to), from.bytes);
}

std::unique_ptr<Job> DeviceBackend::load(const Action& action, const Operands& operands,
                                         double seconds) {
  const ActionId id = id_of(action);
  if (!accelerator_.performs(id))
    return on_host(id, operands, cpu_.load(action, operands, seconds));
  std::vector<StagingJob::Input> inputs;
  std::vector<StagedBytes> loads;
  for (const Place& place : operands.writes) {
    if (place.bytes == 0) continue;
    std::byte* const staged = accelerator_.allocate_staging(place.bytes);
    inputs.push_back(
        {schedule_.buffers[place.buffer].tensor, {staged, static_cast<std::size_t>(place.bytes)}});
    loads.push_back({end_of(place), place.bytes, staged});
  }
  auto fill = std::make_unique<StagingJob>(std::move(inputs), action.for_step, values_, witness());
  return accelerator_.load(id, std::move(fill), std::move(loads));
}

}  // namespace stint
