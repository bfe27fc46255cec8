// A storage memory: a file of the arena's size, allocated once, without a name, so that nothing is
// left behind however the program ends.
//
// Goes past the page cache (O_DIRECT) where the file system allows it and every buffer has blocks
// of its own; so a copy to a disk is one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stint {

class StorageFile {
 public:
  // Throws InputError if the folder is none, std::runtime_error if the disk is full or fails.
  StorageFile(const std::string& folder, std::int64_t bytes, bool buffers_are_whole_blocks);
  ~StorageFile();
  StorageFile(const StorageFile&) = delete;
  StorageFile& operator=(const StorageFile&) = delete;

  static constexpr std::int64_t block_bytes = 4096;  // of O_DIRECT, on all file systems we know

  // Whole buffers, at their offsets. `bounce` is the calling thread's own.
  class Bounce {
   public:
    Bounce();
    std::span<std::byte> bytes() const;

   private:
    std::unique_ptr<std::byte, void (*)(void*)> memory_;
  };
  void write(std::int64_t offset, std::span<const std::byte> bytes, const Bounce& bounce) const;
  void read(std::int64_t offset, std::span<std::byte> bytes, const Bounce& bounce) const;

 private:
  int descriptor_ = -1;
  bool is_direct_ = false;
};

}  // namespace stint
