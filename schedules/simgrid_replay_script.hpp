// The script that simgrid_replay follows, read from replay.txt; simgrid.cpp says what its lines
// mean and writes them. Hosts are looked up in the platform that SimGrid has loaded.
#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace stint {

// Bytes that an exec fetches from beyond a cache while it lasts.
struct ScriptFetch {
  simgrid::s4u::Host* cache = nullptr;
  double bytes = 0;
};

struct ScriptStep {
  int id = 0;
  std::string verb;
  simgrid::s4u::Host* host = nullptr;
  double flops = 0;
  int state = 0;
  std::vector<ScriptFetch> fetched;
  simgrid::s4u::Host* to = nullptr;
  std::uint64_t bytes = 0;
  double delay_seconds = 0;
  simgrid::s4u::MutexPtr channel;
  std::vector<simgrid::s4u::Host*> beside;
  std::vector<int> after;
};

struct ScriptActor {
  std::string name;
  std::vector<ScriptStep> steps;
};

struct Script {
  double until_seconds = 0;
  std::vector<ScriptActor> actors;
};

// Throws InputError, naming the line, unless it is such a script. Sets SimGrid's precision.
Script read_script(const simgrid::s4u::Engine& engine, const std::string& path);

}  // namespace stint
