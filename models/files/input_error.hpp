// The one exception for input that is wrong: a file, a name, an option. Programs turn it into one
// line and exit code 2; every other exception is our fault or the machine's.
#pragma once

#include <stdexcept>
#include <string>

namespace stint {

class InputError : public std::runtime_error {
 public:
  // `where` is a JSON pointer, a file, or both ("a.json: /tasks/3"); `fault` says what is wrong and
  // what was expected. Line breaks and other control characters are escaped: one fault, one line.
  InputError(const std::string& where, const std::string& fault);

  const std::string& where() const { return where_; }
  const std::string& fault() const { return fault_; }

 private:
  std::string where_;
  std::string fault_;
};

// The same text with control characters written as \u00XX, so that it stays on one line.
std::string one_line(const std::string& text);

// `"name"`, on one line: how messages quote what a file says.
std::string in_quotes(const std::string& text);

// A key as one step of a JSON pointer: '~' and '/' escaped.
std::string pointer_step(const std::string& key);

}  // namespace stint
