// Samples and state from files: what is read, and how wrong files are refused.
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "executor/data/npz.hpp"
#include "executor/data/open_samples.hpp"
#include "executor/data/state_file.hpp"
#include "files/input_error.hpp"
#include "models/layers/network.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;
using Catch::Contains;

namespace {

Network digits(const std::string& shape = R"(["batch", 1, 2, 2])") {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "digits",
    "inputs": [{"name": "image", "shape": )" +
                           shape + R"(},
               {"name": "label", "shape": ["batch"], "type": "int32"}],
    "layers": [{"name": "flat", "op": "flatten", "inputs": ["image"]},
               {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 3}],
    "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]}, "optimizer": {"op": "sgd"}})",
                       "digits");
}

// `count` images of 2 × 2 pixels, of which image i is 51 i all over, with labels i mod 3.
std::string idx_images(char count) {
  std::string text{0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 2, 0, 0, 0, 2};
  for (int i = 0; i < count; ++i) text += std::string(4, static_cast<char>(51 * i));
  return text;
}
std::string idx_labels(char count, int classes = 3) {
  std::string text{0, 0, 8, 1, 0, 0, 0, count};
  for (int i = 0; i < count; ++i) text += static_cast<char>(i % classes);
  return text;
}

void write_idx(const TemporaryFolder& folder, char count) {
  folder.file("train-images-idx3-ubyte", idx_images(count));
  folder.file("train-labels-idx1-ubyte", idx_labels(count));
}

std::vector<float> floats_of(const SampleSource& source, std::int64_t sample, std::size_t count) {
  std::vector<float> values(count);
  source.read(SampleSet::training, 0, sample, std::as_writable_bytes(std::span(values)));
  return values;
}

std::int32_t label_of(const SampleSource& source, std::int64_t sample) {
  std::int32_t label = -1;
  source.read(SampleSet::training, 1, sample, std::as_writable_bytes(std::span(&label, 1)));
  return label;
}

auto opened(const std::string& spec, std::int64_t batch = 2, bool held_out = false) {
  return open_samples(spec, digits(), batch, 0, held_out);
}

template <typename Value>
NpyArray array_of(NpyType type, std::vector<std::int64_t> shape, const std::vector<Value>& values) {
  NpyArray array{type, std::move(shape), std::string(values.size() * sizeof(Value), '\0')};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

}  // namespace

TEST_CASE("IDX files give pixels from -1 to 1 and labels, again from the start after the last",
          "[data]") {
  const TemporaryFolder folder;
  write_idx(folder, 5);
  const auto samples = opened("idx:" + folder.path(""));
  CHECK(floats_of(*samples, 0, 4) == std::vector<float>(4, -1));
  CHECK(floats_of(*samples, 1, 8)[3] == Approx(-0.6));
  CHECK(floats_of(*samples, 1, 8)[4] == Approx(-0.2));
  CHECK(floats_of(*samples, 9, 8)[4] == -1);
  CHECK(label_of(*samples, 2) == 2);
  CHECK(label_of(*samples, 8) == 0);
}

TEST_CASE("IDX files that do not fit are refused by name", "[data]") {
  const TemporaryFolder folder;
  const std::string spec = "idx:" + folder.path("");
  CHECK_THROWS_WITH(opened(spec), Contains("train-images-idx3-ubyte"));
  write_idx(folder, 3);
  CHECK_THROWS_WITH(opened(spec, 4), Contains("3 samples; expected at least 4, a batch"));
  CHECK_THROWS_WITH(opened(spec, 2, true), Contains("t10k-images-idx3-ubyte"));
  CHECK_THROWS_WITH(open_samples(spec, digits(R"(["batch", 9])"), 2, 0, false),
                    Contains("samples of 4 elements; expected 9"));
  folder.file("train-labels-idx1-ubyte", idx_labels(3).substr(0, 9));
  CHECK_THROWS_WITH(opened(spec), Contains("1 bytes of elements; expected 3"));
  folder.file("train-labels-idx1-ubyte", "\x1f\x8b compressed");
  CHECK_THROWS_WITH(opened(spec), Contains("uncompressed"));
  folder.file("train-labels-idx1-ubyte", idx_labels(4));
  CHECK_THROWS_WITH(opened(spec), Contains("4 samples; expected 3, as in"));
}

