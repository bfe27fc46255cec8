// Samples from files, held in memory as they came and converted when a step takes them; after the
// last the first follows again.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "executor/data/npy.hpp"
#include "executor/data/samples.hpp"

namespace stint {

// One input of all samples: shape[0] counts them.
struct StoredInput {
  std::string file;  // as messages name it
  NpyArray array;
  float factor = 1;  // a number becomes factor × what is stored + offset
  float offset = 0;
};

// One entry per input of the network.
using StoredSet = std::vector<StoredInput>;

class StoredSamples : public SampleSource {
 public:
  // Throws InputError, naming the file, if there are fewer samples to train with than a batch, none
  // held out, not equally many of every input, of another size than the network's, or integers
  // outside of their range.
  StoredSamples(std::vector<SampleInput> inputs, std::int64_t batch, StoredSet training,
                std::optional<StoredSet> held_out);

  std::optional<std::int64_t> count(SampleSet set) const override;
  void read(SampleSet set, std::size_t input, std::int64_t sample,
            std::span<std::byte> bytes) const override;

 private:
  void check(const StoredSet& set, std::int64_t least, const std::string& what) const;

  std::vector<SampleInput> inputs_;
  std::map<SampleSet, StoredSet> sets_;
};

}  // namespace stint
