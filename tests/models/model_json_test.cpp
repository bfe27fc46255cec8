#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "models/model.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/tiny_network.hpp"

using namespace stint;

TEST_CASE("a model is told by its format: layers or tasks", "[model]") {
  const Model network = parse_model(tiny_network_text, "m.json");
  REQUIRE(std::holds_alternative<Network>(network));
  CHECK(name_of(network) == "tiny");
  const Model graph = parse_model(graph_text(chain_graph(2)), "m.json");
  REQUIRE(std::holds_alternative<Graph>(graph));
  CHECK(name_of(graph) == chain_graph(2).name);
}

TEST_CASE("a model comes back from its text", "[model]") {
  for (const std::string& text : {std::string(tiny_network_text), graph_text(chain_graph(3))}) {
    const Model model = parse_model(text, "m.json");
    CHECK(parse_model(model_text(model), "again") == model);
    CHECK(model_text(parse_model(model_text(model), "again")) == model_text(model));
  }
}

TEST_CASE("what is no model is refused by its format", "[model]") {
  CHECK_THROWS_WITH(
      parse_model(R"({"format": "stint-run"})", "m.json"),
      "m.json: /format: the format \"stint-run\"; expected stint-tasks or stint-model");
  CHECK_THROWS_AS(parse_model("{}", "m.json"), InputError);
  CHECK_THROWS_AS(parse_model("", "m.json"), InputError);
}
