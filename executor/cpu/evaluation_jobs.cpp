#include "executor/cpu/evaluation_jobs.hpp"

#include <cstring>
#include <utility>

#include "executor/cpu/label_scores.hpp"
#include "executor/operands.hpp"

namespace stint {
namespace {

// A job that only steps that train perform; those that judge do something else.
class TrainingJob : public Job {
 public:
  TrainingJob(std::unique_ptr<Job> job, const std::int64_t& samples)
      : job_(std::move(job)), samples_(samples) {}

  void run(std::int64_t step) override {
    if (samples_ == 0)
      job_->run(step);
    else
      judge(step);
  }

 protected:
  virtual void judge(std::int64_t /*step*/) {}
  void train(std::int64_t step) { job_->run(step); }
  std::int64_t samples() const { return samples_; }

 private:
  std::unique_ptr<Job> job_;
  const std::int64_t& samples_;
};

// Writes what is known before the step.
class KnownJob : public TrainingJob {
 public:
  KnownJob(std::unique_ptr<Job> job, const std::int64_t& samples,
           const std::vector<std::byte>& bytes, const Place& to, const Arenas& arenas)
      : TrainingJob(std::move(job), samples), bytes_(bytes), to_(to), arenas_(arenas) {}

 protected:
  void judge(std::int64_t step) override {
    std::memcpy(arenas_.bytes(to_, step).data(), bytes_.data(), bytes_.size());
  }

 private:
  const std::vector<std::byte>& bytes_;
  Place to_;
  const Arenas& arenas_;
};

// Hands on what it reads, which may lie where it writes.
class PassingJob : public TrainingJob {
 public:
  PassingJob(std::unique_ptr<Job> job, const std::int64_t& samples, const Place& from,
             const Place& to, const Arenas& arenas)
      : TrainingJob(std::move(job), samples), from_(from), to_(to), arenas_(arenas) {}

 protected:
  void judge(std::int64_t step) override {
    const std::span<std::byte> to = arenas_.bytes(to_, step);
    std::memmove(to.data(), arenas_.bytes(from_, step).data(), to.size());
  }

 private:
  Place from_;
  Place to_;
  const Arenas& arenas_;
};

class ScoringJob : public TrainingJob {
 public:
  ScoringJob(std::unique_ptr<Job> job, const std::int64_t& samples, const TaskKernel& kernel,
             const Operands& operands, const Arenas& arenas, LabelScore& score)
      : TrainingJob(std::move(job), samples),
        kernel_(kernel),
        predictions_(operands.reads[kernel.reads[0].place]),
        labels_(operands.reads[kernel.reads[1].place]),
        arenas_(arenas),
        score_(score) {}

 protected:
  void judge(std::int64_t step) override {
    score_ = score_labels(kernel_, arenas_.bytes(predictions_, step).data(),
                          arenas_.bytes(labels_, step).data(), samples() - kernel_.first_sample);
    train(step);
  }

 private:
  const TaskKernel& kernel_;
  Place predictions_;
  Place labels_;
  const Arenas& arenas_;
  LabelScore& score_;
};

}  // namespace

EvaluationJobs::EvaluationJobs(const Schedule& schedule, const LoweredNetwork& lowered,
                               const Arenas& arenas)
    : schedule_(schedule), lowered_(lowered), arenas_(arenas) {
  for (int t = 0; t < static_cast<int>(lowered.kernels.size()); ++t) {
    if (lowered.kernels[t].op == "batch_norm.running") note_averages(TaskId{t});
  }
}

void EvaluationJobs::note_averages(TaskId running) {
  const Task& task = lowered_.graph.tasks[running];
  const TaskKernel& kernel = lowered_.kernels[running];
  Averages& averages = averages_[task.reads[kernel.reads[0].place]];
  averages.state.clear();
  for (const KernelOperand& average : kernel.updates) {
    const TensorId tensor = task.updates[average.place];
    for (int b = 0; b < static_cast<int>(schedule_.buffers.size()); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      if (buffer.tensor != tensor || !buffer.initial) continue;
      averages.state.push_back(place(schedule_, BufferId{b}));
      break;
    }
  }
}

std::unique_ptr<Job> EvaluationJobs::in_both(std::unique_ptr<Job> job, const Action& action,
                                             const Operands& operands) {
  const Task& task = lowered_.graph.tasks[action.task];
  const TaskKernel& kernel = lowered_.kernels[action.task];
  if (task.phase == Phase::backward || task.phase == Phase::update)
    return std::make_unique<TrainingJob>(std::move(job), samples_);
  if (kernel.op == "dropout.forward")
    return std::make_unique<PassingJob>(std::move(job), samples_, operands.reads[0],
                                        operands.writes[0], arenas_);
  if (is_loss(kernel))
    return std::make_unique<ScoringJob>(std::move(job), samples_, kernel, operands, arenas_,
                                        scores_[action.task].emplace_back());
  const auto averages = task.writes.empty() ? averages_.end() : averages_.find(task.writes[0]);
  if (averages == averages_.end()) return job;
  return std::make_unique<KnownJob>(std::move(job), samples_, averages->second.bytes,
                                    operands.writes[0], arenas_);
}

void EvaluationJobs::begin(std::int64_t step, std::int64_t samples) {
  samples_ = samples;
  for (auto& [statistics, averages] : averages_) {
    averages.bytes.clear();
    for (const Place& state : averages.state) {
      const std::vector<std::byte> now = arenas_.get(state, step);
      averages.bytes.insert(averages.bytes.end(), now.begin(), now.end());
    }
  }
}

LabelScore EvaluationJobs::score() const {
  LabelScore all;
  for (const auto& [task, scores] : scores_) all += scores.front();
  return all;
}

}  // namespace stint
