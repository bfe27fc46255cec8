// Any of our files, told apart by its "format".
#pragma once

#include <string>
#include <variant>

#include "schedules/frontier.hpp"
#include "schedules/run_report.hpp"

namespace stint {

using AnyFile = std::variant<Graph, Network, Platform, Schedule, RunReport, Frontier>;

// "-" is standard input, `here` is this machine. Throws InputError if it is none of ours.
AnyFile read_any_file(const std::string& path);
AnyFile parse_any_file(const std::string& text, const std::string& file);

}  // namespace stint
