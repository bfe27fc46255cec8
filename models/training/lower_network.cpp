#include "models/training/lower_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "files/input_error.hpp"
#include "models/training/differentiate.hpp"
#include "models/training/fuse.hpp"
#include "models/training/kernel_text.hpp"
#include "models/training/layer_pieces.hpp"
#include "models/training/order_weights.hpp"
#include "models/training/shard.hpp"
#include "models/training/step_tasks.hpp"
#include "models/training/weight_versions.hpp"

namespace stint {
namespace {

constexpr std::int64_t most_samples = std::int64_t{1} << 20;
constexpr std::int64_t most_shards = 4096;  // of a layer

void expect_range(const char* key, std::int64_t value) {
  if (value < 1 || value > most_samples)
    throw InputError(fmt::format("/lowering/{}", key),
                     fmt::format("{}; expected 1 to {}", value, most_samples));
}

void expect_divisor(const char* key, std::int64_t divisor, std::int64_t of, const char* what) {
  if (of % divisor != 0)
    throw InputError(fmt::format("/lowering/{}", key),
                     fmt::format("{}; expected a divisor of {} {}", divisor, of, what));
}

void check_post_ops(const Lowering& lowering) {
  for (std::size_t i = 0; i < lowering.post_ops.size(); ++i) {
    const std::string& post_op = lowering.post_ops[i];
    const std::string where = fmt::format("/lowering/post_ops/{}", i);
    if (!lowering.fuse) throw InputError(where, "without fuse; expected fuse too, or none");
    if (std::ranges::find(all_post_ops(), post_op) == all_post_ops().end())
      throw InputError(where, fmt::format("{}; expected one of {}", in_quotes(post_op),
                                          fmt::join(all_post_ops(), ", ")));
    if (i > 0 && post_op <= lowering.post_ops[i - 1])
      throw InputError(where, fmt::format("{} after {}; expected each once, ascending",
                                          in_quotes(post_op), in_quotes(lowering.post_ops[i - 1])));
  }
}

void check(const Lowering& lowering) {
  check_post_ops(lowering);
  expect_range("batch", lowering.batch);
  expect_range("microbatches", lowering.microbatches);
  expect_range("leaves", lowering.leaves);
  expect_range("replicas", lowering.replicas);
  expect_divisor("microbatches", lowering.microbatches, lowering.batch, "samples");
  expect_divisor("leaves", lowering.leaves, lowering.batch / lowering.microbatches,
                 "samples of a micro-batch");
  expect_divisor("replicas", lowering.replicas, lowering.microbatches, "micro-batches");
}

// By gradient: in how many ranges it is summed and its parameter is updated.
std::map<ValueId, std::int64_t> split_gradients(const Training& training,
                                                const Lowering& lowering) {
  std::map<std::string, ValueId> gradients;
  for (const Trained& trained : training.trained)
    gradients[training.values[trained.parameter].name] = trained.gradient;
  std::map<ValueId, std::int64_t> ranges;
  for (std::size_t i = 0; i < lowering.splits.size(); ++i) {
    const ParameterSplit& split = lowering.splits[i];
    const std::string where = fmt::format("/lowering/splits/{}", i);
    const auto found = gradients.find(split.parameter);
    if (found == gradients.end())
      throw InputError(where, fmt::format("no trained parameter is named {}; expected one",
                                          in_quotes(split.parameter)));
    if (split.ranges < 1 || split.ranges > most_samples)
      throw InputError(where + "/ranges",
                       fmt::format("{}; expected 1 to {}", split.ranges, most_samples));
    ranges[found->second] = split.ranges;
  }
  return ranges;
}

Training training_of(const Network& network, const Lowering& lowering) {
  if (lowering.shards.empty()) {
    Training training = differentiate(network, lowering.layout);
    if (lowering.fuse) fuse(training, lowering.post_ops);
    return training;
  }
  const ShardedNetwork sharded = shard(network, lowering.shards);
  Training training = differentiate(sharded.network, lowering.layout);
  if (lowering.fuse) fuse(training, lowering.post_ops);
  join_parameters(sharded, training);
  name_layers(sharded, training);
  return training;
}

// Each is a task at least, so that this is known before any is made.
void expect_few_shards(const Lowering& lowering, std::int64_t most_tasks) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < lowering.shards.size(); ++i) {
    const std::int64_t count = lowering.shards[i].count;
    if (count < 1 || count > most_shards)
      throw InputError(fmt::format("/lowering/shards/{}", i),
                       fmt::format("{} shards; expected 1 to {}", count, most_shards));
    all += count;
  }
  if (all > most_tasks)
    throw InputError("/lowering/shards",
                     fmt::format("more than {} tasks; expected fewer shards", most_tasks));
}

