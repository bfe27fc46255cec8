// A tensor's bytes in another file, which the .onnx file names: only one in its own folder, or
// below it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "models/onnx/mapped_file.hpp"
#include "models/onnx/proto.hpp"

namespace stint {

struct ExternalBytes {
  std::unique_ptr<MappedFile> file;
  std::string_view bytes;  // of the tensor, in the file
};

// Throws InputError(file, …) if the place leads out of the folder or the other file is too short.
ExternalBytes external_bytes(const OnnxTensor& tensor, const std::string& file);

}  // namespace stint
