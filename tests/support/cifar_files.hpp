// A small CIFAR-10: random images, so that tests have files that hold out what networks are judged
// by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace stint {

struct CifarSample {
  std::uint8_t label = 0;
  std::vector<std::uint8_t> pixels;  // red, then green, then blue
};

std::vector<CifarSample> random_images(int count, std::uint64_t seed);

// Five files of as many images to train with, and one of those that are held out.
void write_cifar10(const TemporaryFolder& folder, int images_of_a_file,
                   const std::vector<CifarSample>& held_out);

// Layers that are not the same when they are judged: batch norm and dropout.
extern const char* const cifar_network;

}  // namespace stint