class NetworkLowering {
 public:
  NetworkLowering(const Network& network, const Lowering& lowering,
                  std::vector<TaskKernel>* kernels)
      : lowering_(lowering),
        pinned_(lowering.kernels),
        training_(training_of(network, lowering)),
        pieces_(layer_pieces(network, lowering)),
        ranges_(split_gradients(training_, lowering)),
        tensors_(training_, lowering, graph_),
        tasks_(training_, tensors_, pinned_, graph_, lowering, kernels) {
    graph_.name = network.name;
    if (!lowering.kernels.empty())
      order_weights([this](const Operation& operation) { return wanted_order(operation); },
                    training_);
    gradients_.resize(training_.values.size());
    layers_ = layers_of_operations(network, training_);
    loss_operation_ = loss_operation(training_);
    if (lowering.pipelined.empty()) return;
    ahead_ = pipelined_order(network, training_, lowering);
    versions_.emplace(training_, *ahead_);
  }

  const std::vector<Parameter>& parameters() const { return training_.parameters; }

  std::map<std::string, std::string> orders_of_state() const {
    std::map<std::string, std::string> orders;
    for (const Value& value : training_.values) {
      if (value.kind != Kind::state || value.order.empty()) continue;
      for (std::int64_t replica = 0; replica < lowering_.replicas; ++replica)
        orders[StepTensors::name_at(value.name, replica)] = value.order;
    }
    return orders;
  }

  Graph lower(std::int64_t most_tasks) {
    expect_few_tasks(most_tasks);
    losses_ = MergeTree(lowering_.microbatches);
    for (const Trained& trained : training_.trained)
      gradients_[trained.gradient] = MergeTree(lowering_.microbatches);
    if (ahead_)
      add_turns();
    else
      add_microbatches();
    graph_.results = {losses_.whole()};
    return std::move(graph_);
  }

  std::vector<TaskOrigin>& origins() { return origins_; }

 private:
  void add_microbatches() {
    for (microbatch_ = 0; microbatch_ < lowering_.microbatches; ++microbatch_) {
      for (std::size_t i = 0; i < training_.operations.size(); ++i) add_operation(i);
    }
  }

  void add_turns() {
    for (const StageTurn& turn : ahead_->turns) {
      microbatch_ = turn.microbatch;
      for (const int i : ahead_->operations_of(turn)) add_operation(i);
    }
  }

  void add_operation(std::size_t i) {
    add(training_.operations[i]);
    origins_.resize(graph_.tasks.size(), {layers_[i], microbatch_, i <= loss_operation_});
  }

  // Counts what there is at least: not what may become a view, nor merges.
  void expect_few_tasks(std::int64_t most_tasks) const {
    std::int64_t tasks = 0;
    for (const Operation& operation : training_.operations) {
      if (!operation.updates.empty())
        tasks += std::ssize(ranges(operation.reads[0], elements_of(operation.reads[0])));
      else if (!is_concat_or_split(operation))
        tasks += pieces_of(operation);
    }
    if (tasks > most_tasks / lowering_.microbatches)
      throw InputError("/lowering",
                       fmt::format("more than {} tasks; expected fewer micro-batches or "
                                   "pieces",
                                   most_tasks));
  }

