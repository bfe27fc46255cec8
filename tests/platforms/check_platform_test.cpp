// Every fault of a platform file with the exact line that reports it.
#include "platforms/check_platform.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/platforms/two_nodes.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

namespace {

struct Fault {
  const char* from;
  const char* to;
  const char* message;
};

void require_fault(const Fault& fault) {
  CAPTURE(fault.from, fault.to);
  REQUIRE_THROWS_WITH(parse_platform(two_nodes(fault.from, fault.to), "p.json"),
                      std::string("p.json: ") + fault.message);
}

const char* const name_rule =
    "expected a text without '/', '>', '=', white space and control characters";

}  // namespace

TEST_CASE("the platform that the faults are made from is sound", "[platform]") {
  REQUIRE_NOTHROW(parse_platform(two_nodes(), "p.json"));
}

TEST_CASE("faults in the frame of a platform file are named", "[platform]") {
  require_fault(GENERATE(
      Fault{"stint-platform", "stint-tasks",
            "/format: the format \"stint-tasks\"; expected \"stint-platform\""},
      Fault{"\"version\": 1", "\"version\": 2", "/version: 2; expected a whole number from 1 to 1"},
      Fault{"\"name\": \"two\",", "", "/: no key \"name\"; expected \"name\""},
      Fault{"\"description\"", "\"descriptoin\"",
            "/: unknown key \"descriptoin\"; expected only format, version, name, description, "
            "nodes, network"},
      Fault{"\"two nodes\"", "null", "/description: null; expected a text"},
      Fault{"\"version\": 1,", "\"version\": 1, \"version\": 1,",
            "/: the key \"version\" is written twice in one object; expected once"}));
}

TEST_CASE("a platform needs a node and a device", "[platform]") {
  const std::string head = R"({"format": "stint-platform", "version": 1, "name": "p", "nodes": )";
  REQUIRE_THROWS_WITH(parse_platform(head + "[]}", "p.json"),
                      "p.json: /nodes: no nodes; expected at least one");
  REQUIRE_THROWS_WITH(parse_platform(head + R"([{"name": "n0"}]})", "p.json"),
                      "p.json: /nodes: no devices; expected at least one");
}

TEST_CASE("faults of nodes and memories are named", "[platform]") {
  require_fault(GENERATE(
      Fault{"\"basis\": \"measured\"", "\"basis\": \"guessed\"",
            "/nodes/0/base_watts/basis: unknown word \"guessed\"; expected one of measured, "
            "calibrated, datasheet, assumed"},
      Fault{"\"value\": 20.5", "\"value\": -1",
            "/nodes/0/base_watts/value: -1; expected a number of at least 0"},
      Fault{"\"value\": 20.5", "\"value\": 1e31",
            "/nodes/0/base_watts: 1e+31; expected a number from 0 to 1e+30"},
      Fault{"\"hbm\", \"bytes\": 2048", "\"disk\", \"bytes\": 2048",
            "/nodes/0/devices/1/memory: there is no memory \"hbm\" here; expected one of disk, "
            "ram"},
      Fault{"\"name\": \"cpu\"", "\"name\": \"ram\"",
            "/nodes/0/devices/0/name: the name \"ram\" is taken; expected names that differ among "
            "the memories and devices of a node"},
      Fault{"77", "-1", "/nodes/1/memories/0/bytes: -1; expected a whole number of at least 0"},
      Fault{"77", "1.5", "/nodes/1/memories/0/bytes: 1.5; expected a whole number of at least 0"},
      Fault{"77", "18446744073709551615",
            "/nodes/1/memories/0/bytes: 18446744073709551615; expected a whole number of at least "
            "0"},
      Fault{"\"kind\": \"storage\"", "\"kind\": \"tape\"",
            "/nodes/0/memories/1/kind: unknown word \"tape\"; expected one of ram, device, "
            "storage"},
      Fault{"\"alignment_bytes\": 4096", "\"alignment_bytes\": 0",
            "/nodes/0/memories/1/alignment_bytes: 0; expected a power of two from 1 to "
            "1073741824"},
      Fault{"\"alignment_bytes\": 4096", "\"alignment_bytes\": 48",
            "/nodes/0/memories/1/alignment_bytes: 48; expected a power of two from 1 to "
            "1073741824"},
      Fault{"\"alignment_bytes\": 4096", "\"alignment_bytes\": 4611686018427387904",
            "/nodes/0/memories/1/alignment_bytes: 4611686018427387904; expected a power of two "
            "from 1 to 1073741824"},
      Fault{"\"static_watts\": 0.5", "\"static_watts\": 1e40",
            "/nodes/0/memories/1/static_watts: 1e+40; expected a number from 0 to 1e+30"}));
}

