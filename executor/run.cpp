#include "executor/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "executor/accelerator.hpp"
#include "executor/comparison.hpp"
#include "executor/cpu/cpu_backend.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/open_samples.hpp"
#include "executor/device_backend.hpp"
#include "executor/measurements.hpp"
#include "executor/replay.hpp"
#include "executor/seating.hpp"
#include "executor/step_data.hpp"
#include "executor/synthetic_data.hpp"
#include "files/input_error.hpp"
#include "files/sha256.hpp"
#include "files/text_file.hpp"
#include "schedules/validate.hpp"

namespace stint {
namespace {

bool is_training(const Schedule& schedule) {
  return std::holds_alternative<Network>(schedule.model);
}

// The network's graph with its kernels, before the judge asks for the graph. Nothing if it cannot
// be lowered so: that is for the judge to say.
std::optional<LoweredNetwork> lowered_network(const Schedule& schedule) {
  try {
    return lower_with_kernels(std::get<Network>(schedule.model), schedule.lowering,
                              std::ssize(schedule.graph.tasks));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void expect_none(const std::vector<Violation>& violations, const std::string& file) {
  if (violations.empty()) return;
  const auto& [rule, where, what] = violations.front();
  const std::string more = violations.size() == 1 ? ""
                                                  : fmt::format(" (and {} more, see show --check)",
                                                                violations.size() - 1);
  throw InputError(file + ": " + where, fmt::format("R{}: {}{}", rule, what, more));
}

std::string action_text(const Schedule& schedule, ActionId action) {
  return describe_action(schedule, action, workers(schedule.platform));
}

// Runs steps one after another, with their inputs brought in and their results taken.
class Runner {
 public:
  Runner(const Schedule& schedule, Backend& backend, Replay& replay, StepData& data)
      : schedule_(schedule), backend_(backend), replay_(replay), data_(data) {}

  // The counters of the steps that follow; null: none.
  void read_counters(EnergyMeter* counters) {
    counted_ = {};
    if (counters != nullptr)
      counted_ = {[counters] { counters->begin_window(); }, [counters] { counters->end_window(); }};
  }

  // From the beginning on.
  template <typename Visit>
  void run_steps(std::int64_t first_step, std::int64_t steps, Visit after_step) {
    data_.reset(first_step);
    for (std::int64_t step = first_step; step < first_step + steps; ++step) {
      run_step(step);
      data_.collect_results(step, backend_.step_digest());
      StepTimes times = replay_.times();
      times.on_devices = backend_.device_spans();
      after_step(step, times);
    }
  }

  // Every batch meets the same state. The last one may have fewer samples that count.
  Evaluation evaluate(const HeldOut& held_out, const StateBytes& state) {
    LabelScore score;
    std::int64_t step = first_held_out_step;
    for (std::int64_t done = 0; done < held_out.samples; done += held_out.batch, ++step) {
      data_.put_back(state, step);
      backend_.evaluate(step, std::min(held_out.batch, held_out.samples - done));
      run_step(step);
      score += backend_.label_score();
    }
    const auto labels = static_cast<double>(score.labels);
    Evaluation result{.batches = step - first_held_out_step,
                      .samples = held_out.samples,
                      .left_out = held_out.left_out,
                      .loss = score.loss / labels};
    if (score.have_classes) result.accuracy = static_cast<double>(score.right) / labels;
    return result;
  }

 private:
  void run_step(std::int64_t step) {
    data_.bring_inputs(step);
    backend_.start_clocks();
    const StepEnd end = replay_.run_step(step, counted_.begin ? &counted_ : nullptr);
    if (end == StepEnd::failed) {
      throw std::runtime_error(fmt::format("step {}, {}: {}", step,
                                           action_text(schedule_, replay_.failure()->action),
                                           replay_.failure()->what));
    }
    if (end == StepEnd::interrupted) throw Interrupted(fmt::format("interrupted in step {}", step));
  }

  const Schedule& schedule_;
  Backend& backend_;
  Replay& replay_;
  StepData& data_;
  AroundStep counted_;
};

// The highest byte that any action touches, or that is there from the start.
std::map<std::string, std::int64_t> highest_bytes(const Schedule& schedule) {
  std::map<std::string, std::int64_t> touched;
  for (const auto& [name, bytes] : schedule.arenas) touched[name] = 0;
  for (const Buffer& buffer : schedule.buffers) {
    const std::int64_t last = std::max(buffer.offset, buffer.second_offset.value_or(0));
    std::int64_t& highest = touched[memory_name(schedule.platform, buffer.memory)];
    highest = std::max(highest, last + buffer.bytes);
  }
  return touched;
}

RunReport head_of_report(const Schedule& schedule, const Simulation& simulation,
                         const RunOptions& options) {
  return {.schedule_sha256 = sha256(schedule_text(schedule)),
          .numerics_sha256 = schedule.numerics_sha256,
          .name = name_of(schedule.model),
          .steps = options.steps,
          .warmup_steps = options.warmup_steps,
          .predicted = {simulation.makespan_seconds, simulation.joules_by.total()},
          .peak_bytes = highest_bytes(schedule)};
}

void expect_no_training(const RunOptions& options) {
  const auto refuse = [](const std::string& option) {
    throw InputError(option,
                     "only networks are trained, tasks with costs alone are replayed; "
                     "expected a plan of a network, without --synthetic");
  };
  if (!options.data.empty()) refuse("--data " + options.data);
  if (!options.load_file.empty()) refuse("--load " + options.load_file);
  if (!options.save_file.empty()) refuse("--save " + options.save_file);
  if (options.held_out_batches > 0) refuse("--eval");
}

// As the network lists it, whatever order the plan stores it in.
StateBytes listed(const StateBytes& stored, const TensorValues& values) {
  StateBytes state;
  for (const auto& [name, bytes] : stored) state[name] = values.listed_state(name, bytes);
  return state;
}

HeldOut held_out_of(const SampleSource& source, std::int64_t batches, std::int64_t batch) {
  if (batches == 0) return {};
  const std::optional<std::int64_t> count = source.count(SampleSet::held_out);
  if (!count && batches == all_batches)
    throw InputError("--eval all", "generated samples have no end; expected a number of batches");
  std::int64_t samples = 0;
  if (__builtin_mul_overflow(batches, batch, &samples)) samples = all_batches;
  if (count) samples = std::min(samples, *count);
  return {.samples = samples, .left_out = count.value_or(samples) - samples, .batch = batch};
}

// GPUs, if the plan uses any.
std::unique_ptr<Accelerator> accelerator_of(const Schedule& schedule, const RunOptions& options) {
  if (!needs_accelerator(schedule)) return nullptr;
  if (options.held_out_batches > 0)
    throw InputError("--eval",
                     "GPUs only train; expected --save, and --eval of a plan for CPUs with --load");
  return open_accelerator(schedule, options.seed);
}

std::unique_ptr<Backend> make_backend(const Schedule& schedule, const LoweredNetwork& lowered,
                                      Arenas& arenas, const TensorValues& values, std::int64_t seed,
                                      Accelerator* accelerator) {
  if (accelerator == nullptr)
    return std::make_unique<CpuBackend>(schedule, lowered, arenas, values, seed);
  return std::make_unique<DeviceBackend>(schedule, lowered, arenas, values, seed, *accelerator);
}

// With real kernels.
RunReport train(RunPower& power, const LoweredNetwork& lowered, const RunOptions& options,
                const std::atomic<bool>& interrupted) {
  const Schedule& schedule = power.schedule();
  const auto& network = std::get<Network>(schedule.model);
  const auto samples = open_samples(options.data, network, schedule.lowering.batch, options.seed,
                                    options.held_out_batches > 0);
  const HeldOut held_out = held_out_of(*samples, options.held_out_batches, schedule.lowering.batch);
  if (!options.save_file.empty()) expect_writable(options.save_file);
  std::optional<SavedState> saved;
  if (!options.load_file.empty()) saved = load_state(options.load_file, network.loss.kind);
  const NetworkValues values(network, lowered, schedule.lowering, *samples, options.seed,
                             std::move(saved));
  const auto accelerator = accelerator_of(schedule, options);
  Arenas arenas(schedule, options.storage, accelerator.get());
  const auto backend =
      make_backend(schedule, lowered, arenas, values, options.seed, accelerator.get());
  const std::int64_t first = values.first_step();
  const Replayed replayed = run_unjudged(schedule, arenas, power.switching(*backend), values,
                                         options, interrupted, first, held_out);
  if (!options.save_file.empty())
    write_state(options.save_file,
                values.to_save(listed(replayed.state, values), first + options.steps));
  return replayed.report;
}

// Of tasks that only have costs, and of networks by their costs alone.
RunReport replay_costs(RunPower& power, const RunOptions& options,
                       const std::atomic<bool>& interrupted) {
  expect_no_training(options);
  const Schedule& schedule = power.schedule();
  Arenas arenas(schedule, options.storage);
  const SyntheticValues values(schedule.graph, options.seed);
  SyntheticBackend backend(schedule, arenas, values, options.pace);
  return run_unjudged(schedule, arenas, power.switching(backend), values, options, interrupted)
      .report;
}

}  // namespace

Replayed run_unjudged(const Schedule& schedule, Arenas& arenas, Backend& backend,
                      const TensorValues& values, const RunOptions& options,
                      const std::atomic<bool>& interrupted, std::int64_t first_step,
                      const HeldOut& held_out) {
  const Simulation simulation = simulate(schedule);
  const Program program = compile(schedule, simulation.seconds, backend);
  StepData data(schedule, arenas, values);
  Seating seating(schedule.platform, program);
  Measurements measurements(schedule, simulation, options.steps);
  const RunMeter meter(schedule, options.meter);
  Replayed result{.report = head_of_report(schedule, simulation, options)};
  RunReport& report = result.report;
  Replay replay(
      program, seating.spin_seconds(), [&](WorkerId worker) { seating.pin(worker); }, interrupted,
      backend.witness());
  Runner runner(schedule, backend, replay, data);
  runner.run_steps(first_step, options.warmup_steps, [](std::int64_t, const StepTimes&) {});
  runner.read_counters(meter.counters());
  runner.run_steps(first_step, options.steps, [&](std::int64_t step, const StepTimes& times) {
    measurements.add(times);
    if (const auto loss = backend.loss(step)) report.loss.push_back(*loss);
  });
  runner.read_counters(nullptr);
  measurements.report(report);
  meter.report(report);
  compare(schedule, simulation, measurements, meter, report);
  result.state = data.state(first_step + options.steps);
  report.state_sha256 = state_sha256(listed(result.state, values));
  report.results_sha256 = data.results_sha256();
  if (held_out.samples > 0) report.evaluation = runner.evaluate(held_out, result.state);
  for (const std::string& note : seating.notes()) report.notes.push_back(note);
  return result;
}

RunReport run(const Schedule& schedule, const RunOptions& options,
              const std::atomic<bool>& interrupted) {
  std::optional<LoweredNetwork> lowered;
  if (is_training(schedule) && !options.synthetic) lowered = lowered_network(schedule);
  expect_none(lowered ? validate(schedule, lowered->graph) : validate(schedule), options.file);
  RunPower power(schedule, options.power, options.file);
  RunReport report = lowered ? train(power, *lowered, options, interrupted)
                             : replay_costs(power, options, interrupted);
  power.finish(report);
  return report;
}

}  // namespace stint
