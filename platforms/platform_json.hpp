// For *_json.cpp files that hold a platform inside another document: reads it in place, so that
// faults are reported where they stand (`s.json: /platform/nodes/0/…`).
#pragma once

#include "platforms/platform.hpp"

namespace stint {

class JsonReader;

// Checked. The text to embed is platform_text's.
Platform platform_from_json(const JsonReader& document);

}  // namespace stint
