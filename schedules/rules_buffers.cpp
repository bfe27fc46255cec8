// R6: buffers have the size of their tensor, are aligned, lie inside their arena and, if within
// another, at their part's place. R7: arenas fit. R17, statically: which buffers may be double.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "schedules/rules.hpp"

namespace stint {
namespace {

using Arenas = std::vector<std::optional<std::int64_t>>;  // bytes, by memory

Arenas arenas_by_memory(const Judge& judge) {
  Arenas arenas(judge.schedule.platform.memories.size());
  for (const auto& [name, bytes] : judge.schedule.arenas) {
    arenas[*find_memory(judge.schedule.platform, name)] = bytes;
  }
  return arenas;
}

class BufferCheck {
 public:
  BufferCheck(const Judge& judge, const Layout& layout, const Arenas& arenas, BufferId id)
      : judge_(judge),
        layout_(layout),
        arenas_(arenas),
        id_(id),
        buffer_(judge.schedule.buffers[id]) {}

  void run() const {
    check_size();
    if (buffer_.within == no_buffer) {
      check_address("offset", buffer_.offset);
      if (buffer_.second_offset) check_address("offsets", *buffer_.second_offset);
      check_halves();
    } else {
      check_within();
    }
  }

 private:
  void report(const char* key, const std::string& what) const {
    judge_.report(6, buffer_path(id_, key), judge_.buffer(id_) + ": " + what);
  }

  void check_size() const {
    if (buffer_.tensor == no_tensor) {
      if (buffer_.bytes < 0) report("bytes", fmt::format("{}; expected at least 0", buffer_.bytes));
      return;
    }
    const std::int64_t expected = judge_.schedule.graph.tensors[buffer_.tensor].bytes;
    if (buffer_.bytes != expected) {
      report("bytes", fmt::format("{}; expected {}, as its tensor has", buffer_.bytes, expected));
    }
  }

  void check_address(const char* key, std::int64_t offset) const {
    if (buffer_.bytes < 0) return;
    const Platform& platform = judge_.schedule.platform;
    const std::int64_t unit = platform.memories[buffer_.memory].alignment_bytes;
    if (offset < 0 || offset % unit != 0) {
      report(key, fmt::format("{}; expected a multiple of {}", offset, unit));
      return;
    }
    const std::optional<std::int64_t> arena = arenas_[buffer_.memory];
    if (!arena) return;  // R7's
    const std::int64_t size = aligned_bytes(platform, buffer_.memory, buffer_.bytes);
    if (offset > *arena || size > *arena - offset) {
      report(key, fmt::format("{} and {} bytes; expected to end within the arena's {}", offset,
                              size, *arena));
    }
  }

  void check_halves() const {
    if (!buffer_.second_offset || buffer_.bytes <= 0) return;
    const std::int64_t low = std::min(buffer_.offset, *buffer_.second_offset);
    const std::int64_t high = std::max(buffer_.offset, *buffer_.second_offset);
    if (low >= 0 && high - low < buffer_.bytes)
      report("offsets", "the halves overlap; expected apart");
  }

  void check_within() const {
    const Schedule& schedule = judge_.schedule;
    const Buffer& whole = schedule.buffers[buffer_.within];
    if (layout_.place[id_] == no_buffer || layout_.place[buffer_.within] == no_buffer ||
        !is_part(buffer_.tensor, whole.tensor)) {
      return report("within", fmt::format("{}; expected a buffer of a tensor that it is a part of",
                                          judge_.buffer(buffer_.within)));
    }
    if (buffer_.initial || buffer_.second_offset) {
      report("within", "a part that is initial or double by itself; expected its whole to be");
    }
    if (buffer_.memory != whole.memory) {
      return report("memory",
                    fmt::format("{}; expected {}, where its whole is",
                                judge_.memory(buffer_.memory), judge_.memory(whole.memory)));
    }
    const std::int64_t ahead =
        layout_.segments.root_offset[buffer_.tensor] - layout_.segments.root_offset[whole.tensor];
    if (buffer_.offset < ahead || buffer_.offset - ahead != whole.offset) {
      report("offset",
             fmt::format("{}; expected the whole's {} + {}", buffer_.offset, whole.offset, ahead));
    }
  }

  bool is_part(TensorId part, TensorId whole) const {
    if (part == no_tensor || whole == no_tensor) return false;
    const auto& tensors = judge_.schedule.graph.tensors;
    while (tensors[part].part_of) {
      part = tensors[part].part_of->tensor;
      if (part == whole) return true;
    }
    return false;
  }

  const Judge& judge_;
  const Layout& layout_;
  const Arenas& arenas_;
  BufferId id_;
  const Buffer& buffer_;
};

void judge_arena(const Judge& judge, const std::string& name, std::int64_t bytes) {
  const std::string where = "/arenas/" + pointer_step(name);
  const auto memory = find_memory(judge.schedule.platform, name);
  const std::int64_t capacity = judge.schedule.platform.memories[*memory].bytes;
  if (bytes < 0) judge.report(7, where, fmt::format("{}; expected at least 0", bytes));
  if (bytes > capacity) {
    judge.report(
        7, where,
        fmt::format("{} bytes; expected at most the {} that {} has", bytes, capacity, name));
  }
  const auto bound = judge.schedule.request.memory.find(name);
  if (bound != judge.schedule.request.memory.end() && bytes > bound->second) {
    judge.report(
        7, where,
        fmt::format("{} bytes; expected at most the {} that were asked for", bytes, bound->second));
  }
}

}  // namespace

void judge_buffers(const Judge& judge, const Layout& layout) {
  const Arenas arenas = arenas_by_memory(judge);
  for (int i = 0; i < static_cast<int>(judge.schedule.buffers.size()); ++i) {
    BufferCheck(judge, layout, arenas, BufferId{i}).run();
  }
}

void judge_arenas(const Judge& judge) {
  for (const auto& [name, bytes] : judge.schedule.arenas) judge_arena(judge, name, bytes);
  Arenas arenas = arenas_by_memory(judge);
  for (const Buffer& buffer : judge.schedule.buffers) {
    if (arenas[buffer.memory]) continue;
    arenas[buffer.memory] = 0;  // once is enough
    judge.report(
        7, "/arenas",
        fmt::format("no {}; expected an arena for its buffers", judge.memory(buffer.memory)));
  }
}

void judge_double_buffers(const Judge& judge) {
  const Schedule& schedule = judge.schedule;
  for (int i = 0; i < static_cast<int>(schedule.buffers.size()); ++i) {
    const Buffer& buffer = schedule.buffers[i];
    if (!buffer.second_offset) continue;
    const bool lasting = buffer.tensor != no_tensor && buffer.initial &&
                         schedule.graph.tensors[buffer.tensor].kind != Kind::activation;
    if (lasting) continue;
    judge.report(17, buffer_path(BufferId{i}, "offsets"),
                 judge.buffer(BufferId{i}) +
                     " is double; expected that only of initial buffers of inputs and state");
  }
  const bool runs_ahead = !schedule.lowering.pipelined.empty();
  if (schedule.pipelined != runs_ahead) {
    judge.report(17, "/pipelined",
                 runs_ahead ? "false; expected true, as the lowering has stages that run ahead"
                            : "true; expected false, as no stages of the lowering run ahead");
  }
}

}  // namespace stint
