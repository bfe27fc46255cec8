#include "benchmarks/overhead/starpu_rival.hpp"

#include <starpu.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace stint {
namespace {

struct Call {
  Work work;
  int task = 0;
};

void require(int code, const std::string& what) {
  if (code != 0) throw std::runtime_error(what + " failed with code " + std::to_string(code));
}

// Where StarPU writes, nowhere else, and in silence; gone at the end.
class StarpuHome {
 public:
  StarpuHome() {
    std::string pattern = std::filesystem::temp_directory_path() / "overhead-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), pattern);
    folder_ = pattern;
    setenv("STARPU_HOME", folder_.c_str(), 1);
    setenv("STARPU_SILENT", "1", 1);
    setenv("STARPU_FXT_TRACE", "0", 1);
  }
  ~StarpuHome() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  StarpuHome(const StarpuHome&) = delete;
  StarpuHome& operator=(const StarpuHome&) = delete;

 private:
  std::filesystem::path folder_;
};

class Starpu {
 public:
  Starpu(const std::string& scheduler, const TaskShape& shape, Work work);
  ~Starpu() { starpu_shutdown(); }
  Starpu(const Starpu&) = delete;
  Starpu& operator=(const Starpu&) = delete;

  void step();

 private:
  void create_tasks();

  StarpuHome home_;
  std::vector<ShapeTask> shape_;
  std::vector<Call> calls_;
  std::vector<starpu_task*> tasks_;
  std::vector<starpu_task*> predecessors_;
  starpu_perfmodel model_{};
  starpu_codelet codelet_{};
};

void initialise(const std::string& scheduler, int workers) {
  starpu_conf conf;
  require(starpu_conf_init(&conf), "starpu_conf_init");
  conf.precedence_over_environment_variables = 1;
  conf.sched_policy_name = scheduler.c_str();
  conf.ncpus = workers;
  conf.ncuda = 0;
  conf.nopencl = 0;
  conf.catch_signals = 0;
  require(starpu_init(&conf), "starpu_init");
  if (static_cast<int>(starpu_cpu_worker_get_count()) != workers)
    throw std::runtime_error("StarPU found too few processors; expected " +
                             std::to_string(workers));
}

Starpu::Starpu(const std::string& scheduler, const TaskShape& shape, Work work)
    : shape_(shape.tasks) {
  initialise(scheduler, shape.workers);
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
  for (starpu_task* task : tasks_) require(starpu_task_submit(task), "starpu_task_submit");
  require(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
}

}  // namespace

Contestant starpu_contestant(const std::string& scheduler) {
  return {"StarPU " + scheduler, [scheduler](const TaskShape& shape, Work work) -> Step {
            const auto starpu = std::make_shared<Starpu>(scheduler, shape, work);
            return [starpu] { starpu->step(); };
          }};
}

}  // namespace stint
