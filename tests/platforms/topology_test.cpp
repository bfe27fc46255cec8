// Discovery on machines that hwloc makes up.
#include "platforms/topology.hpp"

#include <hwloc.h>

#include <catch2/catch.hpp>
#include <string>

using namespace stint;

namespace {

constexpr std::int64_t GiB = std::int64_t{1} << 30;

// A synthetic hwloc topology, from the inside of a package: "pack:2 core:4 pu:2".
class Synthetic {
 public:
  explicit Synthetic(const std::string& description) {
    REQUIRE(hwloc_topology_init(&hwloc_) == 0);
    REQUIRE(hwloc_topology_set_synthetic(hwloc_, description.c_str()) == 0);
    REQUIRE(hwloc_topology_load(hwloc_) == 0);
  }
  Synthetic(const Synthetic&) = delete;
  Synthetic& operator=(const Synthetic&) = delete;
  ~Synthetic() { hwloc_topology_destroy(hwloc_); }

  // Says that the hardware threads of a list such as "0-3" are of one kind; higher is faster.
  void add_kind(const char* threads, int efficiency) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(set, threads);
    const int outcome = hwloc_cpukinds_register(hwloc_, set, efficiency, 0, nullptr, 0);
    hwloc_bitmap_free(set);
    REQUIRE(outcome == 0);
  }
  void keep_only(const char* threads) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(set, threads);
    const int outcome = hwloc_topology_restrict(hwloc_, set, 0);
    hwloc_bitmap_free(set);
    REQUIRE(outcome == 0);
  }
  Topology read() const { return read_topology(hwloc_); }

 private:
  hwloc_topology_t hwloc_ = nullptr;
};

std::vector<int> cores(const Topology& topology) {
  std::vector<int> counts;
  for (const CoreGroup& group : topology.groups) counts.push_back(group.cores);
  return counts;
}

}  // namespace

TEST_CASE("hardware threads of a core count once", "[topology]") {
  const Topology topology = Synthetic("node:1(memory=4GB) pack:1 core:4 pu:2").read();
  CHECK(cores(topology) == std::vector{4});
  CHECK(topology.memory_bytes.size() == 1);
}

TEST_CASE("packages that share a memory are one group", "[topology]") {
  CHECK(cores(Synthetic("node:1 pack:2 core:3 pu:1").read()) == std::vector{6});
}

TEST_CASE("every NUMA memory has the cores beside it", "[topology]") {
  const Topology topology = Synthetic("pack:2 node:2(memory=1073741824) core:3 pu:2").read();
  CHECK(topology.memory_bytes == std::vector{GiB, GiB, GiB, GiB});
  CHECK(cores(topology) == std::vector{3, 3, 3, 3});
  CHECK(topology.groups[2].memory == 2);
}

TEST_CASE("caches are listed from the core outwards with the cores that share them", "[topology]") {
  const Topology topology =
      Synthetic("node:1 pack:1 l3:1(size=8388608) l2:2(size=1048576) l1d:2(size=32768) core:1 pu:2")
          .read();
  CHECK(cores(topology) == std::vector{4});
  CHECK(topology.groups[0].caches ==
        std::vector<Cache>{{1, 32768, 1}, {2, 1048576, 2}, {3, 8388608, 4}});
}

TEST_CASE("every kind of core is a group, the fastest first", "[topology]") {
  Synthetic machine("node:1 pack:1 core:6 pu:1");
  machine.add_kind("0-1", 20);
  machine.add_kind("2-5", 10);
  const Topology topology = machine.read();
  CHECK(cores(topology) == std::vector{2, 4});
  CHECK(topology.groups[0].kind == 0);
  CHECK(topology.groups[1].kind == 1);
}

TEST_CASE("kinds are told apart in every memory", "[topology]") {
  Synthetic machine("node:2 core:4 pu:1");
  machine.add_kind("0,4", 2);
  machine.add_kind("1-3,5-7", 1);
  CHECK(cores(machine.read()) == std::vector{1, 3, 1, 3});
}

TEST_CASE("cores of no known kind come after the others", "[topology]") {
  Synthetic machine("node:1 core:4 pu:1");
  machine.add_kind("2", 1);
  CHECK(cores(machine.read()) == std::vector{1, 3});
}

TEST_CASE("hardware threads without cores are taken for cores", "[topology]") {
  CHECK(cores(Synthetic("node:1 pu:3").read()) == std::vector{3});
}

TEST_CASE("only the cores that are left count", "[topology]") {
  Synthetic machine("node:1 core:4 pu:2");
  machine.keep_only("1-4");
  CHECK(cores(machine.read()) == std::vector{3});
}

TEST_CASE("a memory without cores of its own is still a memory", "[topology]") {
  Synthetic machine("node:2 core:2 pu:1");
  machine.keep_only("0-1");
  const Topology topology = machine.read();
  CHECK(topology.memory_bytes.size() == 2);
  CHECK(cores(topology) == std::vector{2});
}

TEST_CASE("this machine has a core and a memory", "[topology]") {
  const Topology topology = topology_here();
  REQUIRE_FALSE(topology.groups.empty());
  REQUIRE_FALSE(topology.memory_bytes.empty());
  CHECK(topology.groups[0].cores >= 1);
}
