// Text as Graphviz wants it.
#pragma once

#include <string>

namespace stint {

// In quotation marks; `\n` in the text stays a line break of a label.
std::string in_dot_quotes(const std::string& text);

// The first lines of a picture: direction, fonts, shapes.
std::string dot_head(const std::string& title, const char* direction);

}  // namespace stint
