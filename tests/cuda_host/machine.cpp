#include "tests/cuda_host/machine.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace cuda_host {
namespace {

// As slow as a test wants it.
std::function<void()> slowed(std::function<void()> work) {
  const std::chrono::microseconds delay(settings().operation_microseconds);
  if (delay.count() == 0) return work;
  return [delay, work = std::move(work)] {
    std::this_thread::sleep_for(delay);
    work();
  };
}

// What an operation takes by the clock that a test has set.
double seconds_of(const DeviceOperation& operation, const SeparateMemory& memory) {
  if (!settings().clock) return 0;
  const DeviceClock& clock = *settings().clock;
  if (!operation.is_copy)
    return clock.operation_seconds + operation.bytes / clock.bytes_per_second +
           operation.flops / clock.flops_per_second;
  const auto is_in = [&](const MemoryAccess& access) {
    return access.writes && memory.place_of(access.first) == MemoryPlace::device;
  };
  const bool goes_in = std::any_of(operation.accesses.begin(), operation.accesses.end(), is_in);
  return clock.copy_seconds +
         operation.bytes / (goes_in ? clock.in_bytes_per_second : clock.out_bytes_per_second);
}

}  // namespace

int& current_device() {
  thread_local int device = 0;
  return device;
}

HostThread& HostMachine::thread() {
  thread_local HostThread thread{.agent = AgentId{agents_++}};
  return thread;
}

void HostMachine::tell(const void* what, std::uint64_t count) {
  HostThread& told = told_[{what, count}];
  told.clock.join(thread().clock);
  told.seconds = std::max(told.seconds, thread().seconds);
}

void HostMachine::hear(const void* what, std::uint64_t count) {
  const auto found = told_.find({what, count});
  if (found == told_.end())
    throw CallMisuse(cudaErrorUnknown, "a thread of the host waits for what none has told");
  thread().clock.join(found->second.clock);
  thread().seconds = std::max(thread().seconds, found->second.seconds);
}

HostMachine& HostMachine::get() {
  static auto* const machine = new HostMachine;  // calls come until the very end
  return *machine;
}

std::shared_ptr<StreamQueue> HostMachine::new_queue(int device, bool blocking) {
  auto queue = std::make_shared<StreamQueue>();
  queue->agent = AgentId{agents_++};
  queue->name = "stream " + std::to_string(queue->agent);
  queue->device = device;
  queue->blocking = blocking;
  return queue;
}

std::shared_ptr<StreamQueue> HostMachine::default_stream(int device) {
  auto& queue = default_streams_[device];
  if (!queue) queue = new_queue(device, true);
  return queue;
}

cudaStream_t HostMachine::create_stream(int device, bool blocking) {
  const auto handle = reinterpret_cast<cudaStream_t>(last_handle_ += 16);
  streams_.emplace(handle, new_queue(device, blocking));
  return handle;
}

std::shared_ptr<StreamQueue> HostMachine::find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return default_stream(current_device());
  const auto found = streams_.find(handle);
  if (found == streams_.end())
    throw CallMisuse(cudaErrorInvalidResourceHandle, "is given a stream that does not exist");
  return found->second;
}

// What it holds still runs: marks keep the queue.
void HostMachine::destroy_stream(cudaStream_t handle) {
  if (streams_.erase(handle) == 0)
    throw CallMisuse(cudaErrorInvalidResourceHandle, "destroys a stream that does not exist");
}

std::shared_ptr<StreamMark> HostMachine::mark(const std::shared_ptr<StreamQueue>& stream) {
  stream->clock.join(thread().clock);
  stream->seconds = std::max(stream->seconds, thread().seconds);
  auto mark = std::make_shared<StreamMark>(
      StreamMark{.stream = stream, .clock = stream->clock, .seconds = stream->seconds});
  scheduler_.enqueue(stream, {.leaves = mark});
  return mark;
}

void HostMachine::wait(const std::shared_ptr<StreamQueue>& stream,
                       const std::shared_ptr<StreamMark>& mark) {
  stream->clock.join(mark->clock);
  stream->seconds = std::max(stream->seconds, mark->seconds);
  scheduler_.enqueue(stream, {.waits_for = mark});
}

