#include "tests/support/cifar_files.hpp"

#include <fmt/format.h>

#include <random>

namespace stint {
namespace {

std::string text_of(const std::vector<CifarSample>& samples) {
  std::string text;
  for (const CifarSample& sample : samples) {
    text += static_cast<char>(sample.label);
    text.append(reinterpret_cast<const char*>(sample.pixels.data()), sample.pixels.size());
  }
  return text;
}

}  // namespace

std::vector<CifarSample> random_images(int count, std::uint64_t seed) {
  constexpr std::size_t pixels = 3 * 32 * 32;
  std::mt19937_64 random(seed);
  std::vector<CifarSample> samples;
  for (int i = 0; i < count; ++i) {
    CifarSample sample{static_cast<std::uint8_t>(random() % 10), std::vector<std::uint8_t>(pixels)};
    for (std::uint8_t& pixel : sample.pixels) pixel = static_cast<std::uint8_t>(random() % 256);
    samples.push_back(std::move(sample));
  }
  return samples;
}

void write_cifar10(const TemporaryFolder& folder, int images_of_a_file,
                   const std::vector<CifarSample>& held_out) {
  for (int file = 1; file <= 5; ++file)
    folder.file(fmt::format("data_batch_{}.bin", file),
                text_of(random_images(images_of_a_file, file)));
  folder.file("test_batch.bin", text_of(held_out));
}

const char* const cifar_network = R"({"format": "stint-model", "version": 1, "name": "cifar",
    "inputs": [{"name": "image", "shape": ["batch", 3, 32, 32]},
               {"name": "label", "shape": ["batch"], "type": "int32"}],
    "layers": [
      {"name": "conv", "op": "conv2d", "inputs": ["image"], "filters": 8, "kernel": [3, 3],
       "padding": [1, 1]},
      {"name": "norm", "op": "batch_norm", "inputs": ["conv"]},
      {"name": "relu", "op": "relu", "inputs": ["norm"]},
      {"name": "pool", "op": "max_pool2d", "inputs": ["relu"], "kernel": [8, 8],
       "stride": [8, 8]},
      {"name": "flat", "op": "flatten", "inputs": ["pool"]},
      {"name": "drop", "op": "dropout", "inputs": ["flat"], "probability": 0.5},
      {"name": "fc", "op": "linear", "inputs": ["drop"], "features": 10}],
    "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
    "optimizer": {"op": "sgd", "learning_rate": 0.05, "momentum": 0.9}})";

}  // namespace stint
