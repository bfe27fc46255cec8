// Every plan of the same numerics ends with the same bits.
#include <catch2/catch.hpp>

#include "tests/executor/cpu/trainings.hpp"

using namespace stint;

namespace {

// One of the ways to plan the same numerics.
struct Variant {
  int percent = 0;  // of the memory that keeping everything needs; 0: no bound
  int workers = 1;
  bool offload = true;
  std::int64_t grain = 0;
  bool fuse = true;
};

std::string state_after(const Schedule& schedule) { return trained(schedule, 2).state_sha256; }

// Plans that trained to the expected bits.
struct Tally {
  int plans = 0;
  int bounded = 0;  // by less than all memory
  int sparing = 0;  // which recompute or offload
};

void expect_bits(const Network& network, const Request& request, const Variant& variant,
                 const std::string& expected, Tally& tally) {
  PlanWish wish{.request = request, .workers = variant.workers, .memory_percent = variant.percent};
  wish.request.offload = variant.offload;
  wish.request.grain = variant.grain;
  wish.request.fuse = variant.fuse;
  const auto schedule = planned(network, wish);
  if (!schedule) return;
  CAPTURE(variant.percent, variant.workers, variant.offload, variant.grain, variant.fuse);
  CHECK(state_after(*schedule) == expected);
  ++tally.plans;
  tally.bounded += variant.percent > 0 && variant.percent < 100 ? 1 : 0;
  tally.sparing +=
      schedule->predicted.recomputed > 0 || schedule->predicted.copied_bytes > 0 ? 1 : 0;
}

Tally expect_same_bits(const Network& network, const Request& request,
                       const std::vector<Variant>& variants) {
  const std::string expected = state_after(planned(network, {.request = request}).value());
  Tally tally;
  for (const Variant& variant : variants) expect_bits(network, request, variant, expected, tally);
  return tally;
}

// Every bound with and without offloading, on one worker and on several, and cuts along leaves.
std::vector<Variant> all_variants(const std::vector<int>& percents) {
  std::vector<Variant> all = {{.workers = 2, .grain = 1},
                              {.workers = 4, .grain = 2},
                              {.workers = 2, .grain = 1, .fuse = false}};
  for (const int percent : percents) {
    all.push_back({.percent = percent, .fuse = false});
    all.push_back({.percent = percent, .workers = 4});
    for (const int workers : {1, 2}) {
      for (const bool offload : {false, true})
        all.push_back({.percent = percent, .workers = workers, .offload = offload});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("chains end with the same bits in any memory, on any workers, offloaded or not",
          "[same bits]") {
  const auto [name, batch] =
      GENERATE(table<std::string, int>({{"mlp", 16}, {"lenet5", 16}, {"dahl_cnn", 16}}));
  CAPTURE(name);
  const Tally tally = expect_same_bits(bundled_network(name), {.batch = batch, .leaves = 4},
                                       all_variants({100, 80, 60, 50}));
  CHECK(tally.plans >= 5);
  CHECK((tally.sparing > 0 || name == "mlp"));
}

TEST_CASE("branches end with the same bits in any memory, on any workers, offloaded or not",
          "[same bits]") {
  const Network network = GENERATE(normalised_network(), small_transformer());
  CAPTURE(network.name);
  const Request quickly{.batch = 8, .leaves = 4, .limit = 1};  // any plan will do
  CHECK(expect_same_bits(network, quickly, all_variants({80, 50})).plans >= 5);
}

TEST_CASE("networks of hundreds of tasks end with the same bits on any workers", "[same bits]") {
  const auto [name, pixels] = GENERATE(table<std::string, int>({{"resnet18", 32},
                                                                {"resnet50", 32},
                                                                {"mobilenet_v2", 32},
                                                                {"densenet121", 32},
                                                                {"inception", 64},
                                                                {"unet", 32},
                                                                {"vgg16", 32}}));
  CAPTURE(name);
  const Request request{.batch = 2, .leaves = 2, .strategy = "keep-all"};
  const auto variants =
      std::vector<Variant>{{.workers = 2, .grain = 1}, {.workers = 4, .fuse = false}};
  CHECK(expect_same_bits(thin_network(name, pixels), request, variants).plans == 2);
}

TEST_CASE("a deep chain ends with the same bits where it must recompute or offload",
          "[same bits]") {
  const Network network = thin_network("vgg11", 64);
  const std::vector<Variant> variants = {
      {.percent = 90}, {.percent = 90, .offload = false}, {.workers = 2, .fuse = false}};
  const Tally tally = expect_same_bits(network, {.batch = 16, .leaves = 2}, variants);
  CHECK(tally.bounded >= 1);
  CHECK(tally.sparing >= 1);
}
