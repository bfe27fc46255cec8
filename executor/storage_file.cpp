#include "executor/storage_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::int64_t block_bytes = StorageFile::block_bytes;
constexpr std::size_t bounce_bytes = 1 << 20;

std::int64_t whole_blocks(std::int64_t bytes) {
  return (bytes + block_bytes - 1) / block_bytes * block_bytes;
}

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

void expect_folder(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    throw InputError(folder, fmt::format("{}; expected a folder", std::strerror(errno)));
  }
  if (!S_ISDIR(status.st_mode)) throw InputError(folder, "no folder; expected one");
}

// Nameless from the start, or at once after it was made.
int open_nameless(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string pattern = folder + "/stint-XXXXXX";
  const int named = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(pattern.c_str());
  return named;
}

template <typename Transfer>
void transfer_all(const char* what, std::size_t bytes, Transfer transfer) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = transfer(done, bytes - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) fail(what);
    if (moved == 0) throw std::runtime_error(fmt::format("{}: the file ends early", what));
    done += static_cast<std::size_t>(moved);
  }
}

}  // namespace

StorageFile::Bounce::Bounce()
    : memory_(static_cast<std::byte*>(std::aligned_alloc(block_bytes, bounce_bytes)), &std::free) {
  if (!memory_) throw std::bad_alloc();
}

std::span<std::byte> StorageFile::Bounce::bytes() const { return {memory_.get(), bounce_bytes}; }

StorageFile::StorageFile(const std::string& folder, std::int64_t bytes,
                         bool buffers_are_whole_blocks) {
  expect_folder(folder);
  descriptor_ = open_nameless(folder);
  if (descriptor_ < 0) {
    throw InputError(folder,
                     fmt::format("{}; expected a folder to write in", std::strerror(errno)));
  }
  const int error = bytes == 0 ? 0 : ::posix_fallocate(descriptor_, 0, whole_blocks(bytes));
  if (error != 0) {
    ::close(descriptor_);
    throw std::runtime_error(
        fmt::format("{}: no room for {} bytes: {}", folder, bytes, std::strerror(error)));
  }
  const int flags = ::fcntl(descriptor_, F_GETFL);
  is_direct_ = buffers_are_whole_blocks && ::fcntl(descriptor_, F_SETFL, flags | O_DIRECT) == 0;
}

StorageFile::~StorageFile() { ::close(descriptor_); }

// Whole blocks through the bounce buffer where the file wants them; what lies behind a buffer in
// its last block belongs to it.
void StorageFile::write(std::int64_t offset, std::span<const std::byte> bytes,
                        const Bounce& bounce) const {
  if (!is_direct_) {
    transfer_all("write", bytes.size(), [&](std::size_t done, std::size_t left) {
      return ::pwrite(descriptor_, bytes.data() + done, left, offset + static_cast<off_t>(done));
    });
    return;
  }
  const std::span<std::byte> chunk = bounce.bytes();
  for (std::size_t begin = 0; begin < bytes.size(); begin += chunk.size()) {
    const std::size_t size = std::min(chunk.size(), bytes.size() - begin);
    std::memcpy(chunk.data(), bytes.data() + begin, size);
    const auto whole = static_cast<std::size_t>(whole_blocks(static_cast<std::int64_t>(size)));
    std::memset(chunk.data() + size, 0, whole - size);
    const off_t at = offset + static_cast<off_t>(begin);
    transfer_all("write", whole, [&](std::size_t done, std::size_t left) {
      return ::pwrite(descriptor_, chunk.data() + done, left, at + static_cast<off_t>(done));
    });
  }
}

void StorageFile::read(std::int64_t offset, std::span<std::byte> bytes,
                       const Bounce& bounce) const {
  if (!is_direct_) {
    transfer_all("read", bytes.size(), [&](std::size_t done, std::size_t left) {
      return ::pread(descriptor_, bytes.data() + done, left, offset + static_cast<off_t>(done));
    });
    return;
  }
  const std::span<std::byte> chunk = bounce.bytes();
  for (std::size_t begin = 0; begin < bytes.size(); begin += chunk.size()) {
    const std::size_t size = std::min(chunk.size(), bytes.size() - begin);
    const auto whole = static_cast<std::size_t>(whole_blocks(static_cast<std::int64_t>(size)));
    const off_t at = offset + static_cast<off_t>(begin);
    transfer_all("read", whole, [&](std::size_t done, std::size_t left) {
      return ::pread(descriptor_, chunk.data() + done, left, at + static_cast<off_t>(done));
    });
    std::memcpy(bytes.data() + begin, chunk.data(), size);
  }
}

}  // namespace stint
