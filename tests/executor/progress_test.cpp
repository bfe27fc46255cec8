#include "executor/progress.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace stint;

TEST_CASE("a waiting thread goes on when the count is reached, asleep or spinning", "[progress]") {
  for (const Ticks spin : {Ticks{0}, Ticks{1} << 40U}) {
    Progress progress;
    Stop stop{false};
    bool reached = false;
    std::thread waiting([&] { reached = progress.wait(3, spin, stop); });
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
  const Stop stop{false};
  constexpr std::uint32_t rounds = 20000;
  std::thread other([&] {
    for (std::uint32_t i = 1; i <= rounds; ++i) {
      ping.wait(i, i % 2 == 0 ? 0 : 1000, stop);
      pong.publish(i);
    }
  });
  for (std::uint32_t i = 1; i <= rounds; ++i) {
    ping.publish(i);
    pong.wait(i, i % 3 == 0 ? 0 : 1000, stop);
  }
  other.join();
  CHECK(pong.reached(rounds));
}

TEST_CASE("stopping ends waiting", "[progress]") {
  for (const Ticks spin : {Ticks{0}, Ticks{1} << 40U}) {
    Progress progress;
    Stop stop{false};
    std::atomic<bool> ended{false};
    bool reached = true;
    std::thread waiting([&] {
      reached = progress.wait(1, spin, stop);
      ended = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop = true;
    while (!ended) progress.wake();
    waiting.join();
    CHECK_FALSE(reached);
  }
}

TEST_CASE("a wait with a limit ends", "[progress]") {
  Progress progress;
  CHECK_FALSE(progress.wait_for_seconds(1, 0.001));
  progress.publish(1);
  CHECK(progress.wait_for_seconds(1, 0.001));
}
