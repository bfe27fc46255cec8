#include "files/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "files/input_error.hpp"

namespace stint {
namespace {

// Owns a file descriptor; the standard streams are borrowed, not owned.
class Descriptor {
 public:
  explicit Descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (owned_ && number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  // Closing can be where a full disk is noticed, so it is done by hand and checked.
  bool close() {
    owned_ = false;
    return ::close(number_) == 0;
  }

 private:
  int number_;
  bool owned_;
};

std::string reason() { return std::strerror(errno); }

[[noreturn]] void fail_to_read(const std::string& path) {
  throw InputError(path, "cannot be read: " + reason() + "; expected a file that can");
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw InputError(path, "cannot be written: " + reason() +
                             "; expected a file, or a new one in a "
                             "folder that can be written to");
}

// What a file says of itself, so that a large one is not copied again and again while it is read.
std::size_t size_told(int descriptor) {
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? static_cast<std::size_t>(status.st_size) : 0;
}

std::string read_all(int descriptor, const std::string& path) {
  std::string text;
  text.reserve(size_told(descriptor));
  char block[1 << 16];
  while (true) {
    const ssize_t count = ::read(descriptor, block, sizeof block);
    if (count == 0) return text;
    if (count > 0) text.append(block, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) fail_to_read(path);
  }
}

void write_all(int descriptor, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count > 0) done += static_cast<std::size_t>(count);
    if (count < 0 && errno != EINTR) throw std::runtime_error(path + ": not written: " + reason());
  }
}

// Devices and pipes (/dev/stdout, /dev/null, a fifo) cannot be replaced by a rename.
bool is_replaceable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

void write_in_place(const std::string& path, const std::string& text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) fail_to_write(path);
  write_all(file.number(), text, path);
}

// A link keeps pointing where it points: the file behind it is what gets replaced.
std::string target_of(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

std::string aside_of(const std::string& path) { return target_of(path) + ".XXXXXX"; }

void write_aside_and_rename(const std::string& path, const std::string& text) {
  std::string aside = aside_of(path);
  Descriptor file(::mkostemp(aside.data(), O_CLOEXEC));
  if (file.number() < 0) fail_to_write(path);
  try {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(file.number(), 0666 & ~mask);
    write_all(file.number(), text, path);
    if (!file.close() || ::rename(aside.c_str(), target_of(path).c_str()) != 0) {
      throw std::runtime_error(path + ": not written: " + reason());
    }
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
}

}  // namespace

std::string read_text(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input");
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail_to_read(path);
  return read_all(file.number(), path);
}

void expect_writable(const std::string& path) {
  if (path == "-") return;
  if (!is_replaceable(path)) {
    const bool is_folder = std::filesystem::is_directory(path);
    if (!is_folder && ::access(path.c_str(), W_OK) == 0) return;
    if (is_folder) errno = EISDIR;
    fail_to_write(path);
  }
  std::string aside = aside_of(path);
  const Descriptor file(::mkostemp(aside.data(), O_CLOEXEC));
  if (file.number() < 0) fail_to_write(path);
  ::unlink(aside.c_str());
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    write_all(STDOUT_FILENO, text, "standard output");
  } else if (is_replaceable(path)) {
    write_aside_and_rename(path, text);
  } else {
    write_in_place(path, text);
  }
}

}  // namespace stint
