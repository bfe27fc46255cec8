// Pictures as Graphviz text, to be laid out by `dot`. Colours are those of the phases.
//
// dot takes its time: some thousand tasks or actions are the most that it lays out in minutes.
#pragma once

#include <string>

#include "schedules/schedule.hpp"

namespace stint {

// Tasks are boxes, tensors are edges labelled with their bytes; what no task writes (inputs, state)
// is an ellipse of its own, and so is the end of every result.
std::string dot_text(const Graph& graph);

// Layers are boxes, values are edges labelled with their shapes; inputs are ellipses.
std::string dot_text(const Network& network);

// Memories, the devices that compute in them, and links.
std::string dot_text(const Platform& platform);

// A cluster for every device and for the links; one node per action, dashed if it runs again;
// copies are small ellipses. Full edges carry data, dotted ones are `after`, grey ones a worker's
// own order. Also of a schedule that does not hold: what names nothing is left out.
std::string dot_text(const Schedule& schedule);

}  // namespace stint
