// Storage memories are real files, without a name, and what they give back is checked.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <vector>

#include "executor/byte_streams.hpp"
#include "executor/storage_file.hpp"
#include "files/input_error.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

std::vector<std::byte> some_bytes(std::size_t size, std::uint64_t key) {
  std::vector<std::byte> bytes(size);
  write_stream(key, 0, bytes);
  return bytes;
}

// Overwrites the first bytes of every open file without a name in the folder.
int damage_files_of(const std::string& folder) {
  int damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (error || !target.starts_with(folder) || !target.ends_with("(deleted)")) continue;
    const int file = ::open(entry.path().c_str(), O_WRONLY);
    const std::string other(64, 'x');
    if (file >= 0 && ::pwrite(file, other.data(), other.size(), 0) > 0) ++damaged;
    ::close(file);
  }
  return damaged;
}

// The chain with x1 on disk for a while, in blocks of the disk.
Schedule offloaded_in_blocks() {
  Schedule schedule = chain_offloaded();
  for (Memory& memory : schedule.platform.memories) {
    if (memory.kind == MemoryKind::storage) memory.alignment_bytes = 4096;
  }
  schedule.arenas["n0/disk"] = 4096;
  predict_again(schedule);
  schedule.predicted.objective.gap = 0;
  return schedule;
}

}  // namespace

TEST_CASE("a storage file gives back what was written, direct or not", "[storage]") {
  const TemporaryFolder folder;
  for (const bool whole_blocks : {false, true}) {
    const StorageFile file(folder.path(""), 5 << 20, whole_blocks);
    const StorageFile::Bounce bounce;
    for (const std::size_t size : {1UL, 4096UL, 5000UL, (2UL << 20U) + 17}) {
      const std::int64_t offset = whole_blocks ? 8192 : 777;
      const auto written = some_bytes(size, size);
      file.write(offset, written, bounce);
      std::vector<std::byte> read(size);
      file.read(offset, read, bounce);
      CHECK(read == written);
    }
  }
  CHECK(folder.names().empty());
}

TEST_CASE("a folder that is none, or cannot hold the file, is refused", "[storage]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(StorageFile(folder.path("nowhere"), 1, false), InputError);
  CHECK_THROWS_AS(StorageFile(folder.file("file", "text"), 1, false), InputError);
  CHECK_THROWS_AS(StorageFile(folder.path(""), std::int64_t{1} << 60, false), std::runtime_error);
  CHECK(folder.names() == std::vector<std::string>{"file"});
}

TEST_CASE("a plan with storage replays in the folder that it is given", "[storage]") {
  const TemporaryFolder folder;
  RunOptions options = quick_options();
  options.storage["n0/disk"] = folder.path("");
  for (const Schedule& schedule : {chain_offloaded(), offloaded_in_blocks()}) {
    const RunReport report = replay(schedule, options);
    CHECK(report.replayed_exactly);
    CHECK(hashes(report) == reference_run(schedule.graph, 3));
  }
  CHECK(folder.names().empty());
  options.storage["n0/ram"] = folder.path("");
  CHECK_THROWS_WITH(replay(chain_offloaded(), options), Catch::Contains("--storage n0/ram"));
}

TEST_CASE("bytes that storage lost are noticed, and the action is named", "[storage]") {
  const TemporaryFolder folder;
  RunOptions options = quick_options();
  options.storage["n0/disk"] = folder.path("");
  const Schedule schedule = chain_offloaded();
  int damaged = 0;
  const auto damage = [&](ActionId id, std::int64_t) {
    const Action& action = schedule.actions[id];
    const bool fetches = action.what == Do::copy && schedule.buffers[action.writes[0]].memory ==
                                                        *find_memory(schedule.platform, "n0/ram");
    if (fetches) damaged += damage_files_of(folder.path(""));
  };
  CHECK_THROWS_WITH(replay_with(schedule, damage, options),
                    Catch::Contains("copy x1 on n0/disk>n0/ram") &&
                        Catch::Contains("storage gave back other bytes"));
  CHECK(damaged > 0);
}
