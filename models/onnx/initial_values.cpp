#include <fmt/format.h>

#include <algorithm>

#include "files/input_error.hpp"
#include "models/onnx/forms.hpp"
#include "models/onnx/mapped_file.hpp"
#include "models/onnx/read_onnx.hpp"
#include "models/onnx/tensor_data.hpp"

namespace stint {
namespace {

// How far apart neighbours along each dimension are, in row-major order.
std::vector<std::size_t> strides_of(const std::vector<std::int64_t>& dims) {
  std::vector<std::size_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * static_cast<std::size_t>(dims[i]);
  return strides;
}

std::vector<float> permuted_values(const std::vector<float>& values,
                                   const std::vector<std::int64_t>& dims,
                                   const std::vector<std::int64_t>& order) {
  const auto strides = strides_of(dims);
  std::vector<std::int64_t> index(order.size(), 0);
  std::vector<float> result;
  result.reserve(values.size());
  for (std::size_t from = 0; result.size() < values.size();) {
    result.push_back(values[from]);
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto axis = static_cast<std::size_t>(order[i]);
      from += strides[axis];
      if (++index[i] < dims[axis]) break;
      from -= strides[axis] * static_cast<std::size_t>(dims[axis]);
      index[i] = 0;
    }
  }
  return result;
}

std::string_view message_of(std::string_view bytes, const std::string& file,
                            const WeightSource& source) {
  if (source.position > bytes.size() || source.bytes > bytes.size() - source.position)
    throw InputError(
        file, "ends before " + in_quotes(source.initializer) + "; expected the file that was read");
  return bytes.substr(source.position, source.bytes);
}

std::vector<float> stored_values(std::string_view bytes, const std::string& file,
                                 const WeightSource& source) {
  const OnnxTensor tensor = parse_tensor(message_of(bytes, file, source), file);
  const auto count = static_cast<std::size_t>(element_count(source.stored));
  std::vector<float> values;
  if (tensor.type == OnnxType::float32) values = floats_of(tensor, file);
  if (values.size() != count)
    throw InputError(file, fmt::format("{} is not the tensor of {} floats that was read; expected "
                                       "the same file",
                                       in_quotes(source.initializer), count));
  return source.order.empty() ? values : permuted_values(values, source.stored, source.order);
}

}  // namespace

std::vector<float> initial_values(std::string_view bytes, const std::string& file,
                                  const WeightSource& source) {
  try {
    const auto count = static_cast<std::size_t>(element_count(source.shape));
    if (source.initializer.empty())
      return std::vector<float>(count,
                                static_cast<float>(source.negated ? -source.fill : source.fill));
    std::vector<float> values = stored_values(bytes, file, source);
    if (source.negated) std::transform(values.begin(), values.end(), values.begin(), std::negate{});
    return values;
  } catch (const ShapeFault& fault) {
    throw InputError(file, in_quotes(source.parameter) + ": " + fault.what());
  }
}

std::vector<float> initial_values(const std::string& path, const WeightSource& source) {
  if (source.initializer.empty()) return initial_values({}, path, source);
  return initial_values(MappedFile(path).bytes(), path, source);
}

}  // namespace stint