TEST_CASE("a name has no mark that longer names are made with", "[platform]") {
  const std::string bad = GENERATE("", "a/b", "a>b", "a=b", "a b", "a\\u000ab", "\\u007f", "a\\tb");
  const bool is_control = bad.find('\\') != std::string::npos;
  CAPTURE(bad);
  REQUIRE_THROWS_WITH(
      parse_platform(two_nodes("\"name\": \"only\"", "\"name\": \"" + bad + '"'), "p.json"),
      Catch::StartsWith("p.json: /nodes/0/devices/0/states/0/name: the name \"" +
                        (is_control ? "" : bad)) &&
          Catch::EndsWith(name_rule));
  REQUIRE_THROWS_WITH(parse_platform(two_nodes("\"n1\"", '"' + bad + '"'), "p.json"),
                      Catch::Contains("p.json: /nodes/1/name: the name") ||
                          Catch::Contains("p.json: /network/0/to: there is no memory"));
}

TEST_CASE("a name may have any other character", "[platform]") {
  const std::string good = GENERATE("a", "2.8GHz", "größe", "a:b", "a~b", "{}");
  CAPTURE(good);
  REQUIRE_NOTHROW(
      parse_platform(two_nodes("\"name\": \"only\"", "\"name\": \"" + good + '"'), "p.json"));
}

TEST_CASE("faults of devices are named", "[platform]") {
  require_fault(GENERATE(
      Fault{"\"memory\": \"hbm\"", "\"memory\": \"ddr\"",
            "/nodes/0/devices/1/memory: there is no memory \"ddr\" here; expected one of disk, "
            "hbm, ram"},
      Fault{"\"memory\": \"hbm\"", "\"memory\": \"disk\"",
            "/nodes/0/devices/1/memory: \"disk\" is storage; expected a memory to compute in"},
      Fault{"\"kind\": \"cuda\"", "\"kind\": \"\"",
            "/nodes/0/devices/1/kind: the name \"\"; expected a text without '/', '>', '=', white "
            "space and control characters"},
      Fault{"\"workers\": 3", "\"workers\": 65537",
            "/nodes/0/devices/1/workers: 65537; expected a whole number from 1 to 65536"},
      Fault{"\"workers\": 3, ", "", "/nodes/0/devices/1: no key \"workers\"; expected \"workers\""},
      Fault{"\"idle_watts\": 8", "\"idle_watts\": \"8\"",
            "/nodes/0/devices/0/idle_watts: a text; expected a number"},
      Fault{"\"idle_watts\": 8", "\"idle_watts\": 1e999",
            "/ (line 11, column 85): a number too large for its type; expected one below 1.8e308"},
      Fault{"\"settable\": \"action\"", "\"settable\": \"always\"",
            "/nodes/0/devices/1/settable: unknown word \"always\"; expected one of none, run, "
            "action"},
      Fault{"\"state_scope\": \"device\"", "\"state_scope\": \"node\"",
            "/nodes/0/devices/1/state_scope: unknown word \"node\"; expected one of worker, "
            "device"},
      Fault{"\"level\": 1", "\"level\": 0",
            "/nodes/0/devices/1/caches/0/level: 0; expected a whole number from 1 to 16"},
      Fault{"\"shared_by\": 2", "\"shared_by\": 0",
            "/nodes/0/devices/1/caches/0/shared_by: 0; expected a whole number from 1 to 1048576"},
      Fault{"\"value\": 6e-11", "\"value\": -6e-11",
            "/nodes/0/devices/1/caches/0/joules_per_byte/value: -6e-11; expected a number of "
            "at least 0"}));
}

TEST_CASE("faults of power states are named", "[platform]") {
  require_fault(GENERATE(
      Fault{"[{\"name\": \"only\", \"speed\": 1, \"busy_watts\": 1}]", "[]",
            "/nodes/0/devices/0/states: no states; expected at least one"},
      Fault{"\"speed\": 0.5", "\"speed\": 0",
            "/nodes/0/devices/1/states/1/speed: 0; expected a number from 1e-30 to 1e+30"},
      Fault{"\"speed\": 0.5", "\"speed\": -0.5",
            "/nodes/0/devices/1/states/1/speed: -0.5; expected a number of at least 0"},
      Fault{"{\"gemm\": 4}", "{\"matmul\": 4}",
            "/nodes/0/devices/1/states/1/busy_watts_by_class: unknown class \"matmul\"; expected "
            "one of gemm, conv, elementwise, reduction, copy, io"},
      Fault{"{\"gemm\": 4}", "{\"gemm\": 1e99}",
            "/nodes/0/devices/1/states/1/busy_watts_by_class/gemm: 1e+99; expected a number from 0 "
            "to 1e+30"},
      Fault{", \"busy_watts\": 3", "",
            "/nodes/0/devices/1/states/1: no key \"busy_watts\"; expected \"busy_watts\""},
      Fault{"\"switch_joules\": 0.75", "\"switch_joules\": true",
            "/nodes/0/devices/1/states/1/switch_joules: a boolean; expected a number"}));
}

