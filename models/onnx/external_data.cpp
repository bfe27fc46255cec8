#include "models/onnx/external_data.hpp"

#include <charconv>
#include <cstdint>
#include <filesystem>

#include "files/input_error.hpp"

namespace stint {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const OnnxTensor& tensor, const std::string& file,
                       const std::string& fault) {
  throw InputError(file, "external data of " + in_quotes(tensor.name) + ": " + fault);
}

// Links are followed first: neither ".." nor a link leads out of the folder.
std::string place_of(const OnnxTensor& tensor, const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
  const fs::path place = fs::weakly_canonical(folder / tensor.location, error);
  const fs::path below = place.lexically_relative(folder);
  if (error || tensor.location.empty() || below.empty() || below.begin()->string() == ".." ||
      below == ".")
    fail(tensor, file, in_quotes(tensor.location) + "; expected a file in the model's folder");
  return place.string();
}

std::size_t whole_number(const std::string& digits, std::size_t otherwise, const OnnxTensor& tensor,
                         const std::string& file) {
  if (digits.empty()) return otherwise;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail(tensor, file, in_quotes(digits) + "; expected a number of bytes");
  return number;
}

}  // namespace

ExternalBytes external_bytes(const OnnxTensor& tensor, const std::string& file) {
  auto other = std::make_unique<MappedFile>(place_of(tensor, file));
  const std::size_t size = other->bytes().size();
  const std::size_t offset = whole_number(tensor.offset, 0, tensor, file);
  if (offset > size) fail(tensor, file, "begins beyond the end; expected a place in the file");
  const std::size_t length = whole_number(tensor.length, size - offset, tensor, file);
  if (length > size - offset) fail(tensor, file, "ends beyond the end; expected a longer file");
  const std::string_view bytes = other->bytes().substr(offset, length);
  return {std::move(other), bytes};
}

}  // namespace stint
