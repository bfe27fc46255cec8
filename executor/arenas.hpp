// The memories of a schedule on this machine: for every arena one mapping, made once and touched
// once, or, for a storage memory, one file. Offsets of buffers are offsets in these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/backend.hpp"
#include "executor/checksums.hpp"
#include "executor/storage_file.hpp"

namespace stint {

class Accelerator;

// Folders for storage memories, by memory name; the temporary folder for those not named.
using StorageFolders = std::map<std::string, std::string>;

class Arenas {
 public:
  // Throws InputError if this machine does not have the memory. With an accelerator, which must
  // outlive it, memories of devices are there, and the others are pinned.
  Arenas(const Schedule& schedule, const StorageFolders& folders,
         Accelerator* accelerator = nullptr);

  bool is_storage(MemoryId memory) const { return arenas_[memory].file != nullptr; }

  // Memory of a device: addresses mean nothing to the host.
  bool is_on_device(MemoryId memory) const;

  // The bytes of a place that is not in storage.
  std::span<std::byte> bytes(const Place& place, std::int64_t step) const {
    return {arenas_[place.memory].mapped.get() + place.offset(step),
            static_cast<std::size_t>(place.bytes)};
  }

  // A place in storage. What is read must be what was written: every piece has a checksum, and
  // std::runtime_error says so if the file has lost it. `bounce` is the calling thread's own.
  void store(const Place& place, std::int64_t step, std::span<const std::byte> bytes,
             const StorageFile::Bounce& bounce);
  void fetch(const Place& place, std::int64_t step, std::span<std::byte> bytes,
             const StorageFile::Bounce& bounce) const;

  // Any place; for use between steps.
  void put(const Place& place, std::int64_t step, std::span<const std::byte> bytes);
  std::vector<std::byte> get(const Place& place, std::int64_t step) const;

 private:
  struct Unmap {
    std::size_t bytes = 0;
    Accelerator* accelerator = nullptr;  // whose it is, if anyone's
    MemoryId memory = no_memory;
    void operator()(std::byte* mapped) const;
  };
  struct Arena {
    std::unique_ptr<std::byte, Unmap> mapped{nullptr, Unmap{}};
    std::unique_ptr<StorageFile> file;
  };
  void note_touch(const Place& place, std::int64_t step, bool writes) const;

  Accelerator* accelerator_;
  std::vector<Arena> arenas_;  // by memory
  Checksums checksums_;        // of what is in storage
  StorageFile::Bounce bounce_;
};

}  // namespace stint
