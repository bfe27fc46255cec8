// A file's bytes without reading them: pages come in when they are looked at. What is no plain
// file (a pipe, standard input) is read whole.
#pragma once

#include <string>
#include <string_view>

namespace stint {

class MappedFile {
 public:
  // Throws InputError if the file cannot be read.
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  std::string read_;        // where it could not be mapped
  void* mapped_ = nullptr;  // else the mapping
};

}  // namespace stint
