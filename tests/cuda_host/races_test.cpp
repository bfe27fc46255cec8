// The history of accesses against a table with one entry for each byte.
#include "tests/cuda_host/races.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace cuda_host;

namespace {

constexpr int bytes = 24;
constexpr int agents = 4;

// What each agent last read and wrote, byte by byte.
struct ByteHistory {
  std::uint64_t reads[bytes][agents] = {};
  std::uint64_t writes[bytes][agents] = {};

  bool add(const MemoryAccess& access, AgentId agent, const VectorClock& clock) {
    bool races = false;
    for (Address at = access.first; at < access.first + access.bytes; ++at) {
      for (int other = 0; other < agents; ++other) {
        const std::uint64_t known = clock.at(AgentId{other});
        races |= writes[at][other] > known || (access.writes && reads[at][other] > known);
      }
      (access.writes ? writes : reads)[at][agent] = clock.at(agent);
    }
    return races;
  }
};

}  // namespace

TEST_CASE("races are found exactly where a table of all bytes finds them", "[cuda_host]") {
  const auto seed = GENERATE(range(0, 300));
  std::mt19937_64 random(seed);
  AccessHistory history;
  ByteHistory table;
  std::vector<VectorClock> clocks(agents);
  for (int step = 0; step < 40; ++step) {
    const AgentId agent{static_cast<int>(random() % agents)};
    if (random() % 2 == 0) clocks[agent].join(clocks[random() % agents]);
    clocks[agent].tick(agent);
    const Address first = random() % bytes;
    const MemoryAccess access{first, random() % (bytes - first + 1), random() % 2 == 0};
    const auto label = std::make_shared<const std::string>("a");
    const bool found = !history.add(access, {agent, &clocks[agent], label}).empty();
    const bool expected = table.add(access, agent, clocks[agent]);
    CAPTURE(seed, step, access.first, access.bytes, access.writes);
    REQUIRE(found == expected);
    if (found) return;  // what follows a race is of no interest
  }
}
