#include "executor/data/open_samples.hpp"

#include <fmt/format.h>

#include "executor/data/generated_samples.hpp"
#include "executor/data/image_files.hpp"
#include "executor/data/stored_samples.hpp"
#include "files/input_error.hpp"
#include "files/text_file.hpp"

namespace stint {
namespace {

// What follows the prefix, if the spec begins with it.
std::optional<std::string> after(const std::string& prefix, const std::string& spec) {
  if (!spec.starts_with(prefix)) return std::nullopt;
  return spec.substr(prefix.size());
}

std::vector<std::string> listed(const std::string& files) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= files.size();) {
    const std::size_t end = std::min(files.find(',', begin), files.size());
    list.push_back(files.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

StoredSet read_arrays(const std::string& files, const std::vector<SampleInput>& inputs) {
  const std::vector<std::string> list = listed(files);
  if (list.size() != inputs.size())
    throw InputError("--data npy:" + files,
                     fmt::format("{} files; expected {}, one for every input of the network",
                                 list.size(), inputs.size()));
  StoredSet set;
  for (const std::string& file : list) set.push_back({file, parse_npy(read_text(file), file)});
  return set;
}

// Images and their labels stand where the network has numbers and integers.
StoredSet arranged(ImageSet images, const std::vector<SampleInput>& inputs,
                   const std::string& spec) {
  const bool fits =
      inputs.size() == 2 && (inputs[0].type == Element::f32) != (inputs[1].type == Element::f32);
  if (!fits)
    throw InputError("--data " + spec, fmt::format("images and labels, for a network of {} inputs; "
                                                   "expected one of images and labels",
                                                   inputs.size()));
  StoredSet set(2);
  const std::size_t image = inputs[0].type == Element::f32 ? 0 : 1;
  set[image] = std::move(images.images);
  set[1 - image] = std::move(images.labels);
  return set;
}

}  // namespace

std::unique_ptr<SampleSource> open_samples(const std::string& spec, const Network& network,
                                           std::int64_t batch, std::int64_t seed,
                                           bool wants_held_out) {
  std::vector<SampleInput> inputs = sample_inputs(network);
  if (spec.empty() || spec == "synthetic")
    return std::make_unique<GeneratedSamples>(std::move(inputs), seed);
  StoredSet training;
  std::optional<StoredSet> held_out;
  const auto take = [&](auto read, const std::string& folder) {
    training = arranged(read(folder, SampleSet::training), inputs, spec);
    if (wants_held_out) held_out = arranged(read(folder, SampleSet::held_out), inputs, spec);
  };
  if (const auto idx_folder = after("idx:", spec)) {
    take(read_idx, *idx_folder);
  } else if (const auto cifar_folder = after("cifar10:", spec)) {
    take(read_cifar10, *cifar_folder);
  } else if (const auto files = after("npy:", spec)) {
    training = read_arrays(*files, inputs);
    if (wants_held_out)
      throw InputError("--eval", "no samples are held out of npy files; expected another --data");
  } else {
    throw InputError("--data " + spec,
                     "unknown; expected synthetic, idx:FOLDER, cifar10:FOLDER or npy:FILE,FILE…");
  }
  return std::make_unique<StoredSamples>(std::move(inputs), batch, std::move(training),
                                         std::move(held_out));
}

}  // namespace stint
