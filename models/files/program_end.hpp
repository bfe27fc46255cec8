// How every program ends: with the exit code of its work, or with one line on standard error that
// says why there is none, and the code for that.
#pragma once

#include <functional>
#include <string>

namespace stint {

// Exit codes that all programs share.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_bad_input = 2;

// "program: line"; returns the code.
int complain(const std::string& program, const std::string& line, int exit_code);

// Options that were not understood.
int complain_of_options(const std::string& program, const std::string& fault);

// A closed pipe is an error like any other.
int run_to_the_end(const std::string& program, const std::function<int()>& work);

}  // namespace stint