// The default stream waits for all blocking streams of its device, and they for it.
void HostMachine::order_with_default(const std::shared_ptr<StreamQueue>& stream) {
  const auto first = default_stream(stream->device);
  if (stream == first) {
    for (const auto& [handle, other] : streams_)
      if (other->blocking && other->device == stream->device) wait(stream, mark(other));
  } else if (stream->blocking && first->clock.at(first->agent) > 0) {
    wait(stream, mark(first));
  }
}

void HostMachine::check_accesses(const StreamQueue& stream,
                                 const DeviceOperation& operation) const {
  for (const MemoryAccess& access : operation.accesses) {
    if (access.bytes == 0) continue;
    const Allocation* const block = memory.block(access, operation.name);
    if (block == nullptr)
      throw CallMisuse(cudaErrorIllegalAddress, operation.name + " accesses pageable memory");
    if (block->place == MemoryPlace::device && block->device != stream.device &&
        !operation.across_devices)
      throw CallMisuse(cudaErrorIllegalAddress, operation.name + " on device " +
                                                    std::to_string(stream.device) + " accesses " +
                                                    block->name);
  }
}

void HostMachine::check_race(const MemoryAccess& access, const AccessActor& actor) {
  if (memory.place_of(access.first) == MemoryPlace::pageable) return;
  const std::string race = history_.add(access, actor);
  if (!race.empty())
    throw CallMisuse(cudaErrorUnknown, "race: " + race + ", and nothing orders the two");
}

void HostMachine::submit(cudaStream_t handle, DeviceOperation operation) {
  const auto stream = find_stream(handle);
  check_accesses(*stream, operation);
  order_with_default(stream);
  stream->clock.join(thread().clock);
  stream->clock.tick(stream->agent);
  stream->seconds = std::max(stream->seconds, thread().seconds) + seconds_of(operation, memory);
  const auto label = std::make_shared<const std::string>(
      operation.name + " (operation " + std::to_string(++operations_) + ", " + stream->name + ")");
  for (const MemoryAccess& access : operation.accesses)
    check_race(access, {stream->agent, &stream->clock, label});
  const bool computes = operation.is_copy || !settings().clock;
  scheduler_.enqueue(stream, {.work = computes ? slowed(std::move(operation.work)) : [] {}});
}

void HostMachine::host_accesses(const std::string& name, const MemoryAccess& access) {
  memory.block(access, name);
  HostThread& actor = thread();
  actor.clock.tick(actor.agent);
  check_race(access, {actor.agent, &actor.clock,
                      std::make_shared<const std::string>(name + " (on the host)")});
}

// Which record a wait means depends on the order of the two calls: threads must have agreed on it.
void HostMachine::use_event(cudaEvent_t handle, bool records) {
  HostThread& actor = thread();
  actor.clock.tick(actor.agent);
  const auto label = std::make_shared<const std::string>(
      "thread " + std::to_string(actor.agent) + " of the host" +
      (records ? ", recording an event," : ", using an event,"));
  const std::string race = event_calls_.add({reinterpret_cast<Address>(handle), 1, records},
                                            {actor.agent, &actor.clock, label});
  if (!race.empty())
    throw CallMisuse(cudaErrorUnknown, "race: " + race + ", and nothing orders the two");
}

cudaEvent_t HostMachine::create_event(int device, bool is_timed) {
  const auto handle = reinterpret_cast<cudaEvent_t>(last_handle_ += 16);
  events_.emplace(handle, EventState{.device = device, .is_timed = is_timed});
  return handle;
}

EventState& HostMachine::event(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  if (found == events_.end())
    throw CallMisuse(cudaErrorInvalidResourceHandle, "is given an event that does not exist");
  return found->second;
}

void HostMachine::destroy_event(cudaEvent_t handle) {
  event(handle);
  events_.erase(handle);
  event_calls_.forget(reinterpret_cast<Address>(handle), 1);
}

void HostMachine::record(cudaEvent_t handle, cudaStream_t stream_handle) {
  const auto stream = find_stream(stream_handle);
  EventState& state = event(handle);
  if (state.device != stream->device)
    throw CallMisuse(cudaErrorInvalidResourceHandle, "records an event of another device");
  use_event(handle, true);
  order_with_default(stream);
  state.mark = mark(stream);
}

