// Small files of the operating system (sysfs), read and written whole: counters, limits, governors.
// A class, so that tests can refuse what an administrator may do, and count what is written.
//
// Not for files of ours: those are written aside and renamed (files/text_file.hpp), which sysfs
// does not allow.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stint {

// The message is one line: the path and why. `error` is an errno.
struct SystemFileError : std::runtime_error {
  SystemFileError(const std::string& path, int error_number);
  int error;
  bool not_permitted() const;
};

class SystemFiles {
 public:
  virtual ~SystemFiles() = default;

  // Without white space at the end. Both throw SystemFileError.
  virtual std::string read(const std::string& path) const;
  virtual void write(const std::string& path, const std::string& text) const;

  // Names in a folder, sorted; none if there is no such folder.
  virtual std::vector<std::string> names(const std::string& folder) const;

  bool can_read(const std::string& path) const;

  static const SystemFiles& real();
};

// A whole number that is all of the text, or nothing.
std::optional<std::uint64_t> whole_number(const std::string& text);

// Whether the path is part of sysfs, and not of a tree that only looks like it.
bool is_on_sysfs(const std::string& path);

}  // namespace stint
