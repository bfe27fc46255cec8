#include "executor/calibrate/measure_links.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <thread>

#include "executor/calibrate/gpu_clocks.hpp"
#include "executor/calibrate/nnls.hpp"
#include "executor/storage_file.hpp"
#include "executor/ticks.hpp"
#include "platforms/cores.hpp"

namespace stint {
namespace {

constexpr int readings = 3;

template <typename Copy>
double least_seconds(const Copy& copy) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < readings; ++i) {
    const std::int64_t begin = steady_nanoseconds();
    copy();
    least = std::min(least, 1e-9 * static_cast<double>(steady_nanoseconds() - begin));
  }
  return std::max(least, 1e-9);
}

double storage_seconds(const std::string& folder, std::int64_t bytes, bool is_write) {
  const StorageFile file(folder, bytes, true);
  const StorageFile::Bounce bounce;
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes), std::byte{1});
  file.write(0, memory, bounce);
  return least_seconds([&] {
    if (is_write)
      file.write(0, memory, bounce);
    else
      file.read(0, memory, bounce);
  });
}

// The first core beside a memory; 0 where it has none.
int core_beside(MemoryId memory, const Platform& platform) {
  int core = 0;
  for (const Device& device : platform.devices) {
    if (device.memory == memory) return core;
    core += device.workers;
  }
  return 0;
}

// Pages lie beside the core that first touches them.
std::vector<std::byte> bytes_beside(int core, std::int64_t bytes) {
  std::vector<std::byte> memory;
  std::jthread([&] {
    Cores::here().pin_this_thread(core);
    memory.assign(static_cast<std::size_t>(bytes), std::byte{1});
  }).join();
  return memory;
}

double memory_seconds(int from_core, int to_core, std::int64_t bytes) {
  const std::vector<std::byte> from = bytes_beside(from_core, bytes);
  std::vector<std::byte> to = bytes_beside(to_core, bytes);
  Cores::here().pin_this_thread(from_core);
  return least_seconds([&] { std::memcpy(to.data(), from.data(), from.size()); });
}

void price(const CopyClock& clock, const std::vector<std::int64_t>& sizes, Link& link) {
  std::vector<std::vector<double>> columns(2);
  for (const std::int64_t bytes : sizes) {
    const double seconds = clock(link, bytes);
    columns[0].push_back(1 / seconds);
    columns[1].push_back(static_cast<double>(bytes) / seconds);
  }
  const std::vector<double> ones(sizes.size(), 1);
  const std::vector<double> prices = non_negative_least_squares(columns, ones);
  if (prices[1] <= 0) return;
  link.latency_seconds = {prices[0], Basis::measured, ""};
  link.bytes_per_second = {1 / prices[1], Basis::measured, ""};
}

bool is_gpu_link(const Platform& platform, const Link& link) {
  return is_of_gpu(platform, link.from) || is_of_gpu(platform, link.to);
}

}  // namespace

CopyClock copy_clock_here(const Platform& platform, const std::string& folder) {
  const auto is_storage = [&platform](MemoryId memory) {
    return platform.memories[memory].kind == MemoryKind::storage;
  };
  return [&platform, folder, is_storage](const Link& link, std::int64_t bytes) {
    if (is_gpu_link(platform, link)) return gpu_copy_seconds(platform, link, bytes);
    if (is_storage(link.to)) return storage_seconds(folder, bytes, true);
    if (is_storage(link.from)) return storage_seconds(folder, bytes, false);
    return memory_seconds(core_beside(link.from, platform), core_beside(link.to, platform), bytes);
  };
}

void measure_links(const CopyClock& clock, const std::vector<std::int64_t>& sizes,
                   Platform& platform) {
  for (Link& link : platform.links) price(clock, sizes, link);
}

void measure_gpu_links(const std::vector<std::int64_t>& sizes, Platform& platform) {
  const CopyClock clock = [&platform](const Link& link, std::int64_t bytes) {
    return gpu_copy_seconds(platform, link, bytes);
  };
  for (Link& link : platform.links) {
    if (is_gpu_link(platform, link)) price(clock, sizes, link);
  }
}

}  // namespace stint