// An event that was never recorded is waited for by nobody.
void HostMachine::wait(cudaStream_t stream_handle, cudaEvent_t handle) {
  const auto stream = find_stream(stream_handle);
  const auto& mark = event(handle).mark;
  use_event(handle, false);
  if (++waits_ != settings().forgotten_wait && mark) wait(stream, mark);
}

void HostMachine::finish(const std::shared_ptr<StreamMark>& mark, Lock& lock) {
  scheduler_.finish(*mark, lock);
  if (lost != cudaSuccess) throw CallFault(lost, "the device is lost");
  thread().clock.join(mark->clock);
  thread().seconds = std::max(thread().seconds, mark->seconds);
}

void HostMachine::finish(cudaStream_t handle, Lock& lock) {
  const auto stream = find_stream(handle);
  order_with_default(stream);
  finish(mark(stream), lock);
}

void HostMachine::finish(cudaEvent_t handle, Lock& lock) {
  const auto mark = event(handle).mark;
  use_event(handle, false);
  if (mark) finish(mark, lock);
}

void HostMachine::finish_device(int device, Lock& lock) {
  std::vector<std::shared_ptr<StreamMark>> marks;
  for (const auto& [handle, stream] : streams_)
    if (stream->device == device) marks.push_back(mark(stream));
  marks.push_back(mark(default_stream(device)));
  for (const auto& mark : marks) finish(mark, lock);
}

bool HostMachine::poll(const std::shared_ptr<StreamMark>& mark) {
  if (!scheduler_.poll(*mark)) return false;
  thread().clock.join(mark->clock);
  return true;
}

bool HostMachine::poll(cudaStream_t handle) { return poll(mark(find_stream(handle))); }

bool HostMachine::poll(cudaEvent_t handle) {
  const auto mark = event(handle).mark;
  use_event(handle, false);
  return !mark || poll(mark);
}

// In milliseconds, from one event to the other: both timed, recorded, and done.
float HostMachine::elapsed(cudaEvent_t begin, cudaEvent_t end) {
  for (const cudaEvent_t handle : {begin, end}) {
    const EventState& state = event(handle);
    use_event(handle, false);
    if (!state.is_timed || !state.mark)
      throw CallMisuse(cudaErrorInvalidResourceHandle,
                       "is given an event that is not timed or was never recorded");
    if (!scheduler_.poll(*state.mark)) throw CallFault(cudaErrorNotReady, "work is left");
  }
  if (event(begin).device != event(end).device)
    throw CallMisuse(cudaErrorInvalidResourceHandle, "is given events of two devices");
  if (settings().clock)
    return static_cast<float>(1e3 * (event(end).mark->seconds - event(begin).mark->seconds));
  return std::chrono::duration<float, std::milli>(event(end).mark->at - event(begin).mark->at)
      .count();
}

void HostMachine::free(const void* pointer, MemoryPlace place) {
  const auto address = reinterpret_cast<Address>(pointer);
  const Allocation* const block = memory.block_at(address);
  const std::size_t bytes = block == nullptr ? 0 : block->bytes;
  const std::string pending = history_.unfinished(address, bytes, thread().clock);
  memory.free(address, place, lost == cudaSuccess);  // else a kernel may still be on its stage
  history_.forget(address, bytes);
  if (!pending.empty() && lost == cudaSuccess)
    throw CallMisuse(cudaErrorInvalidValue,
                     "frees " + block->name + ", on which " + pending + " may still be at work");
}

bool HostMachine::has_object(const void* object, const std::string& kind) const {
  const auto found = objects_.find(object);
  return found != objects_.end() && found->second == kind;
}

void HostMachine::lose(cudaError_t error) {
  if (lost != cudaSuccess) return;
  lost = error;
  scheduler_.drop_everything();
}

void HostMachine::end() {
  Lock lock(mutex);
  scheduler_.stop(lock);
  for (const std::string& line : memory.leaks()) report_finding("leak: " + line);
  for (const auto& [handle, stream] : streams_) report_finding("leak: " + stream->name);
  if (!events_.empty()) report_finding("leak: " + std::to_string(events_.size()) + " events");
  for (const auto& [object, kind] : objects_) report_finding("leak: " + kind);
}

}  // namespace cuda_host
