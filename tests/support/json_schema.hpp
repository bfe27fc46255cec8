// Does a document conform to a JSON Schema? Answered by valijson, which shares nothing with our
// readers.
#pragma once

#include <string>

namespace stint {

// Nothing if the text conforms to the schema in that file, else what is wrong with it.
std::string schema_fault(const std::string& schema_path, const std::string& json_text);

// The same for a stint-model document.
std::string model_fault(const std::string& json_text);

}  // namespace stint
