// What all contestants train on: one batch of generated samples, the same in every step, and what
// they say afterwards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "executor/cpu/network_values.hpp"
#include "executor/data/samples.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// Made once, read as often as wanted.
class OneBatch : public SampleSource {
 public:
  OneBatch(const Network& network, std::int64_t batch);

  std::optional<std::int64_t> count(SampleSet) const override { return batch_; }
  void read(SampleSet set, std::size_t input, std::int64_t sample,
            std::span<std::byte> bytes) const override;

 private:
  std::vector<std::vector<std::byte>> inputs_;
  std::int64_t batch_;
};

struct TrainedSteps {
  std::vector<double> seconds;  // by step, of the clock
  double busy_seconds = 0;      // of all steps and workers, in tasks
  std::string state_sha256;
};

}  // namespace stint
