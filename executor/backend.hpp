// What an action does, ready to run: everything it needs was created when the schedule was
// compiled, so running it allocates nothing and decides nothing.
//
// A backend makes the jobs of its devices. It is given every buffer of an action as a Place.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "executor/ticks.hpp"
#include "schedules/schedule.hpp"

namespace stint {

class Witness;

class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Throws if the machine fails us; the message says how, the caller knows in which action.
  virtual void run(std::int64_t step) = 0;
};

// Where the bytes of a buffer are, as one action sees them. The halves of a double buffer take
// turns; every other buffer has the same offset twice.
struct Place {
  BufferId buffer = no_buffer;  // no_buffer: an optional output that is left out
  MemoryId memory = no_memory;
  std::int64_t bytes = 0;
  std::array<std::int64_t, 2> offsets = {0, 0};  // in the memory's arena
  bool other_half = false;                       // the half that belongs to the next step

  int half(std::int64_t step) const { return static_cast<int>((step + (other_half ? 1 : 0)) & 1); }
  std::int64_t offset(std::int64_t step) const { return offsets[half(step)]; }
};

// When an action ran on a device that has a clock of its own: the host only enqueued it.
struct DeviceSpan {
  int device = -1;        // -1: the host's own times tell all
  Ticks clock_began = 0;  // on the host's clock, when the device's stood at 0
  double begin_seconds = 0;
  double end_seconds = 0;
};

// The buffers of an action, in the order of its lists. An update reads `updates_from` and writes
// `updates_to`: the same place, but in a double buffer the half of this step and that of the next.
struct Operands {
  std::vector<Place> reads;
  std::vector<Place> writes;
  std::vector<Place> updates_from;
  std::vector<Place> updates_to;
  Place workspace;
};

// How a network's predictions meet their labels, over some samples.
struct LabelScore {
  double loss = 0;  // summed up
  std::int64_t labels = 0;
  bool have_classes = false;
  std::int64_t right = 0;  // of labels that are classes, those that the network scored highest

  LabelScore& operator+=(const LabelScore& other) {
    loss += other.loss;
    labels += other.labels;
    right += other.right;
    have_classes = have_classes || other.have_classes;
    return *this;
  }
};

class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // `seconds` is what the simulator predicts.
  virtual std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                                       double seconds) = 0;
  virtual std::unique_ptr<Job> copy(const Action& action, const Operands& operands,
                                    double seconds) = 0;
  virtual std::unique_ptr<Job> load(const Action& action, const Operands& operands,
                                    double seconds) = 0;

  // Between steps, while the jobs live: a digest of what every task of the last step computed, the
  // same for every plan of the graph; 0 where results tell enough.
  virtual std::uint64_t step_digest() const { return 0; }

  // Between steps: the loss of the last one; nothing where tasks only have costs.
  virtual std::optional<double> loss(std::int64_t /*step*/) const { return std::nullopt; }

  // Between steps: the next one judges the network by so many of its first samples, and trains
  // nothing; so do all that follow.
  virtual void evaluate(std::int64_t /*step*/, std::int64_t /*samples*/) {}
  virtual LabelScore label_score() const { return {}; }  // of the last step that judged

  // Before a step and after it: clocks of devices are set to 0, and what they showed when each
  // action began and ended, by action; nothing where the host's own clock tells all.
  virtual void start_clocks() {}
  virtual std::vector<DeviceSpan> device_spans() const { return {}; }

  // Who is to be told how threads wait for one another; null: nobody. Lives as long as the backend.
  virtual Witness* witness() const { return nullptr; }
};

}  // namespace stint
