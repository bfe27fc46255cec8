// What is fuzzed. Each takes the text of a file, good or bad, and does with it what the programs
// do. Bad input ends in an InputError of one line, which is caught here; anything else that
// escapes, and every std::logic_error thrown here, is a fault of ours.
#pragma once

#include <string>

namespace stint {

// Read, write, read again, which may change nothing; and show graphs and platforms.
void fuzz_graph(const std::string& text);
void fuzz_network(const std::string& text);
void fuzz_platform(const std::string& text);

// The same, and judge; simulate if the judge says that it can be.
void fuzz_schedule(const std::string& text);

// Judge, and replay what the judge accepts: it must end with what its graph computes.
void fuzz_run(const std::string& text);

// An .onnx file: read, and small weights with it; the network may not change in writing.
void fuzz_onnx(const std::string& bytes);

// Reports of runs: read, write, read again, and show.
void fuzz_report(const std::string& text);

}  // namespace stint
