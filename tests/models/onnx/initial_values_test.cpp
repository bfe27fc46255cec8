#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "files/text_file.hpp"
#include "tests/models/onnx/reading.hpp"

using namespace stint;
namespace fs = std::filesystem;

namespace {

using Floats = std::vector<float>;

// A folder for model.onnx and what lies beside it.
class ModelFolder {
 public:
  ModelFolder() {
    std::string name = (fs::temp_directory_path() / "stint-onnx-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    fs::create_directory(path_ / "inner");
  }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;
  ~ModelFolder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

OnnxModel read_back(const std::string& path, OnnxWriter writer) {
  write_text(path, writer.output("y").bytes());
  return read_onnx(path, {.loss = OnnxLoss::mse});
}

Floats values_of(const std::string& path, const OnnxModel& model, const std::string& parameter) {
  for (const WeightSource& source : model.weights) {
    if (source.parameter == parameter) return initial_values(path, source);
  }
  throw std::logic_error("no parameter " + parameter);
}

// The weight "w" of a product, wherever its numbers are.
Floats product_weight(const std::string& path, const TensorBytes& weight, bool as_is) {
  const OnnxModel model =
      read_back(path, started({-1, as_is ? 3 : 2})
                          .tensor(weight)
                          .node("Gemm", {"h", "w"}, {"y"}, {{"transB", std::int64_t{as_is}}}));
  return values_of(path, model, "y.weight");
}

std::string external_fault(const std::string& path, const std::string& location,
                           const std::string& offset) {
  try {
    product_weight(path, external_tensor("w", {2, 3}, location, offset), true);
    return "";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

}  // namespace

TEST_CASE("values come from raw bytes or fields, transposed where the weight is", "[onnx]") {
  const ModelFolder folder;
  const Floats values = {1, 2, 3, 4, 5, 6};
  const Floats turned = {1, 4, 2, 5, 3, 6};
  for (const TensorBytes& weight :
       {float_tensor("w", {2, 3}, values), float_field_tensor("w", {2, 3}, values)}) {
    CHECK(product_weight(folder / "model.onnx", weight, true) == values);
    CHECK(product_weight(folder / "model.onnx", weight, false) == turned);
  }
}

TEST_CASE("values follow every permutation of a weight", "[onnx]") {
  const ModelFolder folder;
  const auto writer =
      started({-1, 3, 9, 9})
          .weight("w", {2, 1, 3, 4})  // height, width, channels, filters
          .node("Transpose", {"w"}, {"t"}, {{"perm", std::vector<std::int64_t>{3, 2, 0, 1}}})
          .node("Conv", {"h", "t"}, {"y"});
  const OnnxModel model = read_back(folder / "model.onnx", writer);
  const Floats values = values_of(folder / "model.onnx", model, "y.weight");
  REQUIRE(values.size() == 24);
  for (int f = 0; f < 4; ++f) {
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < 2; ++y)
        CHECK(values[(f * 3 + c) * 2 + y] == static_cast<float>(1 + (y * 3 + c) * 4 + f));
    }
  }
}

TEST_CASE("a weight that is subtracted is negated, one of one number is filled", "[onnx]") {
  const ModelFolder folder;
  const auto writer =
      started({-1, 2})
          .weight("w", {2})
          .integers("shape", {2, 2})
          .node("Sub", {"h", "w"}, {"s"})
          .node("ConstantOfShape", {"shape"}, {"f"}, {{"value", float_tensor("", {1}, {0.02F})}})
          .node("MatMul", {"s", "f"}, {"y"});
  const OnnxModel model = read_back(folder / "model.onnx", writer);
  CHECK(values_of(folder / "model.onnx", model, "s.bias") == Floats{-1, -2});
  CHECK(values_of(folder / "model.onnx", model, "y.weight") == Floats(4, 0.02F));
}

TEST_CASE("values come from a file beside the model", "[onnx]") {
  const ModelFolder folder;
  const Floats values = {9, 9, 1, 2, 3, 4, 5, 6};
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  write_text(folder / "weights.bin", bytes);
  write_text(folder / "inner/weights.bin", bytes);
  for (const char* place : {"weights.bin", "inner/weights.bin", "inner/../weights.bin"}) {
    CHECK(product_weight(folder / "model.onnx", external_tensor("w", {2, 3}, place, "8"), true) ==
          Floats{1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("external data outside the folder, or too short, is refused", "[onnx]") {
  const ModelFolder folder;
  const std::string model = folder / "inner/model.onnx";
  write_text(folder / "outside.bin", std::string(24, '\0'));
  write_text(folder / "inner/short.bin", std::string(23, '\0'));
  fs::create_symlink(folder / "outside.bin", folder / "inner/link.bin");
  const std::string outside = "expected a file in the model's folder";
  CHECK_THAT(external_fault(model, "../outside.bin", "0"), Catch::EndsWith(outside));
  CHECK_THAT(external_fault(model, folder / "outside.bin", "0"), Catch::EndsWith(outside));
  CHECK_THAT(external_fault(model, "link.bin", "0"), Catch::EndsWith(outside));
  CHECK_THAT(external_fault(model, "", "0"), Catch::EndsWith(outside));
  CHECK_THAT(external_fault(model, "short.bin", "0"), Catch::Contains("does not hold its numbers"));
  CHECK_THAT(external_fault(model, "short.bin", "99"), Catch::Contains("begins beyond the end"));
  CHECK_THAT(external_fault(model, "short.bin", "-1"),
             Catch::Contains("expected a number of bytes"));
  CHECK_THAT(external_fault(model, "missing.bin", "0"), Catch::Contains("cannot be read"));
}

TEST_CASE("values are not taken from a file that has changed", "[onnx]") {
  const ModelFolder folder;
  const std::string path = folder / "model.onnx";
  const OnnxModel model =
      read_back(path, started({-1, 4}).weight("w", {4, 4}).node("MatMul", {"h", "w"}, {"y"}));
  write_text(path, "short");
  CHECK_THROWS_AS(values_of(path, model, "y.weight"), InputError);
}

TEST_CASE("statistics that several layers share are copied to each", "[onnx]") {
  const ModelFolder folder;
  auto writer = started({-1, 2, 4, 4}).weight("m", {2}).weight("v", {2});
  for (const std::string i : {"1", "2"})
    writer.weight("s" + i, {2})
        .weight("c" + i, {2})
        .node("BatchNormalization", {i == "1" ? "h" : "n1", "s" + i, "c" + i, "m", "v"},
              {i == "1" ? "n1" : "y"});
  const OnnxModel model = read_back(folder / "model.onnx", writer);
  CHECK(values_of(folder / "model.onnx", model, "n1.running_mean") == Floats{1, 2});
  CHECK(values_of(folder / "model.onnx", model, "y.running_var") == Floats{1, 2});
}
