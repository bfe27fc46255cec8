#include "executor/cpu/dnn/weight_forms.hpp"

#include <dnnl_debug.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "files/input_error.hpp"
#include "models/training/weight_order.hpp"

namespace stint {
namespace {

using dnnl::memory;

// "ABcd16b16a" by oneDNN's number for it.
const std::map<std::string, memory::format_tag>& tags_by_name() {
  static const auto tags = [] {
    std::map<std::string, memory::format_tag> all;
    for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag) {
      const auto number = static_cast<dnnl_format_tag_t>(tag);
      all.emplace(dnnl_fmt_tag2str(number), static_cast<memory::format_tag>(number));
    }
    return all;
  }();
  return tags;
}

std::size_t dimensions_of(const std::string& tag) {
  return std::min(tag.find_first_of("0123456789"), tag.size());
}

std::string listed_tag(std::size_t dimensions) {
  return std::string("abcdef").substr(0, dimensions);
}

// The two dimensions that are listed the other way round: behind the groups, if there are any.
std::pair<char, char> swapped_letters(std::size_t dimensions) {
  return dimensions == 5 ? std::pair('b', 'c') : std::pair('a', 'b');
}

std::string with_swapped_letters(std::string tag) {
  const auto [one, other] = swapped_letters(dimensions_of(tag));
  constexpr char to_upper = 'A' - 'a';
  for (char& letter : tag) {
    for (const char shift : {char{0}, to_upper}) {
      const char a = static_cast<char>(one + shift);
      const char b = static_cast<char>(other + shift);
      if (letter == a || letter == b) {
        letter = letter == a ? b : a;
        break;
      }
    }
  }
  return tag;
}

// Between the letters of listed dimensions and those of counted ones, either way.
std::string renamed(const std::string& tag, ListedAs listed) {
  return listed == ListedAs::counted ? tag : with_swapped_letters(tag);
}

memory::dims listed_sizes(const WeightSizes& weight) {
  memory::dims sizes = weight.sizes;
  if (weight.listed == ListedAs::counted) return sizes;
  const std::size_t first = sizes.size() == 5 ? 1 : 0;
  std::swap(sizes[first], sizes[first + 1]);
  return sizes;
}

std::string tag_of(const std::string& order, std::size_t dimensions) {
  return order.empty() ? listed_tag(dimensions) : order.substr(order.find(' ') + 1);
}

bool has_tag(const std::string& order, const WeightSizes& weight) {
  return tags_by_name().contains(renamed(tag_of(order, weight.sizes.size()), weight.listed));
}

// Of the weight that both operands hold; sizes as listed, or as counted if only so oneDNN has both.
WeightSizes sizes_of(const KernelOperand& from, const KernelOperand& to) {
  const auto order = parse_weight_order(from.order.empty() ? to.order : from.order);
  if (!order) throw InputError(weight_reorder_op, "no order; expected one to reorder from or to");
  const WeightSizes as_listed{order->sizes, ListedAs::counted};
  if (has_tag(from.order, as_listed) && has_tag(to.order, as_listed)) return as_listed;
  WeightSizes counted{order->sizes, ListedAs::inputs_first};
  counted.sizes = listed_sizes(counted);
  return counted;
}

}  // namespace

memory::desc weight_form(const WeightSizes& weight, const std::string& order) {
  const std::string tag = renamed(tag_of(order, weight.sizes.size()), weight.listed);
  const auto found = tags_by_name().find(tag);
  if (found == tags_by_name().end() || dimensions_of(tag) != weight.sizes.size())
    throw InputError("the order of a weight",
                     fmt::format("{}, which oneDNN does not know; expected one that it names",
                                 in_quotes(order)));
  return {weight.sizes, memory::data_type::f32, found->second};
}

std::string weight_order_text(const WeightSizes& weight, const memory::desc& form) {
  if (form == weight_form(weight, "")) return "";
  for (const auto& [name, tag] : tags_by_name()) {
    if (dimensions_of(name) != weight.sizes.size()) continue;
    const memory::desc candidate(weight.sizes, memory::data_type::f32, tag, true);
    if (candidate.get(true) == nullptr || candidate != form) continue;
    const std::string text =
        fmt::format("{} {}", fmt::join(listed_sizes(weight), "x"), renamed(name, weight.listed));
    if (parse_weight_order(text)) return text;
  }
  return "";
}

std::unique_ptr<CpuKernel> make_weight_reorder(const TaskKernel& task) {
  const WeightSizes weight = sizes_of(task.reads[0], task.writes[0]);
  auto kernel = std::make_unique<DnnKernel>();
  kernel->add_reorder(weight_form(weight, task.reads[0].order), read_place(0),
                      weight_form(weight, task.writes[0].order), write_place(0));
  return kernel;
}

}  // namespace stint
