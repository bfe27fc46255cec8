#include "tests/cuda_host/scheduler.hpp"

#include <algorithm>
#include <climits>
#include <iterator>
#include <utility>

namespace cuda_host {

bool StreamScheduler::may_run(const StreamQueue& stream) {
  if (stream.queue.empty() || stream.running) return false;
  const StreamEntry& front = stream.queue.front();
  return !front.waits_for || front.waits_for->done;
}

void StreamScheduler::run_front(StreamQueue& stream) {
  const StreamEntry entry = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (entry.work) entry.work();
  if (!entry.leaves) return;
  entry.leaves->done = true;
  entry.leaves->at = std::chrono::steady_clock::now();
}

void StreamScheduler::enqueue(const std::shared_ptr<StreamQueue>& stream, StreamEntry entry) {
  stream->queue.push_back(std::move(entry));
  if (settings().mode == StreamOrder::eager) return run_front(*stream);
  if (std::find(busy_.begin(), busy_.end(), stream) == busy_.end()) busy_.push_back(stream);
  if (settings().mode == StreamOrder::lazy) return;
  if (!worker_.joinable()) worker_ = std::thread([this] { work_at_random(); });
  changed_.notify_all();
}

// Runs entries until the mark is done, and no entry that it does not need. A wait at the front of a
// queue makes the mark it waits for the next aim; marks are left before they are waited for, so the
// chain of aims ends.
void StreamScheduler::run_needed(StreamMark& mark, int most_entries) {
  std::vector<StreamMark*> aims{&mark};
  while (!aims.empty() && most_entries > 0) {
    if (aims.back()->done) {
      aims.pop_back();
      continue;
    }
    StreamQueue& stream = *aims.back()->stream;
    if (!may_run(stream)) {
      aims.push_back(stream.queue.front().waits_for.get());
      continue;
    }
    run_front(stream);
    --most_entries;
  }
}

void StreamScheduler::finish(StreamMark& mark, Lock& lock) {
  if (settings().mode != StreamOrder::random) return run_needed(mark, INT_MAX);
  changed_.wait(lock, [&] { return mark.done; });
}

bool StreamScheduler::poll(StreamMark& mark) {
  if (settings().mode == StreamOrder::lazy) run_needed(mark, 1);
  return mark.done;
}

void StreamScheduler::drop_everything() {
  for (const auto& stream : busy_) {
    for (const StreamEntry& entry : stream->queue)
      if (entry.leaves) entry.leaves->done = true;
    stream->queue.clear();
  }
  changed_.notify_all();
}

std::shared_ptr<StreamQueue> StreamScheduler::next_runnable() {
  std::erase_if(busy_,
                [](const auto& stream) { return stream->queue.empty() && !stream->running; });
  std::vector<std::shared_ptr<StreamQueue>> runnable;
  std::copy_if(busy_.begin(), busy_.end(), std::back_inserter(runnable),
               [](const auto& stream) { return may_run(*stream); });
  return runnable.empty() ? nullptr : runnable[order_() % runnable.size()];
}

// Now and then lets the host get ahead.
void StreamScheduler::pause(Lock& lock) {
  if (order_() % 8 != 0) return;
  const auto delay = std::chrono::microseconds(order_() % 200);
  lock.unlock();
  std::this_thread::sleep_for(delay);
  lock.lock();
}

void StreamScheduler::work_at_random() {
  Lock lock(mutex_);
  while (!stopping_) {
    const auto stream = next_runnable();
    if (!stream) {
      changed_.wait(lock);
      continue;
    }
    const std::function<void()> work = std::exchange(stream->queue.front().work, nullptr);
    stream->running = true;
    pause(lock);
    if (work) {
      lock.unlock();
      work();
      lock.lock();
    }
    stream->running = false;
    if (!stream->queue.empty()) run_front(*stream);  // empty: the device was lost meanwhile
    changed_.notify_all();
  }
}

void StreamScheduler::stop(Lock& lock) {
  stopping_ = true;
  changed_.notify_all();
  lock.unlock();
  if (worker_.joinable()) worker_.join();
  lock.lock();
}

}  // namespace cuda_host
