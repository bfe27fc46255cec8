#include "benchmarks/starpu/starpu_training.hpp"

#include <starpu.h>

#include <cstring>
#include <map>
#include <memory>

#include "benchmarks/overhead/starpu_session.hpp"
#include "benchmarks/starpu/starpu_call.hpp"
#include "executor/cpu/kernel_job.hpp"
#include "models/segments.hpp"

namespace stint {
namespace {

struct Freed {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using Bytes = std::unique_ptr<std::byte[], Freed>;

Bytes aligned_bytes(std::int64_t count) {
  const std::size_t rounded = (static_cast<std::size_t>(count) + 63) / 64 * 64 + 64;
  return Bytes(static_cast<std::byte*>(std::aligned_alloc(64, rounded)));
}

class StarpuTraining {
 public:
  StarpuTraining(const Schedule& schedule, const std::string& scheduler, Summing summing)
      : session_(scheduler, starpu_workers),
        network_(std::get<Network>(schedule.model)),
        lowered_(lower_with_kernels(network_, schedule.lowering)),
        graph_(lowered_.graph),
        segments_(segments(graph_)),
        samples_(network_, schedule.lowering.batch),
        values_(network_, lowered_, schedule.lowering, samples_, 0) {
    make_tensors();
    if (summing == Summing::by_worker) find_sums();
    make_handles();
    for (int task = 0; task < static_cast<int>(graph_.tasks.size()); ++task)
      calls_.push_back(call_of(TaskId{task}));
  }
  ~StarpuTraining() {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  }
  StarpuTraining(const StarpuTraining&) = delete;
  StarpuTraining& operator=(const StarpuTraining&) = delete;

  TrainedSteps train(int steps) {
    put_first_values();
    TrainedSteps trained;
    forget_busy_seconds();
    for (std::int64_t step = 0; step < steps; ++step) {
      const double begin = clock_seconds();
      for (const auto& call : calls_) {
        if (call) submit(*call, step);
      }
      require_starpu(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
      trained.seconds.push_back(clock_seconds() - begin);
    }
    trained.busy_seconds = busy_seconds();
    trained.state_sha256 = state_sha256(state());
    return trained;
  }

 private:
  std::byte* at(TensorId tensor) const {
    return tensors_[segments_.root[tensor]].get() + segments_.root_offset[tensor];
  }

  void make_tensors() {
    tensors_.resize(graph_.tensors.size());
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (segments_.root[t] != static_cast<TensorId>(t)) continue;
      tensors_[t] = aligned_bytes(graph_.tensors[t].bytes);
      std::memset(tensors_[t].get(), 0, static_cast<std::size_t>(graph_.tensors[t].bytes));
    }
  }

  bool is_merge(int task) const {
    return lowered_.kernels[task].op == "sum" && !lowered_.kernels[task].writes[0].has_samples &&
           graph_.tensors[graph_.tasks[task].writes[0]].bytes > 0;
  }

  // Merges are left out, and what they read becomes part of what they write.
  void find_sums() {
    summed_in_.assign(graph_.tensors.size(), no_tensor);
    for (int task = static_cast<int>(graph_.tasks.size()); task-- > 0;) {
      if (!is_merge(task)) continue;
      const TensorId result = graph_.tasks[task].writes[0];
      const TensorId whole = summed_in_[result] == no_tensor ? result : summed_in_[result];
      for (const TensorId part : graph_.tasks[task].reads) summed_in_[part] = whole;
    }
  }
  bool is_summed(TensorId tensor) const {
    return !summed_in_.empty() && summed_in_[tensor] != no_tensor;
  }

  void make_handles() {
    handles_.resize(static_cast<std::size_t>(segments_.count()));
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (!tensors_[t]) continue;
      const SegmentRange range = segments_.of_tensor[t];
      for (int s = range.begin; s < range.end; ++s) {
        const auto bytes =
            static_cast<std::uint32_t>(segments_.end_bytes[s] - segments_.begin_bytes[s]);
        const bool has_floats = bytes % sizeof(float) == 0;
        starpu_vector_data_register(
            &handles_[s], STARPU_MAIN_RAM,
            reinterpret_cast<std::uintptr_t>(tensors_[t].get() + segments_.begin_bytes[s]),
            has_floats ? bytes / sizeof(float) : bytes, has_floats ? sizeof(float) : 1);
      }
    }
    clear_.cpu_funcs[0] = clear_starpu_sum;
    clear_.nbuffers = 1;
    clear_.modes[0] = STARPU_W;
    add_.cpu_funcs[0] = add_starpu_sums;
    add_.nbuffers = 2;
    add_.modes[0] = STARPU_RW;
    add_.modes[1] = STARPU_R;
    for (const TensorId whole : summed_in_) {
      if (whole != no_tensor)
        starpu_data_set_reduction_methods(handles_[segments_.of_tensor[whole].begin], &add_,
                                          &clear_);
    }
  }

