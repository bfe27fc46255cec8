#include "files/program_end.hpp"

#include <csignal>
#include <exception>
#include <iostream>

#include "files/input_error.hpp"

namespace stint {

int complain(const std::string& program, const std::string& line, int exit_code) {
  std::cerr << program << ": " << line << '\n';
  return exit_code;
}

int complain_of_options(const std::string& program, const std::string& fault) {
  return complain(program, one_line(fault) + "; see --help", exit_bad_input);
}

int run_to_the_end(const std::string& program, const std::function<int()>& work) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return work();
  } catch (const InputError& error) {
    return complain(program, error.what(), exit_bad_input);
  } catch (const std::exception& error) {
    return complain(program, error.what(), exit_failed);
  }
}

}  // namespace stint
