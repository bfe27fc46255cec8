#include "models/onnx/tensor_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <protozero/pbf_reader.hpp>

#include "files/input_error.hpp"
#include "models/onnx/external_data.hpp"
#include "models/onnx/forms.hpp"
#include "models/onnx/wire_types.hpp"

namespace stint {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data is little-endian");

// Field numbers of TensorProto.
enum DataField { float_data = 4, int32_data = 5, int64_data = 7, double_data = 10 };

[[noreturn]] void fail_to_hold(const OnnxTensor& tensor, const std::string& file,
                               std::size_t expected) {
  throw InputError(file, fmt::format("tensor {} does not hold its numbers; expected {} of {}",
                                     in_quotes(tensor.name), expected, to_string(tensor.type)));
}

// One field of numbers, packed or not, as many as `most`.
template <typename Number, typename Packed, typename Single>
std::vector<Number> field_numbers(const OnnxTensor& tensor, DataField wanted, std::size_t most,
                                  const Packed& packed, const Single& single) {
  std::vector<Number> numbers;
  protozero::pbf_reader message(tensor.message.data(), tensor.message.size());
  while (message.next()) {
    if (message.tag() != static_cast<protozero::pbf_tag_type>(wanted)) {
      message.skip();
    } else if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
      for (const auto number : packed(message)) {
        if (numbers.size() <= most) numbers.push_back(static_cast<Number>(number));
      }
    } else {
      numbers.push_back(static_cast<Number>(single(message)));
    }
  }
  return numbers;
}

std::vector<std::int64_t> varint_field(const OnnxTensor& tensor, DataField wanted,
                                       std::size_t most) {
  return field_numbers<std::int64_t>(
      tensor, wanted, most, [](auto& message) { return message.get_packed_int64(); },
      [](auto& message) {
        expect_wire(message, protozero::pbf_wire_type::varint);
        return message.get_int64();
      });
}

std::vector<float> float_field(const OnnxTensor& tensor, std::size_t most) {
  return field_numbers<float>(
      tensor, float_data, most, [](auto& message) { return message.get_packed_float(); },
      [](auto& message) {
        expect_wire(message, protozero::pbf_wire_type::fixed32);
        return message.get_float();
      });
}

std::vector<double> double_field(const OnnxTensor& tensor, std::size_t most) {
  return field_numbers<double>(
      tensor, double_data, most, [](auto& message) { return message.get_packed_double(); },
      [](auto& message) {
        expect_wire(message, protozero::pbf_wire_type::fixed64);
        return message.get_double();
      });
}

// The numbers that stand as bytes, in the message or elsewhere; nothing if they are fields.
template <typename Stored>
std::optional<std::vector<Stored>> byte_numbers(const OnnxTensor& tensor, const std::string& file,
                                                std::size_t count) {
  if (!tensor.external && !tensor.raw) return std::nullopt;
  ExternalBytes external;
  if (tensor.external) external = external_bytes(tensor, file);
  const std::string_view bytes = tensor.external ? external.bytes : *tensor.raw;
  if (bytes.size() != count * sizeof(Stored)) fail_to_hold(tensor, file, count);
  std::vector<Stored> numbers(count);
  if (count > 0) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

template <typename Numbers>
Numbers counted(Numbers numbers, const OnnxTensor& tensor, const std::string& file,
                std::size_t count) {
  if (numbers.size() != count) fail_to_hold(tensor, file, count);
  return numbers;
}

template <typename Stored>
std::vector<std::int64_t> stored_integers(const OnnxTensor& tensor, const std::string& file,
                                          std::size_t count, DataField wanted) {
  if (const auto numbers = byte_numbers<Stored>(tensor, file, count))
    return {numbers->begin(), numbers->end()};
  return varint_field(tensor, wanted, count);
}

std::vector<std::int64_t> all_integers(const OnnxTensor& tensor, const std::string& file,
                                       std::size_t count) {
  switch (tensor.type) {
    case OnnxType::int64:
      return stored_integers<std::int64_t>(tensor, file, count, int64_data);
    case OnnxType::int32:
      return stored_integers<std::int32_t>(tensor, file, count, int32_data);
    default:
      return stored_integers<std::uint8_t>(tensor, file, count, int32_data);
  }
}

template <typename Read>
auto guarded(const OnnxTensor& tensor, const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const protozero::exception&) {
    throw InputError(file, "tensor " + in_quotes(tensor.name) +
                               " is malformed; expected the numbers of its type");
  }
}

}  // namespace

std::int64_t element_count(const std::vector<std::int64_t>& dims) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  for (const std::int64_t count : dims) {
    if (count < 1 || count > most)
      throw ShapeFault(fmt::format("a dimension of {}; expected 1 to 2^31", count));
  }
  return product(shape_of(dims)).count;
}

std::int64_t element_count(const OnnxTensor& tensor) {
  if (std::find(tensor.dims.begin(), tensor.dims.end(), 0) != tensor.dims.end()) return 0;
  return element_count(tensor.dims);
}

std::vector<float> floats_of(const OnnxTensor& tensor, const std::string& file) {
  const std::size_t count = static_cast<std::size_t>(element_count(tensor));
  return guarded(tensor, file, [&] {
    if (auto numbers = byte_numbers<float>(tensor, file, count)) return std::move(*numbers);
    return counted(float_field(tensor, count), tensor, file, count);
  });
}

std::vector<std::int64_t> integers_of(const OnnxTensor& tensor, const std::string& file) {
  const std::size_t count = static_cast<std::size_t>(element_count(tensor));
  return guarded(tensor, file,
                 [&] { return counted(all_integers(tensor, file, count), tensor, file, count); });
}

double number_of(const OnnxTensor& tensor, const std::string& file) {
  return guarded(tensor, file, [&] {
    if (tensor.type == OnnxType::float32) return as_written(floats_of(tensor, file).at(0));
    if (tensor.type != OnnxType::float64)
      return static_cast<double>(integers_of(tensor, file).at(0));
    if (const auto numbers = byte_numbers<double>(tensor, file, 1)) return numbers->at(0);
    return counted(double_field(tensor, 1), tensor, file, 1).at(0);
  });
}

}  // namespace stint
