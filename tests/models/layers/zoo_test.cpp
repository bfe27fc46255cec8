// The bundled networks are those that papers and frameworks count.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "files/text_file.hpp"
#include "models/layers/infer.hpp"
#include "tests/support/bundled_files.hpp"
#include "tests/support/json_schema.hpp"

using namespace stint;

namespace {

const std::string folder = STINT_SOURCE_DIR "/models/";

Network bundled_network(const std::string& name) { return read_network(folder + name + ".json"); }

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
