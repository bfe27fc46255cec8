// The bundled networks are those that papers and frameworks count.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "files/text_file.hpp"
#include "models/layers/infer.hpp"
#include "models/lowering.hpp"
#include "tests/support/bundled_files.hpp"
#include "tests/support/json_schema.hpp"

using namespace stint;

namespace {

const std::string folder = STINT_SOURCE_DIR "/models/";

Network bundled_network(const std::string& name) { return read_network(folder + name + ".json"); }

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

// Half the flops of one sample's forward tasks of these ops.
double multiply_adds(const std::string& name, const std::set<std::string>& ops) {
  double flops = 0;
  for (const Task& task : lower(bundled_network(name), {}).tasks) {
    if (ops.contains(task.op)) flops += task.flops;
  }
  return flops / 2;
}

}  // namespace

TEST_CASE("bundled networks are read, come back from their text and conform to the schema",
          "[zoo]") {
  const auto files = bundled_files("models", "stint-model");
  REQUIRE(files.size() == 20);
  for (const std::string& path : files) {
    CAPTURE(path);
    const Network network = read_network(path);
    CHECK(network.name == std::filesystem::path(path).stem());
    CHECK_FALSE(network.description.empty());
    const std::string text = network_text(network);
    CHECK(parse_network(text, "again") == network);
    CHECK(schema_fault(folder + "stint-model.schema.json", read_text(path)) == "");
    if (network.layers.size() > 50) continue;  // the judge of schemas takes its time
    CHECK(schema_fault(folder + "stint-model.schema.json", text) == "");
  }
}

// From torchvision and Hugging Face transformers for the models that they publish (GoogLeNet
// without its auxiliary heads), else added up by hand.
TEST_CASE("bundled networks have as many parameters as their publishers count", "[zoo]") {
  const std::map<std::string, std::int64_t> published = {
      {"bert_base", 109'514'298},
      {"dahl_cnn", 4 * 9 + 4 + 13 * 13 * 4 * 10 + 10},
      {"dahl_cnn_512", 4 * 9 + 4 + 255 * 255 * 4 * 10 + 10},
      {"dahl_cnn_512_rgb", 4 * 27 + 4 + 255 * 255 * 4 * 10 + 10},
      {"dahl_cnn_rgb", 4 * 27 + 4 + 13 * 13 * 4 * 10 + 10},
      {"densenet121", 7'978'856},
      {"gpt_small", 124'439'808},
      {"gpt_tiny", 256 * 128 + 64 * 128 + 4 * (12 * 128 * 128 + 13 * 128) + 2 * 128},
      {"inception", 6'624'904},
      {"lenet5", 61'706},
      {"long_chain", 1000 * (64 * 64 + 64)},
      {"mlp", 784 * 512 + 512 + 512 * 256 + 256 + 256 * 10 + 10},
      {"mobilenet_v2", 3'504'872},
      {"resnet152", 60'192'808},
      {"resnet18", 11'689'512},
      {"resnet50", 25'557'032},
      {"unet", 31'037'698},
      {"vgg11", 132'863'336},
      {"vgg16", 138'357'544},
      {"vgg19", 143'667'240}};
  REQUIRE(published.size() == bundled_files("models", "stint-model").size());
  for (const auto& [name, parameters] : published) {
    CAPTURE(name);
    CHECK(parameter_count(infer(bundled_network(name))) == parameters);
  }
}

TEST_CASE("the README lists every bundled network and what it counts", "[zoo]") {
  const std::string readme = read_text(folder + "README.md");
  for (const std::string& path : bundled_files("models", "stint-model")) {
    const Network network = read_network(path);
    CAPTURE(network.name);
    CHECK_THAT(readme, Catch::Contains("[" + network.name + "](" + network.name + ".json)"));
    CHECK_THAT(readme, Catch::Contains(with_commas(parameter_count(infer(network)))));
  }
}

// In units of 10^9, for one sample, as torchvision publishes them with its weights: convolutions
// and linear layers only.
TEST_CASE("bundled networks take as many multiply-adds as their publishers count", "[zoo]") {
  const std::map<std::string, double> published = {
      {"densenet121", 2.834}, {"inception", 1.498}, {"mobilenet_v2", 0.301},
      {"resnet152", 11.514},  {"resnet18", 1.814},  {"resnet50", 4.089},
      {"vgg11", 7.609},       {"vgg16", 15.47},     {"vgg19", 19.632}};
  for (const auto& [name, billions] : published) {
    CAPTURE(name);
    CHECK(multiply_adds(name, {"conv2d.forward", "linear.forward"}) / 1e9 ==
          Approx(billions).epsilon(0.001));
  }
}

TEST_CASE("BERT takes the multiply-adds that its width and length give", "[zoo]") {
  const double width = 768;
  const double tokens = 512;
  const double layer = tokens * 12 * width * width + 2 * tokens * tokens * width;
  const double head = tokens * width * (width + 30522);
  CHECK(multiply_adds("bert_base", {"linear.forward"}) +
            multiply_adds("bert_base", {"attention.forward"}) ==
        Approx(12 * layer + head).epsilon(0.01));  // attention counts its softmax too
}
