// A small training step that uses every feature of schedules at once, on two devices: parts written
// by two workers side by side, an optional output, overwriting, workspace, state that is updated
// and read again, copies over links that share a channel.
//
//   image, w ─ F0 ─ a0 ┐                               ┌ loss
//   image, w ─ F1 ─ a1 ┴ a ─ G ─ b ─ H ─ c ─ (gpu) L ──┴ gc ─┐
//                            └ tape ───────────────────────── D ─ gw ─ U (w) ─ V ─ norm
#pragma once

#include "tests/support/schedule_builder.hpp"

namespace stint {

extern const char* const training_graph;
extern const char* const training_platform;

// The step's buffers and actions, by name.
struct TrainingStep {
  ScheduleBuilder builder{training_graph, training_platform};
  BufferId image, w, a, a0, a1, workspace, b, tape, c, c_gpu, loss, gc_gpu, gc, gw, norm;
  ActionId f0, f1, g, h, c_out, l, gc_back, d, u, v;

  TrainingStep();
};

Schedule training_step();

}  // namespace stint