TEST_CASE("labels outside of the classes are refused", "[data]") {
  const TemporaryFolder folder;
  write_idx(folder, 5);
  folder.file("train-labels-idx1-ubyte", idx_labels(5, 4));
  CHECK_THROWS_WITH(opened("idx:" + folder.path("")),
                    Contains("3 in sample 3; expected whole numbers from 0 to 2"));
}

TEST_CASE("CIFAR-10 files give images channel by channel", "[data]") {
  const TemporaryFolder folder;
  std::string sample(3073, '\0');
  sample[1] = '\xff';
  sample[1025] = '\xff';
  for (char file = '1'; file <= '5'; ++file) {
    sample[0] = static_cast<char>((file - '1') % 3);
    folder.file(std::string("data_batch_") + file + ".bin", sample);
  }
  const Network network = digits(R"(["batch", 3, 32, 32])");
  const auto samples = open_samples("cifar10:" + folder.path(""), network, 5, 0, false);
  const auto image = floats_of(*samples, 4, 3072);
  CHECK(image[0] == 1);
  CHECK(image[1] == -1);
  CHECK(image[1024] == 1);
  CHECK(label_of(*samples, 4) == 1);
  folder.file("data_batch_3.bin", sample.substr(1));
  CHECK_THROWS_WITH(open_samples("cifar10:" + folder.path(""), network, 5, 0, false),
                    Contains("data_batch_3.bin") && Contains("multiple of 3073"));
}

TEST_CASE("NumPy arrays of any of our types are samples", "[data]") {
  const TemporaryFolder folder;
  const auto x = array_of<double>(NpyType::f8, {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  const auto y = array_of<std::int64_t>(NpyType::i8, {2}, {2, 0});
  const std::string spec =
      "npy:" + folder.file("x.npy", npy_text(x)) + "," + folder.file("y.npy", npy_text(y));
  const auto samples = opened(spec);
  CHECK(floats_of(*samples, 1, 4) == std::vector<float>{4, 5, 6, 7});
  CHECK(label_of(*samples, 0) == 2);
  CHECK_THROWS_WITH(opened(spec, 2, true), Contains("--eval"));
  CHECK_THROWS_WITH(opened("npy:" + folder.path("x.npy")), Contains("1 files; expected 2"));
  CHECK_THROWS_WITH(opened("mnist"), Contains("--data mnist"));
}

TEST_CASE("broken NumPy files are refused", "[data]") {
  const std::string good = npy_text(array_of<float>(NpyType::f4, {2, 2}, {1, 2, 3, 4}));
  CHECK(parse_npy(good, "x").shape == std::vector<std::int64_t>{2, 2});
  for (std::size_t length = 0; length < good.size(); length += 3)
    CHECK_THROWS_AS(parse_npy(std::string_view(good).substr(0, length), "x"), InputError);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK_THROWS_WITH(parse_npy(with("<f4", ">f4"), "x"), Contains("another type"));
  CHECK_THROWS_WITH(parse_npy(with("False", "True "), "x"), Contains("C order"));
  CHECK_THROWS_WITH(parse_npy(with("(2, 2, )", "(9, 2, )"), "x"), Contains("expected 72"));
  CHECK_THROWS_WITH(parse_npy(with("(2, 2, )", "(2, -2,)"), "x"), Contains("shape"));
  CHECK_THROWS_WITH(parse_npy(with("(2, 2, ), }", "(99999999),}"), "x"), Contains("x"));
}

TEST_CASE("state that is written is read again, and a damaged file refused", "[data]") {
  const TemporaryFolder folder;
  const SavedState state{
      .steps = 7, .tensors = {{"fc.bias", {{2}, "abcdefgh"}}, {"fc.weight", {{1, 1}, "ijkl"}}}};
  const std::string file = folder.path("state.npz");
  write_state(file, state);
  const SavedState again = read_state(file);
  CHECK(again.steps == 7);
  CHECK(again.tensors.at("fc.bias").bytes == "abcdefgh");
  CHECK(again.tensors.at("fc.weight").shape == std::vector<std::int64_t>{1, 1});
  NpzArrays arrays{{"a", array_of<float>(NpyType::f4, {1}, {1})}};
  std::string text = npz_text(arrays);
  CHECK(parse_npz(text, "x").size() == 1);
  for (std::size_t length = 0; length < text.size(); length += 5)
    CHECK_THROWS_AS(parse_npz(text.substr(0, length), "x"), InputError);
  text[100] ^= 1;
  CHECK_THROWS_AS(parse_npz(text, "x"), InputError);
}