TEST_CASE("faults of time models and kernels are named", "[platform]") {
  require_fault(GENERATE(
      Fault{"\"*\"", "\"\"",
            "/nodes/0/devices/1/time_model: an empty key; expected an op or \"*\""},
      Fault{"{\"constant\": 2e-6}", "{\"\": 2e-6}",
            "/nodes/0/devices/1/time_model/*/terms: an empty key; expected a name"},
      Fault{"\"conv2d.forward\": {\"terms\": {\"flops\": 7e-12}",
            "\"a/b\": {\"terms\": {\"flops\": 7e40}",
            "/nodes/0/devices/1/time_model/a~1b/terms/flops: 7e+40; expected a number from 0 to "
            "1e+30"},
      Fault{"{\"terms\": {\"flops\": 7e-12}", "{\"term\": {\"flops\": 7e-12}",
            "/nodes/0/devices/1/time_model/conv2d.forward: unknown key \"term\"; expected only "
            "terms, knots, sigma, correction"},
      Fault{"\"1310720\"", "\"01\"",
            "/nodes/0/devices/1/time_model/conv2d.forward/knots/bytes/01: the knot \"01\"; "
            "expected a whole number of at least 0 as text"},
      Fault{"\"1310720\"", "\"-1\"",
            "/nodes/0/devices/1/time_model/conv2d.forward/knots/bytes/-1: the knot \"-1\"; "
            "expected a whole number of at least 0 as text"},
      Fault{"\"1310720\"", "\"99999999999999999999\"",
            "/nodes/0/devices/1/time_model/conv2d.forward/knots/bytes/99999999999999999999: the "
            "knot \"99999999999999999999\"; expected a whole number of at least 0 as text"},
      Fault{"{\"bytes\": {\"1310720\"", "{\"\": {\"1310720\"",
            "/nodes/0/devices/1/time_model/conv2d.forward/knots: an empty key; expected a name"},
      Fault{"\"sigma\": 0.08", "\"sigma\": -1",
            "/nodes/0/devices/1/time_model/conv2d.forward/sigma: -1; expected a number of at least "
            "0"},
      Fault{"\"op\": \"gemm\"", "\"op\": \"\"",
            "/nodes/0/devices/1/kernels/0/op: an empty text; expected an op"},
      Fault{"\"workspace_bytes\": 8192", "\"workspace_bytes\": -8",
            "/nodes/0/devices/1/kernels/0/workspace_bytes: -8; expected a whole number of at least "
            "0"},
      Fault{", \"seconds\": 0.5", "",
            "/nodes/0/devices/1/kernels/0: no key \"seconds\"; expected \"seconds\""}));
}