  // Of its first piece, as all of them read the same weight; nothing if its kernel is not pinned.
  std::optional<std::string> wanted_order(const Operation& operation) const {
    const std::int64_t leaves =
        pieces_of(operation) > 1 ? pieces_.at(operation.layer).begin[1] : lowering_.leaves;
    const std::string shape = kernel_text(training_, operation, leaves * leaf_samples(),
                                          tensors_.can_be_cut(operation) ? leaves : 1);
    return pinned_.weight_order(operation.op, shape);
  }

  void add(const Operation& operation) {
    if (std::holds_alternative<Optimizer>(operation.origin))
      add_update(operation);
    else if (!operation.updates.empty())
      add_to_replicas(operation, tensors_of(operation.reads, {0, samples()}));
    else if (!becomes_view(operation))
      add_tasks(operation);
    if (operation.phase == Phase::loss) add_to_sum(losses_, training_.loss, Phase::loss);
  }

  void add_tasks(const Operation& operation) {
    if (pieces_of(operation) > 1)
      add_pieces(operation);
    else
      tasks_.add(operation, name_in_batch(operation.name), whole(operation), first_sample(),
                 samples(), lowering_.leaves);
  }

  // Each replica's state is changed alike, so that all stay the same.
  void add_to_replicas(const Operation& operation, const std::vector<TensorId>& reads) {
    const bool steps = std::holds_alternative<Optimizer>(operation.origin);
    const bool once = steps && !ahead_;
    const std::string name = once ? operation.name : name_in_batch(operation.name);
    for (std::int64_t replica = 0; replica < lowering_.replicas; ++replica) {
      TaskTensors lists{.reads = reads};
      for (const ValueId state : operation.updates)
        lists.updates.push_back(tensors_.state_of(state, replica));
      if (steps && ranges_of(operation.reads[0]) > 1 && are_alike(lists))
        add_ranges(operation, StepTensors::name_at(name, replica), lists);
      else
        tasks_.add(operation, StepTensors::name_at(name, replica), lists, first_sample(), samples(),
                   1);
    }
  }

  bool are_alike(const TaskTensors& lists) const {
    return std::all_of(lists.updates.begin(), lists.updates.end(), [&](TensorId state) {
      return tensors_.elements(state) == tensors_.elements(lists.reads[0]);
    });
  }

  std::int64_t ranges_of(ValueId gradient) const {
    const auto found = ranges_.find(gradient);
    return found == ranges_.end() ? 1 : found->second;
  }

  std::vector<ElementRange> ranges(ValueId gradient, std::int64_t elements) const {
    return element_ranges(elements, ranges_of(gradient));
  }
  std::int64_t elements_of(ValueId id) const {
    return product(training_.values[id].shape).at(samples());
  }

  // The update of a parameter, range by range.
  void add_ranges(const Operation& update, const std::string& name, const TaskTensors& whole) {
    const std::int64_t elements = tensors_.elements(whole.updates[0]);
    for (const ElementRange range : ranges(update.reads[0], elements)) {
      TaskTensors part;
      for (const TensorId tensor : whole.reads) part.reads.push_back(tensors_.range(tensor, range));
      for (const TensorId tensor : whole.updates)
        part.updates.push_back(tensors_.range(tensor, range));
      tasks_.add_range(update, name + StepTensors::text(range), part, range.count(), elements,
                       first_sample());
    }
  }

  // Of gradients whose parameter is split, range by range.
  void add_merges(ValueId value, const StepTasks::Merge& merge) {
    if (ranges_of(value) == 1) return tasks_.add_merge(merge);
    const std::int64_t elements = tensors_.elements(merge.result);
    for (const ElementRange range : ranges(value, elements)) {
      StepTasks::Merge part = merge;
      for (TensorId* tensor : {&part.left, &part.right, &part.result})
        *tensor = tensors_.range(*tensor, range);
      tasks_.add_merge(part);
    }
  }

