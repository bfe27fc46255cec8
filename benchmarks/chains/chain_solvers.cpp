// How fast are the solvers of homogeneous chains, and how good are their plans? Compares Revolve,
// Disk-Revolve and H-Revolve with the package checkpoint-schedules, schedules included, in one run,
// turn by turn; then shows how our time grows with the chain. Prints two tables. The package stands
// in the build tree (target chain_peer); where it could not be had, its columns say so. Lengths for
// the second table may be given as arguments; then only that one is made.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/chains/disk_revolve.hpp"
#include "planner/chains/h_revolve.hpp"
#include "planner/chains/level_moves.hpp"
#include "planner/chains/mixed.hpp"
#include "planner/chains/revolve.hpp"

using namespace stint;

namespace {

// Whole costs, as the peer's program takes them.
struct Case {
  std::string kind;  // revolve, disk_revolve or h_revolve
  std::int64_t length = 0;
  std::int64_t slots = 0;
  std::int64_t disk_slots = 0;
  int uf = 1;
  int ub = 1;
  int wd = 0;
  int rd = 0;
};

struct Measured {
  double seconds = 0;
  double cost = 0;
};

double solve(const Case& c) {
  const double uf = c.uf;
  const double ub = c.ub;
  const double wd = c.wd;
  const double rd = c.rd;
  if (c.kind == "revolve") return solve_revolve({c.length, c.slots, uf, ub})->cost;
  if (c.kind == "disk_revolve") {
    return solve_disk_revolve({c.length, c.slots, uf, ub, wd, rd}).cost;
  }
  return solve_h_revolve({c.length, uf, ub, {{c.slots, 0, 0}, {c.disk_slots, wd, rd}}})->cost;
}

// Processor seconds of one call; short ones are repeated, because the clock is coarse.
Measured measure(const std::function<double()>& work) {
  Measured result;
  const std::clock_t start = std::clock();
  int calls = 0;
  do {
    result.cost = work();
    ++calls;
    result.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (result.seconds < 0.02);
  result.seconds /= calls;
  return result;
}

std::optional<Measured> measure_peer(const Case& c) {
  if (!std::filesystem::exists(std::string(CHAIN_PEER_PACKAGES) + "/checkpoint_schedules"))
    return {};
  const std::string command = fmt::format(
      "PYTHONPATH='{}' python3 '{}/peer.py' {} {} {} {} {} {} {} {}", CHAIN_PEER_PACKAGES,
      CHAIN_PEER_SOURCES, c.kind, c.length, c.slots, c.disk_slots, c.uf, c.ub, c.wd, c.rd);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  Measured result;
  const bool read = std::fscanf(pipe, "%lf %lf", &result.seconds, &result.cost) == 2;
  return pclose(pipe) == 0 && read ? std::optional(result) : std::nullopt;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const Case& c) {
  std::vector<double> ours;
  std::vector<double> theirs;
  std::vector<double> ratios;
  double cost = 0;
  double peer_cost = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const Measured mine = measure([&] { return solve(c); });
    ours.push_back(mine.seconds);
    cost = mine.cost;
    const auto peer = measure_peer(c);
    if (!peer) continue;
    theirs.push_back(peer->seconds);
    ratios.push_back(peer->seconds / mine.seconds);
    peer_cost = peer->cost;
  }
  fmt::print("{:<13}{:>7}{:>6}{:>6}  {:<14}{:>12.6f}{:>9.0f}", c.kind, c.length, c.slots,
             c.disk_slots, fmt::format("{} {} {} {}", c.uf, c.ub, c.wd, c.rd), median(ours), cost);
  if (theirs.empty()) {
    fmt::print("   not available\n");
  } else {
    fmt::print("{:>11.3f}{:>9.0f}{:>9.0f}x{:>+10.1f} %\n", median(theirs), peer_cost,
               median(ratios), 100 * (peer_cost / cost - 1));
  }
}

void compare_with_peer() {
  fmt::print("{:<13}{:>7}{:>6}{:>6}  {:<14}{:>12}{:>9}{:>11}{:>9}{:>10}{:>12}\n", "", "l", "slots",
             "disk", "uf ub wd rd", "ours, s", "cost", "peer, s", "cost", "faster", "peer costs");
  for (const std::int64_t length : {100, 500}) {
    compare({"revolve", length, 10, 0, 1, 1, 2, 2});
    compare({"revolve", length, 50, 0, 1, 1, 2, 2});
    compare({"disk_revolve", length, 10, 0, 1, 1, 20, 20});
    compare({"disk_revolve", length, 1, 0, 1, 1, 100, 2});
    compare({"disk_revolve", length, 3, 0, 1, 1, 20, 2});
    compare({"h_revolve", length, 10, 20, 1, 1, 20, 20});
    compare({"h_revolve", length, 10, 20, 1, 2, 20, 20});
    compare({"h_revolve", length, 10, 20, 1, 10, 20, 20});
    compare({"h_revolve", length, 10, 20, 2, 1, 20, 20});
  }
}

void grow(std::int64_t length) {
  const std::vector<std::function<double()>> solvers = {
      [&] {
        return solve({"revolve", length, 100, 0, 1, 2});
      },
      [&] {
        return solve({"disk_revolve", length, 10, 0, 1, 2, 20, 20});
      },
      [&] {
        return solve({"h_revolve", length, 100, 100, 1, 2, 20, 20});
      },
      [&] {
        return solve({"h_revolve", length, 10, 100, 1, 2, 20, 20});
      },
      [&] {
        return solve_h_revolve({length, 1, 2, {{10, 0.1, 0.1}, {100, 20, 20}}})->cost;
      },
      [&] {
        return solve_level_moves({length, 1, 2, {{4, 1, 9}, {4, 10, 5}}})->cost;
      },
      [&] {
        return static_cast<double>(solve_mixed({length, 100})->forwards);
      }};
  fmt::print("{:>8}", length);
  for (const auto& solver : solvers) fmt::print("{:>15.6f}", measure(solver).seconds);
  fmt::print("\n");
}

void show_growth(const std::vector<std::int64_t>& lengths) {
  fmt::print("{:>8}{:>15}{:>15}{:>15}{:>15}{:>15}{:>15}{:>15}\n", "l", "revolve 100", "disk 10",
             "h 100+100", "h 10+100", "h 10+100 w0>0", "moves 4+4", "mixed 100");
  for (const std::int64_t length : lengths) grow(length);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::int64_t> lengths;
    for (int i = 1; i < argc; ++i) lengths.push_back(std::stoll(argv[i]));
    if (lengths.empty()) {
      compare_with_peer();
      fmt::print("\nOur processor seconds, schedule included\n");
      lengths = {100, 500, 1000, 2000, 5000, 10000};
    }
    show_growth(lengths);
  } catch (const std::exception& error) {
    fmt::print(stderr, "chain_solvers: {}\n", error.what());
    return 1;
  }
}
