#include "schedules/simgrid_replay_script.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "files/input_error.hpp"
#include "files/text_file.hpp"

namespace stint {
namespace {

namespace s4u = simgrid::s4u;

class ScriptReader {
 public:
  ScriptReader(const s4u::Engine& engine, std::string path)
      : engine_(engine), path_(std::move(path)) {}

  Script read() {
    std::istringstream text(read_text(path_));
    for (std::string line; std::getline(text, line);) {
      ++line_number_;
      line_ = std::istringstream(line);
      if (!line.empty() && line[0] != '#') read_line();
    }
    return std::move(script_);
  }

 private:
  [[noreturn]] void fail(const std::string& fault) const {
    throw InputError(fmt::format("{}: line {}", path_, line_number_), fault);
  }

  template <typename Value>
  Value next(const char* what) {
    Value value{};
    if (!(line_ >> value)) fail(fmt::format("no {}; expected one", what));
    return value;
  }

  s4u::Host* next_host() {
    const auto name = next<std::string>("host");
    s4u::Host* const host = engine_.host_by_name_or_null(name);
    if (host == nullptr) fail("no host " + in_quotes(name) + "; expected one of platform.xml");
    return host;
  }

  int next_state(const s4u::Host* host) {
    const int state = next<int>("state"), last = static_cast<int>(host->get_pstate_count()) - 1;
    if (state >= 0 && state <= last) return state;
    fail(fmt::format("state {} of {}; expected 0 to {}", state, host->get_name(), last));
  }

  void read_line() {
    const auto first = next<std::string>("word");
    if (first == "precision") {
      s4u::Engine::set_config("surf/precision", next<double>("number of seconds"));
    } else if (first == "until") {
      script_.until_seconds = next<double>("number of seconds");
    } else if (first == "actor") {
      script_.actors.push_back({next<std::string>("name"), {}});
    } else {
      read_step(first);
    }
  }

  void read_step(const std::string& id) {
    if (script_.actors.empty()) fail("a step without an actor; expected actor NAME first");
    ScriptStep step;
    std::istringstream number(id);
    if (!(number >> step.id) || step.id < 0) fail(in_quotes(id) + "; expected a step's id");
    step.verb = next<std::string>("verb");
    if (step.verb == "exec") {
      step.host = next_host();
      step.flops = next<double>("number of flops");
      step.state = next_state(step.host);
    } else if (step.verb == "send") {
      step.host = next_host();
      step.to = next_host();
      step.bytes = next<std::uint64_t>("number of bytes");
      step.delay_seconds = next<double>("delay");
    } else if (step.verb != "pass") {
      fail(in_quotes(step.verb) + "; expected exec, send or pass");
    }
    read_rest(step);
    script_.actors.back().steps.push_back(step);
  }

  void read_rest(ScriptStep& step) {
    for (std::string word; line_ >> word;) {
      if (word == "beside") {
        step.beside.push_back(next_host());
      } else if (word == "fetch") {
        s4u::Host* const cache = next_host();
        step.fetched.push_back({cache, next<double>("number of bytes")});
      } else if (word == "within") {
        s4u::MutexPtr& channel = channels_[next<std::string>("channel")];
        if (channel == nullptr) channel = s4u::Mutex::create();
        step.channel = channel;
      } else if (word == "after") {
        for (int id = 0; line_ >> id;) step.after.push_back(id);
      } else {
        fail(in_quotes(word) + "; expected beside, fetch, within or after");
      }
    }
  }

  const s4u::Engine& engine_;
  std::string path_;
  int line_number_ = 0;
  std::istringstream line_;
  Script script_;
  std::map<std::string, s4u::MutexPtr> channels_;
};

}  // namespace

Script read_script(const s4u::Engine& engine, const std::string& path) {
  return ScriptReader(engine, path).read();
}

}  // namespace stint
