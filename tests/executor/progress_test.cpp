#include "executor/progress.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace stint;

namespace {

const Stop never{false};

}  // namespace

TEST_CASE("a waiting thread goes on when the count is reached, asleep or spinning", "[progress]") {
  for (const Ticks spin : {Ticks{0}, Ticks{1} << 40U}) {
    Progress progress;
    const Stop stop{false};
    bool reached = false;
    std::thread waiting([&] { reached = progress.wait(3, spin, stop, never); });
    for (std::uint32_t count = 1; count <= 3; ++count) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      progress.publish(count);
    }
    waiting.join();
    CHECK(reached);
  }
}

TEST_CASE("counts are handed to and fro without losing a wake-up", "[progress]") {
  Progress ping;
  Progress pong;
  constexpr std::uint32_t rounds = 20000;
  std::thread other([&] {
    for (std::uint32_t i = 1; i <= rounds; ++i) {
      ping.wait(i, i % 2 == 0 ? 0 : 1000, never, never);
      pong.publish(i);
    }
  });
  for (std::uint32_t i = 1; i <= rounds; ++i) {
    ping.publish(i);
    pong.wait(i, i % 3 == 0 ? 0 : 1000, never, never);
  }
  other.join();
  CHECK(pong.reached(rounds));
}

TEST_CASE("stopping ends waiting", "[progress]") {
  for (const Ticks spin : {Ticks{0}, Ticks{1} << 40U}) {
    Progress progress;
    Stop stop{false};
    bool reached = true;
    std::thread waiting([&] { reached = progress.wait(1, spin, stop, never); });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop = true;
    waiting.join();
    CHECK_FALSE(reached);
  }
}
