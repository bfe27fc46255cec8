// Good files to start from: what is bundled, and schedules made for the purpose.
#pragma once

#include <string>
#include <vector>

namespace stint {

// The texts of the small bundled files of a folder and format, in the order of their names.
std::vector<std::string> bundled_seeds(const std::string& folder, const std::string& format);

// Small valid schedules: copies over links, state, reuse of addresses by other workers.
std::vector<std::string> schedule_seeds();

// A report of a run.
std::vector<std::string> report_seeds();

}  // namespace stint
