// What a file says, for people: plain text, aligned, in units that are easy to read. And the same
// as one JSON object, with every digit, for programs.
#pragma once

#include <string>
#include <vector>

#include "platforms/meters/energy_domain.hpp"
#include "platforms/power/power_knobs.hpp"
#include "schedules/judged.hpp"

namespace stint {

// Tasks by phase, bytes by kind, work and critical path by kind of device, the largest tensors.
std::string summary(const Graph& graph);

// Layers with their shapes, parameters, bytes and operations, and what one step needs: its peak at
// the batch if everything is kept. Throws InputError if the network has no step of that batch.
std::string summary(const Network& network, std::int64_t batch);

// Nodes, memories, devices with their states, links; which prices are only assumed.
std::string summary(const Platform& platform);

// Request and prediction, energy by term, memories against their bounds, how busy each worker is.
// The prediction is the simulator's; where there is none, what the file says, and it is said so.
std::string summary(const Schedule& schedule, const Judged& judged);

// Two schedules side by side.
std::string comparison(const Schedule& first, const Judged& first_judged, const Schedule& second,
                       const Judged& second_judged);

std::string summary_json(const Graph& graph);
std::string summary_json(const Network& network, std::int64_t batch);
std::string summary_json(const Platform& platform);
// This machine, with what was probed of it.
std::string summary_json(const Platform& platform, const std::vector<EnergySource>& sources,
                         const std::vector<PowerKnob>& knobs);
std::string summary_json(const Schedule& schedule, const Judged& judged);

// What the simulator predicts, or else what the file does.
Predicted prediction(const Schedule& schedule, const Judged& judged);

}  // namespace stint
