// What libFuzzer calls. Built once for each target of targets.hpp, whose name the build gives as
// STINT_FUZZ_TARGET, with what damages its files as STINT_FUZZ_MUTATOR.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "tests/fuzz/json_mutator.hpp"
#include "tests/fuzz/message_mutator.hpp"
#include "tests/fuzz/targets.hpp"

namespace {

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

extern "C" {

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stint::STINT_FUZZ_TARGET(text_of(data, size));
  return 0;
}

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Mostly our mutations of documents, now and then libFuzzer's own of bytes.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned int seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::mt19937_64 random(seed);
  const std::string text = stint::STINT_FUZZ_MUTATOR(text_of(data, size), random);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

}  // extern "C"
