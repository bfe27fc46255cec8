#include "tests/fuzz/onnx_seeds.hpp"

#include "tests/support/onnx_writer.hpp"

namespace stint {
namespace {

using Ints = std::vector<std::int64_t>;

std::string image_classifier() {
  return started({1, 4, 9, 9}, 11)
      .weight("w1", {4, 2, 3, 3})
      .weight("c1", {4})
      .node("Conv", {"h", "w1", "c1"}, {"conv"}, {{"pads", Ints{1, 1, 1, 1}}, {"group", 2}})
      .weight("scale", {4})
      .weight("shift", {4})
      .weight("mean", {4})
      .node("BatchNormalization", {"conv", "scale", "shift", "mean", "mean"}, {"norm"})
      .node("Relu", {"norm"}, {"relu"})
      .node("MaxPool", {"relu"}, {"pool"}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}})
      .weight("w2", {4, 3, 2, 2})
      .node("ConvTranspose", {"pool", "w2"}, {"wide"}, {{"strides", Ints{2, 2}}})
      .node("LRN", {"wide"}, {"lrn"}, {{"size", 3}})
      .node("AveragePool", {"lrn"}, {"mean1"},
            {{"kernel_shape", Ints{2, 2}}, {"auto_pad", "SAME_LOWER"}})
      .node("Concat", {"mean1", "lrn"}, {"both"}, {{"axis", 1}})
      .node("Split", {"both"}, {"p", "q"}, {{"axis", 1}, {"split", Ints{2, 4}}})
      .node("Concat", {"q", "p"}, {"again"}, {{"axis", 1}})
      .node("Dropout", {"again"}, {"drop"}, {{"ratio", 0.5F}})
      .node("GlobalAveragePool", {"drop"}, {"squeezed"})
      .node("HardSwish", {"squeezed"}, {"gate"})
      .node("Mul", {"gate", "drop"}, {"gated"})
      .node("ReduceMean", {"gated"}, {"global"}, {{"axes", Ints{3, 2}}})
      .integers("shape", {1, 6})
      .node("Reshape", {"global", "shape"}, {"flat"})
      .weight("w3", {5, 6})
      .node("Gemm", {"flat", "w3"}, {"logits"}, {{"transB", 1}})
      .node("Softmax", {"logits"}, {"y"})
      .output("y")
      .bytes();
}

std::string transformer() {
  OnnxWriter writer(18);
  return writer.input("ids", {-1, 6}, 7)
      .weight("table", {10, 8})
      .node("Gather", {"table", "ids"}, {"e"})
      .weight("place", {1, 6, 8})
      .node("Add", {"e", "place"}, {"x"})
      .weight("s", {8})
      .node("LayerNormalization", {"x", "s"}, {"n"})
      .weight("w", {8, 8})
      .weight("c", {8})
      .node("MatMul", {"n", "w"}, {"m"})
      .node("Add", {"m", "c"}, {"l"})
      .node("Shape", {"l"}, {"shape"})
      .integers("zero", {0})
      .integers("two", {2})
      .integers("heads", {6, 2, 4})
      .node("Slice", {"shape", "zero", "two"}, {"s2"})
      .node("Gather", {"s2", "zero"}, {"n1"})
      .node("Concat", {"n1", "heads"}, {"split"}, {{"axis", 0}})
      .node("Reshape", {"l", "split"}, {"apart"})
      .node("Transpose", {"apart"}, {"q"}, {{"perm", Ints{0, 2, 1, 3}}})
      .node("Transpose", {"apart"}, {"k"}, {{"perm", Ints{0, 2, 3, 1}}})
      .node("MatMul", {"q", "k"}, {"a"})
      .node("Cast", {"two"}, {"f"}, {{"to", 1}})
      .node("Sqrt", {"f"}, {"root"})
      .node("Div", {"a", "root"}, {"scaled"})
      .node("Softmax", {"scaled"}, {"p"}, {{"axis", -1}})
      .node("MatMul", {"p", "q"}, {"o"})
      .node("Transpose", {"o"}, {"back"}, {{"perm", Ints{0, 2, 1, 3}}})
      .integers("joined", {0, 0, -1})
      .node("Reshape", {"back", "joined"}, {"y0"})
      .node("Transpose", {"table"}, {"turned"})
      .node("MatMul", {"y0", "turned"}, {"y"})
      .output("y")
      .bytes();
}

std::string elements() {
  return started({2, 4, 6})
      .number("root", 1.41421354F)
      .number("one", 1)
      .number("half", 0.5F)
      .node("Div", {"h", "root"}, {"d"})
      .node("Erf", {"d"}, {"e"})
      .node("Add", {"e", "one"}, {"a"})
      .node("Mul", {"h", "a"}, {"m"})
      .node("Mul", {"m", "half"}, {"g"})
      .node("Sigmoid", {"g"}, {"s"})
      .node("Mul", {"g", "s"}, {"silu"})
      .number("lo", 0)
      .number("hi", 6)
      .node("Clip", {"silu", "lo", "hi"}, {"c"})
      .weight("w", {6})
      .node("Sub", {"w", "c"}, {"u"})
      .node("Sub", {"u", "h"}, {"v"})
      .integers("axes", {1})
      .node("Unsqueeze", {"v", "axes"}, {"v1"})
      .node("Squeeze", {"v1", "axes"}, {"v2"})
      .node("Flatten", {"v2"}, {"flat"})
      .integers("dims", {24, 3})
      .node("ConstantOfShape", {"dims"}, {"fill"}, {{"value", float_tensor("", {1}, {0.5F})}})
      .node("Gemm", {"flat", "fill"}, {"gemm"})
      .node("Tanh", {"gemm"}, {"t"})
      .node("Sum", {"t", "gemm", "t"}, {"sum"})
      .node("Identity", {"sum"}, {"y"})
      .output("y")
      .bytes();
}

std::string attention() {
  return started({-1, 6, 8}, 23)
      .node("Attention", {"h", "h", "h"}, {"a"}, {{"q_num_heads", 2}, {"kv_num_heads", 2}})
      .node("Gelu", {"a"}, {"g"}, {{"approximate", "tanh"}})
      .tensor(external_tensor("w", {8, 2}, "missing.bin", "0"))
      .node("MatMul", {"g", "w"}, {"m"})
      .node("LogSoftmax", {"m"}, {"y"})
      .output("y")
      .bytes();
}

}  // namespace

std::vector<std::string> onnx_seeds() {
  return {image_classifier(), transformer(), elements(), attention()};
}

}  // namespace stint
