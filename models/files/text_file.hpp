// Whole files in and out. "-" is standard input or output. A file that is written appears whole or
// not at all: it is written aside, then renamed.
#pragma once

#include <string>

namespace stint {

// Throws InputError if the file cannot be read: missing, a directory, not permitted.
std::string read_text(const std::string& path);

// Throws InputError if `path` cannot be written to at all (no such folder, a directory, not
// permitted) and std::runtime_error if the machine fails us (disk full). Whatever happens, no part
// of a file is left behind.
void write_text(const std::string& path, const std::string& text);

// Throws the InputError that writing would, before there is anything to write.
void expect_writable(const std::string& path);

}  // namespace stint