  // A gradient waits for those of the other micro-batches; with the last comes the update.
  void add_update(const Operation& update) {
    const ValueId gradient = update.reads[0];
    if (ahead_) return add_update_at_once(update.updates[0], update);
    MergeTree& sum = gradients_[gradient];
    add_to_sum(sum, gradient, Phase::backward);
    if (microbatch_ + 1 == lowering_.microbatches) add_to_replicas(update, {sum.whole()});
  }

  // Where stages run ahead: who still needs the version that this replaces gets a copy.
  void add_update_at_once(ValueId weight, const Operation& update) {
    const std::int64_t version = versions_->newest(weight);
    if (versions_->must_be_stashed(weight)) {
      const std::string name = fmt::format("{}:{}", training_.values[weight].name, version);
      const TensorId copy = stashed_[{weight, version}] = tensors_.add_like(weight, name);
      tasks_.add_stash(tensors_.of(weight, microbatch_), copy);
    }
    add_to_replicas(update, {tensors_.of(update.reads[0], microbatch_)});
    versions_->update(weight);
  }

  // What has no samples: of weights, the version that the micro-batch sees.
  TensorId tensor_of(ValueId id) {
    if (versions_ && versions_->is_updated(id)) {
      const std::int64_t version = versions_->version(id, microbatch_);
      if (version != versions_->newest(id)) return stashed_.at({id, version});
    }
    return tensors_.of(id, microbatch_);
  }

  void add_to_sum(MergeTree& sum, ValueId value, Phase phase) {
    sum.add(tensors_.of(value, microbatch_),
            [&](const TreeMerge& merge, TensorId left, TensorId right) {
              std::string name = training_.values[value].name;
              const bool all = merge.begin == 0 && merge.end == lowering_.microbatches;
              if (!all) name += fmt::format("#{}:{}", merge.begin, merge.end);
              const TensorId result = tensors_.add_like(value, name);
              add_merges(value, {.phase = phase, .left = left, .right = right, .result = result});
              return result;
            });
  }

  static bool is_concat_or_split(const Operation& operation) {
    const auto* kind = std::get_if<LayerKind>(&operation.origin);
    return kind != nullptr &&
           (std::holds_alternative<Concat>(*kind) || std::holds_alternative<Split>(*kind));
  }

  // A concatenation forward and the gradient of a split put pieces together, the other two take a
  // whole apart.
  bool becomes_view(const Operation& operation) {
    if (!is_concat_or_split(operation)) return false;
    const LayerKind& kind = std::get<LayerKind>(operation.origin);
    const auto* concat = std::get_if<Concat>(&kind);
    const auto* split = std::get_if<Split>(&kind);
    const bool joins = (concat != nullptr) == (operation.phase == Phase::forward);
    const auto& pieces = joins ? operation.reads : operation.writes;
    const ValueId all = joins ? operation.writes[0] : operation.reads[0];
    const std::size_t axis =
        axis_of(concat != nullptr ? concat->axis : split->axis, training_.values[all].shape);
    return tensors_.try_views(pieces, all, axis, microbatch_);
  }

  std::int64_t pieces_of(const Operation& operation) const {
    const auto cut = pieces_.find(operation.layer);
    return cut == pieces_.end() || !tensors_.can_be_cut(operation) ? 1 : cut->second.count();
  }

