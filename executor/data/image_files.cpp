#include "executor/data/image_files.hpp"

#include <fmt/format.h>

#include <limits>

#include "files/input_error.hpp"
#include "files/text_file.hpp"

namespace stint {
namespace {

StoredInput pixels(const std::string& file, NpyArray array) {
  constexpr float half_of_greatest = 127.5F;
  return {file, std::move(array), 1 / half_of_greatest, -1};
}

std::int64_t big_endian(const std::string& text, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(text[at + i]);
  return value;
}

// Two zeros, the type (8: bytes), the number of dimensions, then each as four bytes.
NpyArray parse_idx(const std::string& text, std::size_t dimensions, const std::string& file) {
  const std::size_t header = 4 + 4 * dimensions;
  const bool known = text.size() >= header && text[0] == 0 && text[1] == 0 && text[2] == 8 &&
                     static_cast<std::size_t>(text[3]) == dimensions;
  if (!known)
    throw InputError(file, fmt::format("no IDX file of bytes in {} dimensions; expected one, "
                                       "uncompressed",
                                       dimensions));
  NpyArray array{.type = NpyType::u1};
  std::int64_t expected = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    array.shape.push_back(big_endian(text, 4 + 4 * i));
    if (__builtin_mul_overflow(expected, array.shape.back(), &expected))
      expected = std::numeric_limits<std::int64_t>::max();
  }
  if (static_cast<std::int64_t>(text.size() - header) != expected)
    throw InputError(file, fmt::format("{} bytes of elements; expected {}, as its header says",
                                       text.size() - header, expected));
  array.bytes = text.substr(header);
  return array;
}

}  // namespace

ImageSet read_idx(const std::string& folder, SampleSet set) {
  const std::string prefix = folder + (set == SampleSet::training ? "/train" : "/t10k");
  const std::string images = prefix + "-images-idx3-ubyte";
  const std::string labels = prefix + "-labels-idx1-ubyte";
  return {pixels(images, parse_idx(read_text(images), 3, images)),
          {labels, parse_idx(read_text(labels), 1, labels)}};
}

// A sample is its label, then 32 × 32 pixels of red, of green and of blue.
ImageSet read_cifar10(const std::string& folder, SampleSet set) {
  constexpr std::int64_t side = 32;
  constexpr std::int64_t image_bytes = 3 * side * side;
  const std::vector<std::string> names =
      set == SampleSet::held_out
          ? std::vector<std::string>{"test_batch.bin"}
          : std::vector<std::string>{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                     "data_batch_4.bin", "data_batch_5.bin"};
  NpyArray images{.type = NpyType::u1, .shape = {0, 3, side, side}};
  NpyArray labels{.type = NpyType::u1, .shape = {0}};
  for (const std::string& name : names) {
    const std::string file = folder + "/" + name;
    const std::string text = read_text(file);
    if (text.size() % (image_bytes + 1) != 0)
      throw InputError(file,
                       fmt::format("{} bytes; expected a multiple of {}, a label and an image",
                                   text.size(), image_bytes + 1));
    for (std::size_t at = 0; at < text.size(); at += image_bytes + 1) {
      labels.bytes += text[at];
      images.bytes.append(text, at + 1, image_bytes);
    }
  }
  images.shape[0] = labels.shape[0] = std::ssize(labels.bytes);
  return {pixels(folder, std::move(images)), {folder, std::move(labels)}};
}

}  // namespace stint
