#include "tests/support/replaced.hpp"

#include <stdexcept>

namespace stint {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("nothing to replace: " + from);
  return text.replace(at, from.size(), to);
}

}  // namespace stint