TEST_CASE("faults of corrections are named", "[platform]") {
  require_fault(GENERATE(Fault{"\"widths\": [0.5, 2]", "\"widths\": [0.5]",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/widths: 1 numbers for 2 features; expected as many"},
                         Fault{"\"widths\": [0.5, 2]", "\"widths\": [0.5, 0]",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/widths/1: 0; expected a number from 1e-30 to 1e+30"},
                         Fault{"\"features\": [\"bytes\"", "\"features\": [\"\"",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/features/0: an empty text; expected a feature"},
                         Fault{"\"caution\": 0.25", "\"caution\": 0",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/caution: 0; expected a number from 1e-30 to 1e+30"},
                         Fault{"\"at\": [10, 12.5]", "\"at\": [10]",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/points/0/at: 1 numbers for 2 features; expected as many"},
                         Fault{"\"at\": [10, 12.5]", "\"at\": [10, -1]",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/points/0/at/1: -1; expected a number of at least 0"},
                         Fault{"\"factor\": 1.25", "\"factor\": 3.5",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/points/0/factor: 3.5; expected a factor from 1/3 to 3"},
                         Fault{"\"factor\": 1.25", "\"factor\": 0.25",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/points/0/factor: 0.25; expected a factor from 1/3 to 3"},
                         Fault{"\"tasks\": 3", "\"tasks\": 0",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/points/0/tasks: 0; expected a number from 1e-30 to 1e+30"},
                         Fault{"[{\"at\": [10, 12.5], \"tasks\": 3, \"factor\": 1.25}]", "[]",
                               "/nodes/0/devices/1/time_model/conv2d.forward/correction"
                               "/points: no points; expected at least one, or no correction"}));
}

TEST_CASE("faults of links are named", "[platform]") {
  require_fault(GENERATE(
      Fault{"\"to\": \"hbm\"", "\"to\": \"vram\"",
            "/nodes/0/links/1/to: there is no memory \"vram\" here; expected one of disk, hbm, "
            "ram"},
      Fault{"\"to\": \"hbm\"", "\"to\": \"disk\"",
            "/nodes/0/links/1: a second link n0/ram>n0/disk; expected at most one in each "
            "direction"},
      Fault{"\"to\": \"hbm\"", "\"to\": \"ram\"",
            "/nodes/0/links/1/to: a link from \"n0/ram\" to itself; expected another memory"},
      Fault{"\"to\": \"n1/ram\"", "\"to\": \"ram\"",
            "/network/0/to: there is no memory \"ram\" here; expected one of n0/disk, n0/hbm, "
            "n0/ram, n1/ram"},
      Fault{"\"to\": \"n1/ram\"", "\"to\": \"n0/hbm\"",
            "/network/0: a link inside a node; expected it among the links of that node"},
      Fault{"2e9", "0",
            "/nodes/0/links/1/bytes_per_second: 0; expected a number from 1e-30 to 1e+30"},
      Fault{"2e-6,", "-2e-6,",
            "/network/0/latency_seconds: -2e-06; expected a number of at least 0"},
      Fault{"\"blocking\": true", "\"blocking\": 1",
            "/network/0/blocking: a number; expected true or false"},
      Fault{"\"channel\": \"eth\"", "\"channel\": 3",
            "/network/0/channel: a number; expected a text"},
      Fault{"\"channel\": \"eth\"", "\"chanel\": \"eth\"",
            "/network/0: unknown key \"chanel\"; expected only from, to, bytes_per_second, "
            "latency_seconds, joules_per_byte, active_watts, channel, blocking"}));
}

TEST_CASE("a platform has no more than a million workers, links included", "[platform]") {
  Platform platform = random_platform(1, {.max_devices = 1});
  const Device device = platform.devices.front();
  platform.devices.clear();
  for (int i = 0; i < 16; ++i) {
    platform.devices.push_back(device);
    platform.devices.back().name = "d" + std::to_string(i);
    platform.devices.back().workers = most_workers_of_a_device;
  }
  platform.links.clear();
  REQUIRE_NOTHROW(check(platform));
  platform.devices.push_back(device);
  platform.devices.back().workers = 1;
  REQUIRE_THROWS_WITH(check(platform),
                      "/nodes: 1048577 workers, links included; expected at most 1048576");
}

TEST_CASE("ids and orders that no file can have are faults too", "[platform]") {
  const Platform sound = parse_platform(two_nodes(), "p.json");
  Platform platform = sound;
  platform.devices[0].memory = MemoryId{4};
  CHECK_THROWS_WITH(check(platform), "/nodes: there is no memory 4; expected one of 4 memories");
  platform = sound;
  platform.devices[0].memory = MemoryId{3};
  CHECK_THROWS_WITH(check(platform),
                    "/nodes/0/devices/0/memory: \"ram\" is in another node; expected one of this "
                    "node");
  platform = sound;
  platform.memories[0].node = NodeId{1};
  CHECK_THROWS_WITH(check(platform), "/nodes: \"disk\" is in node 0; expected items node by node");
  platform = sound;
  platform.devices[1].node = NodeId{-1};
  CHECK_THROWS_WITH(check(platform), "/nodes: \"gpu\" is in node -1; expected items node by node");
  platform = sound;
  std::swap(platform.links[0], platform.links[2]);
  CHECK_THROWS_WITH(check(platform),
                    "/nodes: links out of order; expected them node by node, network last");
  platform = sound;
  platform.links[2].network = false;
  CHECK_THROWS_WITH(check(platform),
                    "/nodes/0/links/2: a link between nodes; expected it in \"network\"");
  platform = sound;
  platform.nodes[1].name = "n0";
  CHECK_THROWS_WITH(
      check(platform),
      "/nodes/1/name: the name \"n0\" is taken; expected names that differ among nodes");
  platform = sound;
  platform.devices[1].idle_watts = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(check(platform),
                    "/nodes/0/devices/1/idle_watts: nan; expected a number from 0 to 1e+30");
}
