// The same mathematics as PyTorch: losses recorded by tests/pytorch/train_both.py, from the same
// first values and samples.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "executor/data/npy.hpp"
#include "executor/data/state_file.hpp"
#include "files/text_file.hpp"
#include "models/training/lower_network.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/support/numbers_by_name.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

template <typename Number>
std::string bytes_of_all(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

// Masks differ between the two, so nothing is dropped.
Network without_dropout(Network network) {
  for (Layer& layer : network.layers) {
    if (auto* dropout = std::get_if<Dropout>(&layer.kind)) dropout->probability = 0;
  }
  return network;
}

// What an optimizer remembers is named after its parameter, and shaped like it.
SavedState first_state(const LoweredNetwork& lowered) {
  SavedState state;
  for (const Tensor& tensor : lowered.graph.tensors) {
    if (tensor.kind != Kind::state) continue;
    for (const Parameter& parameter : lowered.parameters) {
      if (tensor.name != parameter.name && !tensor.name.starts_with(parameter.name + ".")) continue;
      state.tensors[tensor.name] = {parameter.shape,
                                    bytes_of_all(state_by_name(tensor.name, parameter.shape))};
    }
  }
  return state;
}

NpyArray samples_of(const NetworkInput& input, std::uint64_t classes, std::int64_t samples) {
  NpyArray array;
  for (const Dimension dimension : input.shape) array.shape.push_back(dimension.at(samples));
  const std::int64_t count = product(input.shape).at(samples);
  if (input.type == Element::f32) {
    array.bytes = bytes_of_all(numbers_by_name(input.name, count));
    return array;
  }
  std::vector<std::int32_t> labels;
  for (const std::uint64_t x : integers_by_name(input.name, count))
    labels.push_back(static_cast<std::int32_t>(x % classes));
  array.type = NpyType::i4;
  array.bytes = bytes_of_all(labels);
  return array;
}

std::vector<double> losses(const Network& network, std::int64_t batch, std::uint64_t classes,
                           std::int64_t steps) {
  const TemporaryFolder folder;
  const Schedule schedule = planned(network, {.request = {.batch = batch}}).value();
  RunOptions options{.data = "npy:", .load_file = folder.path("first.npz")};
  write_state(options.load_file, first_state(lower_with_kernels(network, schedule.lowering)));
  for (const NetworkInput& input : network.inputs) {
    const std::string file = folder.path(input.name + ".npy");
    write_text(file, npy_text(samples_of(input, classes, batch * steps)));
    options.data += (options.data.ends_with(":") ? "" : ",") + file;
  }
  return trained(schedule, steps, options).loss;
}

}  // namespace

TEST_CASE("losses are PyTorch's, as far as f32 goes", "[training][pytorch]") {
  const std::string name = GENERATE("mlp", "lenet5", "dahl_cnn", "gpt_tiny", "resnet18",
                                    "mobilenet_v2", "unet", "densenet121", "vgg11");
  CAPTURE(name);
  const auto recorded = nlohmann::json::parse(
      read_text(STINT_SOURCE_DIR "/tests/executor/cpu/pytorch/" + name + ".json"));
  const auto truth = recorded.at("loss").get<std::vector<double>>();
  const auto in_f32 = recorded.at("loss_in_f32").get<std::vector<double>>();
  const auto ours = losses(without_dropout(bundled_network(name)), recorded.at("batch"),
                           recorded.at("classes"), std::ssize(truth));
  REQUIRE(ours.size() == truth.size());
  for (std::size_t step = 0; step < truth.size(); ++step) {
    CAPTURE(step, ours[step], truth[step], in_f32[step]);
    // What PyTorch's own f32 is off by, from f64, shows how far rounding carries in such a network.
    const double expected = 10 * std::abs(in_f32[step] - truth[step]) + 1e-6 * truth[step];
    CHECK(std::abs(ours[step] - truth[step]) <= expected);
  }
}
