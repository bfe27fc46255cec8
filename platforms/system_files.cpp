#include "platforms/system_files.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace stint {
namespace {

// Owns a file descriptor.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC)) {
    if (number_ < 0) throw SystemFileError(path, errno);
  }
  ~OpenFile() { ::close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

SystemFileError::SystemFileError(const std::string& path, int error_number)
    : std::runtime_error(path + ": " + std::strerror(error_number)), error(error_number) {}

bool SystemFileError::not_permitted() const { return error == EACCES || error == EPERM; }

// What these files hold fits in a page.
std::string SystemFiles::read(const std::string& path) const {
  const OpenFile file(path, O_RDONLY);
  char page[4096];
  const ssize_t count = ::read(file.number(), page, sizeof page);
  if (count < 0) throw SystemFileError(path, errno);
  std::string text(page, static_cast<std::size_t>(count));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

// In one call: the system takes each for a whole value.
void SystemFiles::write(const std::string& path, const std::string& text) const {
  const OpenFile file(path, O_WRONLY | O_TRUNC);
  const ssize_t count = ::write(file.number(), text.data(), text.size());
  if (count != static_cast<ssize_t>(text.size())) {
    throw SystemFileError(path, count < 0 ? errno : EIO);
  }
}

std::vector<std::string> SystemFiles::names(const std::string& folder) const {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    found.push_back(entry->path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool SystemFiles::can_read(const std::string& path) const {
  try {
    read(path);
    return true;
  } catch (const SystemFileError&) {
    return false;
  }
}

const SystemFiles& SystemFiles::real() {
  static const SystemFiles files;
  return files;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_on_sysfs(const std::string& path) {
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 && status.f_type == SYSFS_MAGIC;
}

}  // namespace stint
