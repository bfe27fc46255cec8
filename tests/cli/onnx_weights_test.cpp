// Training that begins with the weights of an ONNX file.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/cli/refused.hpp"
#include "tests/support/onnx_writer.hpp"

using namespace stint;
using Catch::Contains;

namespace {

constexpr std::int64_t samples = 2, inputs = 3, hidden = 4, classes = 2;

const std::vector<float> first = {0.1F, -0.2F, 0.3F,  0.4F, 0.5F, -0.6F,  // [inputs, hidden]
                                  0.7F, 0.8F,  -0.9F, 1.0F, 1.1F, 0.2F};
const std::vector<float> shift = {0.5F, -0.25F, 0.125F, 1};
const std::vector<float> second = {1, -1, 0.5F, 2, -0.5F, 0.25F, 0.75F, -2};  // [hidden, classes]
const std::vector<float> x = {1, -2, 0.5F, 0.25F, 3, -1};
const std::vector<std::int32_t> labels = {1, 0};

// Both matrices lie the other way round than linear layers have them.
std::string model_file(const TemporaryFolder& folder, const std::string& name,
                       const std::vector<float>& values, std::int64_t wide = hidden) {
  OnnxWriter onnx;
  onnx.input("x", {-1, inputs});
  onnx.tensor(float_tensor("w1", {inputs, wide}, {values.begin(), values.begin() + inputs * wide}));
  onnx.tensor(float_tensor("b1", {wide}, {shift.begin(), shift.begin() + wide}));
  onnx.tensor(
      float_tensor("w2", {wide, classes}, {second.begin(), second.begin() + wide * classes}));
  onnx.node("MatMul", {"x", "w1"}, {"h0"}).node("Add", {"h0", "b1"}, {"h"});
  onnx.node("Relu", {"h"}, {"r"}).node("MatMul", {"r", "w2"}, {"y"}).output("y");
  return folder.file(name, onnx.bytes());
}

std::string npy_text(const std::string& type, const std::string& shape, const void* data,
                     std::size_t bytes) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(118 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
         std::string(static_cast<const char*>(data), bytes);
}

std::string data_option(const TemporaryFolder& folder) {
  return "npy:" + folder.file("x.npy", npy_text("<f4", "2, 3", x.data(), x.size() * 4)) + "," +
         folder.file("label.npy", npy_text("<i4", "2,", labels.data(), labels.size() * 4));
}

// The mean cross-entropy of the two samples, in plain double precision.
double expected_loss(const std::vector<float>& values) {
  double loss = 0;
  for (std::int64_t n = 0; n < samples; ++n) {
    std::vector<double> y(classes, 0);
    for (std::int64_t h = 0; h < hidden; ++h) {
      double sum = shift[h];
      for (std::int64_t i = 0; i < inputs; ++i) sum += x[n * inputs + i] * values[i * hidden + h];
      for (std::int64_t c = 0; c < classes; ++c)
        y[c] += std::max(sum, 0.0) * second[h * classes + c];
    }
    loss += std::log(std::exp(y[0]) + std::exp(y[1])) - y[labels[n]];
  }
  return loss / samples;
}

// The first loss of a run of the plan.
double first_loss(const std::string& plan, const std::string& data, const std::string& weights) {
  const Ran ran = run_program(
      "run", {plan, "--data", data, "--load", weights, "--steps", "1", "--warmup", "0", "--json"});
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 0);
  const std::size_t at = ran.out.find("\"loss\":");
  REQUIRE(at != std::string::npos);
  return std::strtod(ran.out.c_str() + ran.out.find('[', at) + 1, nullptr);
}

std::string plan_of(const TemporaryFolder& folder, const std::string& model) {
  const std::string plan = folder.path("plan.json");
  REQUIRE(
      run_program("plan", {"-q", model, "here", "--batch", "2", "--momentum", "0.9", "-o", plan})
          .exit == 0);
  return plan;
}

}  // namespace

TEST_CASE("training begins with the weights of an ONNX file, in the order that layers have them",
          "[cli]") {
  if (!STINT_TRAINS) return;
  const TemporaryFolder folder;
  const std::string plan = plan_of(folder, model_file(folder, "model.onnx", first));
  const std::string data = data_option(folder);
  CHECK(first_loss(plan, data, folder.path("model.onnx")) ==
        Approx(expected_loss(first)).epsilon(1e-5));
  std::vector<float> others = first;
  for (float& value : others) value *= -0.5F;
  const std::string trained = model_file(folder, "trained.onnx", others);
  CHECK(first_loss(plan, data, trained) == Approx(expected_loss(others)).epsilon(1e-5));
}

TEST_CASE("an ONNX file with other weights than the plan's is refused in one line", "[cli]") {
  if (!STINT_TRAINS) return;
  const TemporaryFolder folder;
  const std::string plan = plan_of(folder, model_file(folder, "model.onnx", first));
  const auto load = [&](const std::string& file) {
    return run_program("run", {plan, "--steps", "1", "--load", file});
  };
  require_refused(load(model_file(folder, "narrow.onnx", first, 3)),
                  "--load: \"h.weight\" is [3, 3]; expected [4, 3]");
  OnnxWriter other;
  other.input("x", {-1, inputs}).weight("w", {inputs, classes}).node("MatMul", {"x", "w"}, {"y"});
  require_refused(load(folder.file("other.onnx", other.output("y").bytes())),
                  "--load: no \"h.weight\"; expected all parameters of the network");
  require_refused(load(folder.file("cut.onnx", "no ONNX file")), "cut.onnx");
  require_refused(load(folder.path("absent.onnx")), "absent.onnx");
}
