// write_onnx_seeds FOLDER: the .onnx files from which the fuzzer starts.
#include <string>

#include "files/text_file.hpp"
#include "tests/fuzz/onnx_seeds.hpp"

int main(int count, char** words) {
  if (count != 2) return 2;
  int number = 0;
  for (const std::string& bytes : stint::onnx_seeds())
    stint::write_text(words[1] + ("/seed" + std::to_string(number++) + ".onnx"), bytes);
}
