// From what a user writes after --data to samples:
//
//   synthetic          generated (generated_samples.hpp), the default
//   idx:FOLDER         MNIST and its like: train-images-idx3-ubyte and so on; t10k is held out
//   cifar10:FOLDER     CIFAR-10, binary version; test_batch.bin is held out
//   npy:FILE,FILE…     one array per input of the network, in its order
//
// Pixels of the middle two become numbers from -1 to 1.
#pragma once

#include <memory>
#include <string>

#include "executor/data/samples.hpp"

namespace stint {

// Throws InputError if there is no such data, or it does not fit the network. `wants_held_out`:
// there must be some samples apart from those to train with.
std::unique_ptr<SampleSource> open_samples(const std::string& spec, const Network& network,
                                           std::int64_t batch, std::int64_t seed,
                                           bool wants_held_out);

}  // namespace stint
