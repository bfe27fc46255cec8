// Readers of the two formats in which small image sets are published: IDX (LeCun's MNIST) and the
// binary version of CIFAR-10 (Krizhevsky). Uncompressed files.
#pragma once

#include <string>

#include "executor/data/stored_samples.hpp"

namespace stint {

struct ImageSet {
  StoredInput images;  // pixels as they are stored, to become numbers from -1 to 1
  StoredInput labels;
};

// Throw InputError if a file is missing, unreadable, or not as long as it should be.
ImageSet read_idx(const std::string& folder, SampleSet set);
ImageSet read_cifar10(const std::string& folder, SampleSet set);

}  // namespace stint
