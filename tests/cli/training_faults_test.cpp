// What can go wrong when `run` trains: each ends in one line that says what, and none is found out
// only after the training if it could be known before.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "files/text_file.hpp"
#include "tests/cli/refused.hpp"
#include "tests/support/cifar_files.hpp"

using namespace stint;
using Catch::Contains;

namespace {

using Arguments = std::vector<std::string>;

// An array of version 1.0, as NumPy writes it.
template <typename Value>
std::string npy(const std::string& type, const std::string& shape,
                const std::vector<Value>& values) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  header.resize(117, ' ');
  header += '\n';
  std::string text = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0';
  text += header;
  return text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}

// Two inputs of a network that learns from one number which of three classes it is.
const char* const tiny = R"({"format": "stint-model", "version": 1, "name": "tiny",
    "inputs": [{"name": "x", "shape": ["batch", 2]},
               {"name": "label", "shape": ["batch"], "type": "int32"}],
    "layers": [{"name": "fc", "op": "linear", "inputs": ["x"], "features": 3}],
    "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
    "optimizer": {"op": "sgd", "learning_rate": 0.1}})";

// Plans and files of one test.
class Training {
 public:
  explicit Training(const char* network = tiny, const Arguments& options = {"--batch", "2"}) {
    plan_ = folder.path("plan.json");
    Arguments all = {"-q", folder.file("model.json", network), bundled("platforms/desk.json"), "-o",
                     plan_};
    all.insert(all.end(), options.begin(), options.end());
    const Ran planned = run_program("plan", all);
    CAPTURE(planned.err);
    REQUIRE(planned.exit == 0);
  }

  Ran run(Arguments options, const std::string& steps = "3") const {
    options.insert(options.begin(), {plan_, "-q", "--steps", steps, "--warmup", "0"});
    return run_program("run", options);
  }

  // --data of four samples, and what to have in place of some.
  std::string data(std::vector<float> x = std::vector<float>(8, 0.5F),
                   const std::vector<int>& labels = {0, 1, 2, 0}) const {
    return "npy:" + folder.file("x.npy", npy("<f4", fmt::format("{}, 2", x.size() / 2), x)) + "," +
           folder.file("y.npy", npy("<i4", fmt::format("{},", labels.size()), labels));
  }

  TemporaryFolder folder;

 private:
  std::string plan_;
};

void require_line(const Ran& ran, int exit, const std::string& mention) {
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.exit == exit);
  REQUIRE(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  REQUIRE_THAT(ran.err, Contains(mention));
}

void cut(const std::string& file, std::size_t bytes) {
  const std::string text = read_text(file);
  REQUIRE(text.size() > bytes);
  write_text(file, text.substr(0, text.size() - bytes));
}

std::string state_of(const std::string& report) {
  const std::size_t at = report.find("\"state_sha256\"");
  REQUIRE(at != std::string::npos);
  return report.substr(at, 90);
}

}  // namespace

TEST_CASE("what is no number in the data ends with exit 5, a report, and the same bits each time",
          "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Training training;
  std::vector<float> x(8, 0.5F);
  x[5] = GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
  const Arguments options = {"--json", "--data", training.data(x)};
  const Ran ran = training.run(options);
  require_line(ran, 5, "run: the loss of step 1 is not a finite number (of 3 steps");
  CHECK_THAT(ran.out, Contains("null"));
  CHECK(state_of(ran.out) == state_of(training.run(options).out));
}

TEST_CASE("data that do not fit are refused before the training", "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Training training;
  const auto refused = [&](const std::string& data, const std::string& mention) {
    CAPTURE(data);
    require_refused(training.run({"--data", data}), mention);
  };
  refused(training.data({0, 0}, {0}), "x.npy: 1 samples; expected at least 2, a batch");
  refused(training.data({0, 0, 0, 0}, {0}), "y.npy: 1 samples; expected at least 2, a batch");
  refused(training.data({0, 0, 0, 0}, {0, 3}), "y.npy: 3 in sample 1; expected whole numbers");
  refused(training.data({0, 0, 0, 0}, {0, -1}), "y.npy: -1 in sample 1; expected whole numbers");
  refused("idx:" + training.folder.path("nowhere"), "train-images-idx3-ubyte: cannot be read");
  refused("cifar10:" + training.folder.path("model.json"), "data_batch_1.bin: cannot be read");
  refused("npy:" + training.folder.path("") + ",y", "cannot be read");
  refused("csv:x", "--data csv:x: unknown; expected synthetic, idx:FOLDER");
  const std::string data = training.data();
  cut(training.folder.path("x.npy"), 3);
  refused(data, "x.npy: ");
}

