#include "schedules/dot_words.hpp"

#include <fmt/format.h>

namespace stint {

std::string in_dot_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += ' ';
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string dot_head(const std::string& title, const char* direction) {
  return fmt::format(
      "digraph {} {{\n"
      "  graph [rankdir={}, fontname=\"Helvetica\", fontsize=12, labeljust=l, nodesep=0.25]\n"
      "  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"filled,rounded\", "
      "color=\"#606060\", fillcolor=\"#f4f4f4\", height=0.3]\n"
      "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#606060\", arrowsize=0.6]\n",
      in_dot_quotes(title), direction);
}

}  // namespace stint
