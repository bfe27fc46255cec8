// simgrid_replay DIR…: what SimGrid says about a schedule, from the two files that `show --simgrid
// DIR` writes. An actor walks the list of each worker and link; times come from SimGrid's engine,
// joules from its plug-ins for hosts and links. Nothing of our own simulator takes part.
//
// Prints, for every DIR, its makespan and its joules, in all and by host and link.
#include <fmt/format.h>
#include <simgrid/plugins/energy.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "schedules/simgrid_replay_script.hpp"

namespace {

namespace s4u = simgrid::s4u;

enum Exit { ok = 0, failed = 1, bad_input = 2 };

// How actors take turns. Sanitizers do not follow a program that exchanges its stack.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* contexts = "--cfg=contexts/factory:thread";
#else
constexpr const char* contexts = "--cfg=contexts/factory:raw";
#endif

struct Replayed {
  double makespan_seconds = 0;
  std::size_t steps_left = 0;  // they wait for ever
};

// Lets the actors walk their lists.
class Replay {
 public:
  explicit Replay(stint::Script script) : script_(std::move(script)) {
    for (const stint::ScriptActor& actor : script_.actors) {
      result_.steps_left += actor.steps.size();
      for (const stint::ScriptStep& step : actor.steps) {
        for (const int earlier : step.after) ++waiting_for_[earlier].count;
      }
    }
    for (auto& [id, waiting] : waiting_for_) waiting.done = s4u::Semaphore::create(0);
  }

  Replayed run(s4u::Engine& engine) {
    s4u::Host* const anywhere = engine.get_all_hosts().front();
    for (const stint::ScriptActor& actor : script_.actors) {
      s4u::Actor::create(actor.name, anywhere, [this, &actor] {
        for (const stint::ScriptStep& step : actor.steps) perform(step);
      });
    }
    if (script_.until_seconds > 0) {
      s4u::Actor::create("until", anywhere,
                         [this] { s4u::this_actor::sleep_for(script_.until_seconds); });
    }
    engine.run();
    return result_;
  }

 private:
  struct Waiting {
    int count = 0;  // steps of other actors
    s4u::SemaphorePtr done;
  };

  void perform(const stint::ScriptStep& step) {
    for (const int earlier : step.after) waiting_for_.at(earlier).done->acquire();
    if (step.channel != nullptr) step.channel->lock();
    std::vector<s4u::ExecPtr> beside;
    for (s4u::Host* const host : step.beside) beside.push_back(start_exec(host, endless_flops));
    if (step.verb == "exec") execute(step);
    if (step.verb == "send") send(step);
    for (const s4u::ExecPtr& exec : beside) exec->cancel();
    if (step.channel != nullptr) step.channel->unlock();
    result_.makespan_seconds = std::max(result_.makespan_seconds, s4u::Engine::get_clock());
    --result_.steps_left;
    const auto waiting = waiting_for_.find(step.id);
    if (waiting == waiting_for_.end()) return;
    for (int i = 0; i < waiting->second.count; ++i) waiting->second.done->release();
  }

  // The pointer keeps it alive: SimGrid's own chaining does not.
  static s4u::ExecPtr start_exec(s4u::Host* host, double flops) {
    s4u::ExecPtr exec = s4u::this_actor::exec_init(flops);
    exec->set_host(host);
    exec->start();
    return exec;
  }

  static void execute(const stint::ScriptStep& step) {
    if (step.host->get_pstate() != static_cast<unsigned long>(step.state)) {
      step.host->set_pstate(step.state);
    }
    const std::vector<s4u::ExecPtr> fetched = start_fetching(step);
    start_exec(step.host, step.flops)->wait();
    for (const s4u::ExecPtr& fetch : fetched) fetch->wait();
  }

  // Bytes are a cache's flops, at a rate at which they take as long as the step.
  static std::vector<s4u::ExecPtr> start_fetching(const stint::ScriptStep& step) {
    std::vector<s4u::ExecPtr> fetched;
    const double seconds = step.flops / step.host->get_speed();
    for (const stint::ScriptFetch& fetch : step.fetched) {
      if (seconds <= 0) continue;
      s4u::ExecPtr exec = s4u::this_actor::exec_init(fetch.bytes);
      exec->set_host(fetch.cache);
      exec->set_bound(fetch.bytes / seconds);
      exec->start();
      fetched.push_back(std::move(exec));
    }
    return fetched;
  }

  static void send(const stint::ScriptStep& step) {
    s4u::this_actor::sleep_for(step.delay_seconds);
    if (step.bytes > 0) s4u::Comm::sendto(step.host, step.to, step.bytes);
  }

  static constexpr double endless_flops = 1e300;  // cancelled before its end

  stint::Script script_;
  std::map<int, Waiting> waiting_for_;
  Replayed result_;
};

std::string report(const std::string& folder, double makespan_seconds, const s4u::Engine& engine) {
  std::string parts;
  double joules = 0;
  for (s4u::Host* const host : engine.get_all_hosts()) {
    const double of_host = sg_host_get_consumed_energy(host);
    joules += of_host;
    parts += fmt::format("host {} {}\n", host->get_name(), of_host);
  }
  for (s4u::Link* const link : engine.get_all_links()) {
    if (link->get_property("wattage_range") == nullptr) continue;  // SimGrid's own
    const double of_link = sg_link_get_consumed_energy(link);
    joules += of_link;
    parts += fmt::format("link {} {}\n", link->get_name(), of_link);
  }
  return fmt::format("{}\nmakespan_seconds {}\njoules {}\n{}", folder, makespan_seconds, joules,
                     parts);
}

// SimGrid asks for the engine before the plug-ins, and for the plug-ins before the platform.
void replay_and_report(const std::string& folder) {
  std::string options[] = {"simgrid_replay", "--log=root.thresh:critical", contexts,
                           "--cfg=contexts/stack-size:256"};
  std::vector<char*> arguments;
  for (std::string& option : options) arguments.push_back(option.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  s4u::Engine engine(&count, arguments.data());
  sg_host_energy_plugin_init();
  sg_link_energy_plugin_init();
  stint::read_text(folder + "/platform.xml");  // refuses what is not there in our words
  engine.load_platform(folder + "/platform.xml");
  const std::string script = folder + "/replay.txt";
  const Replayed replayed = Replay(stint::read_script(engine, script)).run(engine);
  if (replayed.steps_left > 0) {
    throw stint::InputError(
        script, fmt::format("{} steps wait for ever; expected none", replayed.steps_left));
  }
  std::cout << report(folder, replayed.makespan_seconds, engine) << std::flush;
}

int replay_or_explain(const std::string& folder) {
  try {
    replay_and_report(folder);
    return std::cout ? ok : failed;
  } catch (const stint::InputError& error) {
    std::cerr << "simgrid_replay: " << error.what() << '\n';
    return bad_input;
  } catch (const std::exception& error) {
    std::cerr << "simgrid_replay: " << stint::one_line(error.what()) << '\n';
    return failed;
  }
}

// A process has one engine, and SimGrid ends it when a platform is broken.
int replay_in_child(const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) _exit(replay_or_explain(folder));
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    return WEXITSTATUS(status);
  }
  std::cerr << "simgrid_replay: " << folder << ": SimGrid did not finish\n";
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> folders(argv + 1, argv + argc);
  const bool asks = folders.empty() || folders.front().starts_with("-");
  if (asks) {
    std::cerr << "simgrid_replay: expected the folders that show --simgrid DIR wrote\n";
    return bad_input;
  }
  int worst = ok;
  for (const std::string& folder : folders) worst = std::max(worst, replay_in_child(folder));
  return worst;
}
