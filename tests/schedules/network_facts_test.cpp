#include "schedules/network_facts.hpp"

#include <catch2/catch.hpp>

#include "models/listed_peak.hpp"
#include "models/lowering.hpp"
#include "schedules/dot.hpp"
#include "schedules/summary.hpp"
#include "tests/support/tiny_network.hpp"

using namespace stint;
using Catch::Contains;

TEST_CASE("layers have their parameters, bytes and operations per sample", "[network_facts]") {
  const NetworkFacts facts = network_facts(tiny_network(), 1);
  REQUIRE(facts.layers.size() == 4);
  const auto& [conv, relu, flat, fc] =
      std::tie(facts.layers[0], facts.layers[1], facts.layers[2], facts.layers[3]);
  CHECK(conv.parameters == 2 * 9 + 2);
  CHECK(conv.activation_bytes == 4 * 2 * 2 * 2);
  CHECK(conv.flops >= 2 * 9 * 8);
  CHECK(conv.flops <= 2 * 9 * 8 + 8);  // with its bias
  CHECK(relu.parameters == 0);
  CHECK(relu.flops > 0);  // not counted as a's, whose name its own begins with
  CHECK(flat.flops == 0);
  CHECK(fc.parameters == 3 * 8 + 3);
  CHECK(fc.activation_bytes == 4 * 3);
  CHECK(facts.parameters == 20 + 27);
  CHECK(facts.flops == conv.flops + relu.flops + fc.flops);
}

TEST_CASE("the batch changes the peak of a step, not what is told per sample", "[network_facts]") {
  const NetworkFacts one = network_facts(tiny_network(), 1);
  const NetworkFacts many = network_facts(tiny_network(), 64);
  CHECK(many.flops == one.flops);
  CHECK(many.kept_bytes == one.kept_bytes);
  CHECK(many.tasks == one.tasks);
  CHECK(many.peak_bytes > one.peak_bytes);
  CHECK(many.peak_bytes == listed_peak_bytes(lower(tiny_network(), {.batch = 64})));
}

TEST_CASE("kept for backward is what backward tasks read of the forward ones", "[network_facts]") {
  // The rectified image for the rectifier, in the order that fc reads for the weights of fc, and
  // the scores for the loss.
  CHECK(network_facts(tiny_network(), 1).kept_bytes == 4 * 8 + 4 * 8 + 4 * 3);
}

TEST_CASE("the summary of a network has a row for every layer, and totals", "[summary]") {
  const std::string text = summary(tiny_network(), 2);
  CHECK_THAT(text, Contains("tiny: a network of 4 layers, 47 parameters, trained for cross_entropy "
                            "by sgd\nTwo by two.\n"));
  CHECK_THAT(text, Contains("image  batch×1×4×4  f32\n"));
  CHECK_THAT(text, Contains("a      conv2d   batch×2×2×2          20        32 B"));
  CHECK_THAT(text, Contains("fc     linear   batch×3              27        12 B"));
  CHECK_THAT(text, Contains("all                                  47"));
  CHECK_THAT(text, Contains(" at batch 2, state included\n"));
}

TEST_CASE("the picture of a network has its layers, and shapes on what flows", "[dot]") {
  const std::string text = dot_text(tiny_network());
  CHECK_THAT(text, Contains("l1 [label=\"a.b\\nrelu\""));
  CHECK_THAT(text, Contains("i0 -> l0 [label=\"batch×1×4×4\"]"));
  CHECK_THAT(text, Contains("l0 -> l1 [label=\"batch×2×2×2\"]"));
  CHECK_THAT(text, Contains("l3 -> loss [label=\"batch×3\"]"));
  CHECK_THAT(text, Contains("i1 -> loss [label=\"batch\"]"));
}