  void add_pieces(const Operation& operation) {
    const LayerPieces& pieces = pieces_.at(operation.layer);
    const std::int64_t leaf = leaf_samples();
    std::vector<MergeTree> merges(operation.writes.size(), MergeTree(pieces.merges));
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
      const SampleRange range{pieces.begin[piece] * leaf, pieces.begin[piece + 1] * leaf};
      TaskTensors lists{.reads = tensors_of(operation.reads, range)};
      for (const ValueId output : operation.writes)
        lists.writes.push_back(piece_of_output(output, range));
      tasks_.add(operation, name_in_batch(operation.name) + text(range), lists,
                 first_sample() + range.begin, range.count(),
                 pieces.begin[piece + 1] - pieces.begin[piece]);
      for (std::size_t i = 0; i < lists.writes.size(); ++i) {
        if (!tensors_.has_samples(operation.writes[i]))
          add_partial_result(operation, i, lists.writes[i], merges[i]);
      }
    }
  }

  TensorId piece_of_output(ValueId output, SampleRange range) {
    if (tensors_.has_samples(output)) return tensors_.part(output, microbatch_, range);
    return tensors_.add_like(output, name_of(output) + text(range));
  }

  // What was summed over the samples of a piece is merged; the last merge makes the value itself.
  void add_partial_result(const Operation& operation, std::size_t output, TensorId partial,
                          MergeTree& merges) {
    const ValueId value = operation.writes[output];
    merges.add(partial, [&](const TreeMerge& merge, TensorId left, TensorId right) {
      const bool all = merge.begin == 0 && merge.end == pieces_of(operation);
      const TensorId result =
          all ? tensors_.of(value, microbatch_)
              : tensors_.add_like(
                    value, fmt::format("{}[piece {}:{}]", name_of(value), merge.begin, merge.end));
      const auto samples_of = [&](int begin, int last) {
        const std::vector<std::int64_t>& leaf = pieces_.at(operation.layer).begin;
        return (leaf[last] - leaf[begin]) * leaf_samples();
      };
      add_merges(value,
                 {operation.combine, operation.phase, left, right, result,
                  samples_of(merge.begin, merge.middle), samples_of(merge.middle, merge.end)});
      return result;
    });
  }

  TaskTensors whole(const Operation& operation) {
    const SampleRange all{0, samples()};
    return {tensors_of(operation.reads, all), tensors_of(operation.writes, all), {}};
  }

  std::vector<TensorId> tensors_of(const std::vector<ValueId>& values, SampleRange range) {
    std::vector<TensorId> list;
    for (const ValueId id : values) {
      list.push_back(tensors_.has_samples(id) ? tensors_.part(id, microbatch_, range)
                                              : tensor_of(id));
    }
    return list;
  }

  static std::string text(SampleRange range) {
    return fmt::format("[{}:{}]", range.begin, range.end);
  }
  std::string name_of(ValueId id) const { return name_in_batch(training_.values[id].name); }
  std::string name_in_batch(const std::string& name) const {
    return tensors_.name_in(name, microbatch_);
  }
  std::int64_t samples() const { return tensors_.samples(); }
  std::int64_t leaf_samples() const { return samples() / lowering_.leaves; }
  std::int64_t first_sample() const { return microbatch_ * samples(); }

  const Lowering& lowering_;
  PinnedKernels pinned_;
  Training training_;
  std::map<std::string, LayerPieces> pieces_;  // by layer
  std::map<ValueId, std::int64_t> ranges_;     // by gradient, where there are several
  Graph graph_;
  StepTensors tensors_;
  StepTasks tasks_;
  MergeTree losses_;
  std::vector<MergeTree> gradients_;  // by value
  std::int64_t microbatch_ = 0;
  std::vector<int> layers_;  // by operation
  std::size_t loss_operation_ = 0;
  std::vector<TaskOrigin> origins_;
  // Only where stages run ahead:
  std::optional<PipelinedOrder> ahead_;
  std::optional<WeightVersions> versions_;
  std::map<std::pair<ValueId, std::int64_t>, TensorId> stashed_;  // by weight and version
};

}  // namespace

Graph lower_network(const Network& network, const Lowering& lowering, std::int64_t most_tasks) {
  check(lowering);
  expect_few_shards(lowering, most_tasks);
  return NetworkLowering(network, lowering, nullptr).lower(most_tasks);
}

LoweredNetwork lower_with_kernels(const Network& network, const Lowering& lowering,
                                  std::int64_t most_tasks) {
  check(lowering);
  expect_few_shards(lowering, most_tasks);
  LoweredNetwork lowered;
  NetworkLowering lowerer(network, lowering, &lowered.kernels);
  lowered.parameters = lowerer.parameters();
  lowered.orders = lowerer.orders_of_state();
  lowered.graph = lowerer.lower(most_tasks);
  lowered.origins = std::move(lowerer.origins());
  return lowered;
}

}  // namespace stint
