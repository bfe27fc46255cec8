// A shape as a schedule that `run` could replay: tasks that take no time and hand over tensors of
// no bytes, on the workers that the shape names, in its order.
#pragma once

#include "benchmarks/overhead/task_shapes.hpp"
#include "schedules/schedule.hpp"

namespace stint {

Schedule shape_schedule(const TaskShape& shape);  // action i executes task i

}  // namespace stint
