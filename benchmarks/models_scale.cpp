// Is a network read, differentiated and lowered fast, and does it stay linear? Prints a table of
// bundled networks and of chains of equal layers. Other numbers of layers may be given as
// arguments.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "benchmarks/timing.hpp"
#include "models/training/differentiate.hpp"
#include "models/training/lower_network.hpp"

using namespace stint;

namespace {

std::string chain_text(int layers) {
  return fmt::format(R"({{"format": "stint-model", "version": 1, "name": "chain of {0}",
    "inputs": [{{"name": "x", "shape": ["batch", 16]}}, {{"name": "label", "shape": ["batch"], "type": "int32"}}],
    "layers": [{{"name": "layer", "repeat": {0}, "input": "x", "layers": [
      {{"name": "linear", "op": "linear", "inputs": ["input"], "features": 16}},
      {{"name": "relu", "op": "relu", "inputs": ["linear"]}}]}}],
    "loss": {{"op": "cross_entropy", "inputs": ["layer", "label"]}}, "optimizer": {{"op": "sgd"}}}})",
                     layers);
}

// One row of the table.
void measure(const std::string& name, const std::function<Network()>& read) {
  constexpr int repeats = 5;
  const Network network = read();
  const std::size_t tasks = lower_network(network, {.batch = 32}).tasks.size();
  const double reading = median_seconds(repeats, [&] { read(); });
  const double differentiating =
      median_seconds(repeats, [&] { differentiate(network, ImageLayout::nhwc); });
  const double lowering = median_seconds(repeats, [&] { lower_network(network, {.batch = 32}); });
  const double all = reading + lowering;  // which differentiates
  fmt::print("{:<16} {:>8} {:>8} {:>10.4f} {:>14.4f} {:>10.4f} {:>12.2f}\n", name,
             network.layers.size(), tasks, reading, differentiating, lowering,
             all / static_cast<double>(tasks) * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes = {140, 1400, 14000};  // the last has about 10^5 tasks
  if (argc > 1) {
    sizes.clear();
    for (int i = 1; i < argc; ++i) sizes.push_back(std::stoi(argv[i]));
  }
  fmt::print("{:<16} {:>8} {:>8} {:>10} {:>14} {:>10} {:>12}\n", "network", "layers", "tasks",
             "read s", "differentiate", "lower s", "us per task");
  for (const char* name : {"lenet5", "resnet18", "resnet152", "bert_base", "gpt_small"}) {
    measure(name,
            [&] { return read_network(fmt::format(STINT_SOURCE_DIR "/models/{}.json", name)); });
  }
  for (const int layers : sizes) {
    const std::string text = chain_text(layers);
    measure(fmt::format("chain of {}", layers), [&] { return parse_network(text, "chain"); });
  }
}