TEST_CASE("truncated images and images of another shape are refused", "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Training training(cifar_network);
  const TemporaryFolder& folder = training.folder;
  const std::string data = "cifar10:" + folder.path("");
  write_cifar10(folder, 1, {});
  CHECK(training.run({"--data", data}).exit == 0);
  cut(folder.path("data_batch_2.bin"), 1);
  require_refused(training.run({"--data", data}), "data_batch_2.bin: 3072 bytes; expected a");
  const std::string pixels(28 * 28 * 2, '\0');
  folder.file("train-images-idx3-ubyte",
              std::string{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28} + pixels);
  folder.file("train-labels-idx1-ubyte", std::string{0, 0, 8, 1, 0, 0, 0, 2, 0, 1});
  const std::string idx = "idx:" + folder.path("");
  require_refused(training.run({"--data", idx}), "samples of 784 elements; expected 3072");
  cut(folder.path("train-images-idx3-ubyte"), 1);
  require_refused(training.run({"--data", idx}), "1567 bytes of elements; expected 1568");
}

TEST_CASE("what is saved goes on, and state that is another's, cut or missing is refused",
          "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Training training;
  const Training other(cifar_network);
  const std::string state = training.folder.path("state.npz");
  REQUIRE(training.run({"--save", state}).exit == 0);
  CHECK(training.run({"--load", state}).exit == 0);
  require_refused(other.run({"--load", state}), "--load: no \"conv.weight\"; expected all state");
  cut(state, 30);
  require_refused(training.run({"--load", state}), "state.npz: ");
  require_refused(training.run({"--load", state + "x"}), "cannot be read");
}

TEST_CASE("a place that cannot be written to is refused before the training", "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Training training;
  const std::string nowhere = training.folder.path("no/folder/file");
  const std::string option = GENERATE("--save", "-o");
  for (const std::string& file : {nowhere, training.folder.path("")}) {
    // So many steps that the training would not end.
    require_refused(training.run({option, file}, "1000000000"), "cannot be written");
  }
}

TEST_CASE("a disk that is full when the state is written is the machine's fault",
          "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Training training;
  require_line(training.run({"--save", "/dev/full"}), 1, "/dev/full: not written: No space left");
  require_line(training.run({"-o", "/dev/full"}), 1, "/dev/full: not written: No space left");
}

TEST_CASE("Ctrl-C ends a training with one line, and nothing is saved", "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Training training;
  const std::string state = training.folder.path("state.npz");
  Ran ran;
  for (const char* seconds : {"0.5", "2", "8", "30"}) {
    ran = run_installed("timeout", {"--preserve-status", "--foreground", "--signal=INT", seconds,
                                    STINT_BINARY_DIR "/run", training.folder.path("plan.json"),
                                    "--steps", "1000000000", "--save", state});
    if (ran.err.find(" in step ") != std::string::npos) break;
  }
  require_line(ran, 1, "run: interrupted in step ");
  CHECK(training.folder.names() == std::vector<std::string>{"model.json", "plan.json"});
}

TEST_CASE("a batch of one pixel trains through batch norm", "[cli][training]") {
  if (!STINT_TRAINS) return;
  const char* const pixel = R"({"format": "stint-model", "version": 1, "name": "pixel",
      "inputs": [{"name": "image", "shape": ["batch", 3, 1, 1]},
                 {"name": "label", "shape": ["batch"], "type": "int32"}],
      "layers": [{"name": "norm", "op": "batch_norm", "inputs": ["image"]},
                 {"name": "flat", "op": "flatten", "inputs": ["norm"]},
                 {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 2}],
      "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
      "optimizer": {"op": "sgd", "learning_rate": 0.1}})";
  const Ran ran = Training(pixel, {"--batch", "1"}).run({"--json", "--eval", "2"});
  CAPTURE(ran.err);
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out,
             !Contains("[null") && !Contains("\"loss\":null") && Contains("\"samples\":2,"));
}

TEST_CASE("one byte too few is refused with the bytes that would do", "[cli][training]") {
  const TemporaryFolder folder;
  const auto plan_within = [&](const std::string& memory) {
    return run_program(
        "plan", {"-q", "--json", "-o", folder.path("plan.json"), "--strategy", "keep-all",
                 folder.file("model.json", tiny), bundled("platforms/desk.json"), "--batch", "2",
                 "--memory", memory});
  };
  const Ran too_little = plan_within("1");
  REQUIRE((too_little.exit == 3 || too_little.exit == 4));
  const std::string key = "\"found_bytes\":";
  const std::size_t at = too_little.out.find(key);
  REQUIRE(at != std::string::npos);
  const std::int64_t found = std::stoll(too_little.out.substr(at + key.size()));
  CHECK(plan_within(std::to_string(found)).exit == 0);
  const Ran refused = plan_within(std::to_string(found - 1));
  CAPTURE(refused.out);
  CHECK((refused.exit == 3 || refused.exit == 4));
  CHECK_THAT(refused.err, Contains("n0/ram"));
}

TEST_CASE("an evaluation takes a number of batches or all", "[cli][training]") {
  const Training training;
  require_refused(training.run({"--eval", "0"}), "--eval 0: no number of batches");
  require_refused(training.run({"--eval", "some"}), "--eval some: no number of batches");
  if (STINT_TRAINS) require_refused(training.run({"--eval", "all"}), "--eval all: ");
}