  // Times of tasks are told apart by what is computed.
  starpu_codelet& codelet_of(const Task& task) {
    const std::string name = task.op + " " + task.shape;
    auto& made = codelets_[name];
    if (!made) {
      made = std::make_unique<Codelet>();
      made->name = name;
      made->model.type = STARPU_HISTORY_BASED;
      made->symbol = "task" + std::to_string(codelets_.size());
      made->model.symbol = made->symbol.c_str();
      made->codelet.cpu_funcs[0] = run_starpu_call;
      made->codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
      made->codelet.model = &made->model;
    }
    return made->codelet;
  }

  static void add(starpu_data_handle_t handle, starpu_data_access_mode mode, StarpuCall& call) {
    for (starpu_data_descr& known : call.data) {
      if (known.handle != handle) continue;
      if (known.mode != mode) known.mode = STARPU_RW;
      return;
    }
    call.data.push_back({handle, mode});
  }

  void add_all(const std::vector<TensorId>& tensors, starpu_data_access_mode mode,
               StarpuCall& call) {
    for (const TensorId tensor : tensors) {
      const SegmentRange range = segments_.of_tensor[tensor];
      for (int s = range.begin; s < range.end; ++s) add(handles_[s], mode, call);
    }
  }

  std::unique_ptr<StarpuCall> call_of(TaskId id) {
    const Task& task = graph_.tasks[id];
    if (!summed_in_.empty() && is_merge(id)) return nullptr;
    auto call = std::make_unique<StarpuCall>();
    call->codelet = &codelet_of(task);
    add_all(task.reads, STARPU_R, *call);
    add_all(task.updates, STARPU_RW, *call);
    for (const TensorId written : task.writes) {
      if (!is_summed(written)) {
        add_all({written}, STARPU_W, *call);
        continue;
      }
      call->sums.push_back({at(written),
                            static_cast<std::size_t>(graph_.tensors[written].bytes) / sizeof(float),
                            call->data.size()});
      add_all({summed_in_[written]}, STARPU_REDUX, *call);
    }
    for (int worker = 0; worker < starpu_workers; ++worker)
      call->jobs.push_back(job_of(id, worker));
    return call;
  }

  std::unique_ptr<KernelJob> job_of(TaskId id, int worker) {
    const Task& task = graph_.tasks[id];
    auto job = std::make_unique<KernelJob>(lowered_.kernels[id], pools_[worker], 0);
    TaskAddresses addresses;
    const auto list = [&](const std::vector<TensorId>& tensors) {
      std::vector<TaskAddresses::Halves> halves;
      for (const TensorId tensor : tensors) halves.push_back({at(tensor), at(tensor)});
      return halves;
    };
    addresses.reads = list(task.reads);
    addresses.writes = list(task.writes);
    addresses.updates_from = list(task.updates);
    addresses.updates_to = list(task.updates);
    workspaces_.push_back(aligned_bytes(job->workspace_bytes()));
    addresses.workspace = workspaces_.back().get();
    job->point_to(addresses);
    return job;
  }

  void submit(StarpuCall& call, std::int64_t step) {
    call.step = step;
    require_starpu(starpu_task_insert(call.codelet, STARPU_DATA_MODE_ARRAY, call.data.data(),
                                      static_cast<int>(call.data.size()), STARPU_CL_ARGS_NFREE,
                                      &call, sizeof call, 0),
                   "starpu_task_insert");
  }

  void put_first_values() {
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (!tensors_[t]) continue;
      const Tensor& tensor = graph_.tensors[t];
      const std::span bytes(tensors_[t].get(), static_cast<std::size_t>(tensor.bytes));
      if (tensor.kind == Kind::state) values_.fill_state(static_cast<TensorId>(t), bytes);
      if (tensor.kind == Kind::input) values_.fill_input(static_cast<TensorId>(t), 0, bytes);
    }
  }

  StateBytes state() const {
    StateBytes all;
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      const Tensor& tensor = graph_.tensors[t];
      if (tensor.kind != Kind::state || !tensors_[t]) continue;
      all[tensor.name].assign(tensors_[t].get(), tensors_[t].get() + tensor.bytes);
    }
    return all;
  }

  struct Codelet {
    std::string name;
    std::string symbol;
    starpu_perfmodel model{};
    starpu_codelet codelet{};
  };

  StarpuSession session_;
  const Network& network_;
  LoweredNetwork lowered_;
  const Graph& graph_;
  Segments segments_;
  OneBatch samples_;
  NetworkValues values_;
  std::vector<Bytes> tensors_;  // by tensor; of those that are no parts
  std::vector<Bytes> workspaces_;
  std::vector<TensorId> summed_in_;            // by tensor; empty where the graph's tasks sum
  std::vector<starpu_data_handle_t> handles_;  // by segment
  std::array<KernelPool, starpu_workers> pools_;
  std::map<std::string, std::unique_ptr<Codelet>> codelets_;
  starpu_codelet clear_{};
  starpu_codelet add_{};
  std::vector<std::unique_ptr<StarpuCall>> calls_;  // by task
};

}  // namespace

TrainedSteps train_by_starpu(const Schedule& schedule, const std::string& scheduler,
                             Summing summing, int warmup_steps, int steps) {
  StarpuTraining training(schedule, scheduler, summing);
  training.train(warmup_steps);
  return training.train(steps);
}

}  // namespace stint
