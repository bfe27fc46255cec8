// The rule between folders, and who may see which library, read from `#include` lines.
//
// models and platforms are nouns that know nothing of each other; schedules joins them; planner and
// executor are verbs that never see each other. tests/ and benchmarks/ may use everything.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace stint {

// Files by their path from the top of the repository, such as "models/graph.cpp".
using SourceFiles = std::map<std::string, std::string>;

// One line per include that breaks the rule, `file: "included" …`; empty if all keep it.
std::vector<std::string> include_violations(const SourceFiles& files);

}  // namespace stint
