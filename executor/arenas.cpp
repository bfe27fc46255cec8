#include "executor/arenas.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "executor/accelerator.hpp"
#include "executor/witness.hpp"
#include "files/input_error.hpp"
#include "platforms/here.hpp"
#include "platforms/names.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

bool is_storage_memory(const Schedule& schedule, MemoryId memory) {
  return schedule.platform.memories[memory].kind == MemoryKind::storage;
}

bool is_of_device(const Accelerator* accelerator, MemoryId memory) {
  return accelerator != nullptr && accelerator->holds(memory);
}

void expect_to_fit(const Schedule& schedule, const Accelerator* accelerator) {
  std::int64_t needed = 0;
  for (const auto& [name, bytes] : schedule.arenas) {
    const MemoryId memory = *find_memory(schedule.platform, name);
    if (!is_storage_memory(schedule, memory) && !is_of_device(accelerator, memory))
      needed = add_bytes(needed, bytes);
  }
  const std::int64_t available = available_memory_bytes();
  if (needed <= available) return;
  throw InputError("/arenas", fmt::format("{} of memory; expected at most the {} that this machine "
                                          "can give",
                                          bytes_text(needed), bytes_text(available)));
}

void expect_storage(const Schedule& schedule, const std::string& name) {
  const auto memory = find_memory(schedule.platform, name);
  if (memory && is_storage_memory(schedule, *memory)) return;
  throw InputError("--storage " + name, "no storage of the plan's platform; expected one");
}

std::string folder_of(const StorageFolders& folders, const std::string& name) {
  const auto found = folders.find(name);
  return found != folders.end() ? found->second : std::filesystem::temp_directory_path().string();
}

// Whether every buffer there begins a block and shares none.
bool has_whole_blocks(const Schedule& schedule, MemoryId memory) {
  if (schedule.platform.memories[memory].alignment_bytes % StorageFile::block_bytes != 0) {
    return false;
  }
  return std::none_of(schedule.buffers.begin(), schedule.buffers.end(), [&](const Buffer& buffer) {
    return buffer.memory == memory && buffer.within != no_buffer;
  });
}

// All pages are there before the first step.
std::byte* map_bytes(std::size_t bytes) {
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(mapped);
}

}  // namespace

void Arenas::Unmap::operator()(std::byte* mapped) const {
  if (accelerator != nullptr)
    accelerator->release(memory, mapped);
  else
    ::munmap(mapped, bytes);
}

Arenas::Arenas(const Schedule& schedule, const StorageFolders& folders, Accelerator* accelerator)
    : accelerator_(accelerator), checksums_(schedule) {
  for (const auto& [name, folder] : folders) expect_storage(schedule, name);
  expect_to_fit(schedule, accelerator);
  arenas_.resize(schedule.platform.memories.size());
  for (const auto& [name, bytes] : schedule.arenas) {
    const MemoryId memory = *find_memory(schedule.platform, name);
    if (is_storage_memory(schedule, memory)) {
      arenas_[memory].file = std::make_unique<StorageFile>(folder_of(folders, name), bytes,
                                                           has_whole_blocks(schedule, memory));
    } else if (bytes > 0) {
      const auto size = static_cast<std::size_t>(bytes);
      std::byte* const at =
          accelerator != nullptr ? accelerator->allocate(memory, bytes) : map_bytes(size);
      arenas_[memory].mapped = {at, Unmap{size, accelerator, memory}};
    }
  }
}

bool Arenas::is_on_device(MemoryId memory) const { return is_of_device(accelerator_, memory); }

void Arenas::note_touch(const Place& place, std::int64_t step, bool writes) const {
  Witness* const witness = accelerator_ == nullptr ? nullptr : accelerator_->witness();
  if (witness != nullptr) witness->touch("between steps", bytes(place, step), writes);
}

void Arenas::store(const Place& place, std::int64_t step, std::span<const std::byte> bytes,
                   const StorageFile::Bounce& bounce) {
  checksums_.note(place, step, bytes);
  arenas_[place.memory].file->write(place.offset(step), bytes, bounce);
}

void Arenas::fetch(const Place& place, std::int64_t step, std::span<std::byte> bytes,
                   const StorageFile::Bounce& bounce) const {
  arenas_[place.memory].file->read(place.offset(step), bytes, bounce);
  if (checksums_.agree(place, step, bytes)) return;
  throw std::runtime_error("storage gave back other bytes than were written; expected the same");
}

void Arenas::put(const Place& place, std::int64_t step, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (is_storage(place.memory)) return store(place, step, bytes, bounce_);
  if (is_on_device(place.memory))
    return accelerator_->put(place.memory, this->bytes(place, step).data(), bytes);
  note_touch(place, step, true);
  std::memcpy(this->bytes(place, step).data(), bytes.data(), bytes.size());
}

std::vector<std::byte> Arenas::get(const Place& place, std::int64_t step) const {
  std::vector<std::byte> result(static_cast<std::size_t>(place.bytes));
  if (result.empty()) return result;
  if (is_storage(place.memory)) {
    fetch(place, step, result, bounce_);
  } else if (is_on_device(place.memory)) {
    accelerator_->get(place.memory, bytes(place, step).data(), result);
  } else {
    note_touch(place, step, false);
    std::memcpy(result.data(), bytes(place, step).data(), result.size());
  }
  return result;
}

}  // namespace stint
