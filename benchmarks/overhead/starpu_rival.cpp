#include "benchmarks/overhead/starpu_rival.hpp"

#include <starpu.h>

#include <memory>
#include <vector>

#include "benchmarks/overhead/starpu_session.hpp"

namespace stint {
namespace {

struct Call {
  Work work;
  int task = 0;
};

class Starpu {
 public:
  Starpu(const std::string& scheduler, const TaskShape& shape, Work work);
  Starpu(const Starpu&) = delete;
  Starpu& operator=(const Starpu&) = delete;

  void step();

 private:
  void create_tasks();

  StarpuSession session_;
  std::vector<ShapeTask> shape_;
  std::vector<Call> calls_;
  std::vector<starpu_task*> tasks_;
  std::vector<starpu_task*> predecessors_;
  starpu_perfmodel model_{};
  starpu_codelet codelet_{};
};

Starpu::Starpu(const std::string& scheduler, const TaskShape& shape, Work work)
    : session_(scheduler, shape.workers), shape_(shape.tasks) {
  for (int task = 0; task < static_cast<int>(shape.tasks.size()); ++task)
    calls_.push_back({work, task});
  tasks_.resize(calls_.size());
  model_.type = STARPU_HISTORY_BASED;
  model_.symbol = "task";
  codelet_.model = &model_;
  codelet_.cpu_funcs[0] = [](void**, void* argument) {
    const auto& call = *static_cast<const Call*>(argument);
    call.work(call.task);
  };
}

void Starpu::create_tasks() {
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    tasks_[task] = starpu_task_create();
    tasks_[task]->cl = &codelet_;
    tasks_[task]->cl_arg = &calls_[task];
    predecessors_.clear();
    for (const int predecessor : shape_[task].predecessors)
      predecessors_.push_back(tasks_[predecessor]);
    starpu_task_declare_deps_array(tasks_[task], static_cast<unsigned>(predecessors_.size()),
                                   predecessors_.data());
  }
}

// All are created before the first is submitted, because StarPU frees a task when it has ended.
void Starpu::step() {
  create_tasks();
  for (starpu_task* task : tasks_) require_starpu(starpu_task_submit(task), "starpu_task_submit");
  require_starpu(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
}

}  // namespace

Contestant starpu_contestant(const std::string& scheduler) {
  return {"StarPU " + scheduler, [scheduler](const TaskShape& shape, Work work) -> Step {
            const auto starpu = std::make_shared<Starpu>(scheduler, shape, work);
            return [starpu] { starpu->step(); };
          }};
}

}  // namespace stint
