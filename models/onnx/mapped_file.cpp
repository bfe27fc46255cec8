#include "models/onnx/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/text_file.hpp"

namespace stint {
namespace {

// The mapping of a plain file that is not empty, else nothing.
std::string_view map(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  struct stat status {};
  void* mapped = MAP_FAILED;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    mapped =
        ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return {};
  return {static_cast<const char*>(mapped), static_cast<std::size_t>(status.st_size)};
}

}  // namespace

MappedFile::MappedFile(const std::string& path)
    : bytes_(path == "-" ? std::string_view{} : map(path)) {
  if (bytes_.data() != nullptr) {
    mapped_ = const_cast<char*>(bytes_.data());
  } else {
    read_ = read_text(path);
    bytes_ = read_;
  }
}

MappedFile::~MappedFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, bytes_.size());
}

}  // namespace stint
