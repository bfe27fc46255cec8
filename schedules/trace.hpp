// A step as a Chrome trace (JSON), for ui.perfetto.dev and chrome://tracing: a process for every
// node (its links, bytes of its memories, watts) and device (its workers, watts), a track for every
// worker and link, a span for every action. Spans of a track never overlap. Times are in
// microseconds.
//
// Viewers load the whole file: fine up to some hundred thousand actions.
#pragma once

#include <string>

#include "schedules/simulate.hpp"

namespace stint {

std::string trace_text(const Schedule& schedule, const Simulation& simulation);

}  // namespace stint
