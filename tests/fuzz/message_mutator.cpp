#include "tests/fuzz/message_mutator.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <vector>

#include "tests/fuzz/json_mutator.hpp"

namespace stint {
namespace {

using Random = std::mt19937_64;
using Wire = protozero::pbf_wire_type;

struct Field {
  std::uint32_t tag = 0;
  Wire wire = Wire::varint;
  std::uint64_t number = 0;                  // of fixed and variable width
  std::string bytes;                         // of a given length …
  std::optional<std::vector<Field>> fields;  // … or, if they are a message, its fields
};
using Fields = std::vector<Field>;

constexpr int most_depth = 8;

std::optional<Fields> parsed(const protozero::data_view& view, int depth);

Field parsed_field(protozero::pbf_reader& message, int depth) {
  Field field{message.tag(), message.wire_type(), 0, {}, {}};
  if (field.wire == Wire::varint) {
    field.number = message.get_uint64();
  } else if (field.wire == Wire::fixed64) {
    field.number = message.get_fixed64();
  } else if (field.wire == Wire::fixed32) {
    field.number = message.get_fixed32();
  } else {
    const protozero::data_view view = message.get_view();
    field.bytes.assign(view.data(), view.size());
    if (depth < most_depth && view.size() > 1) field.fields = parsed(view, depth + 1);
  }
  return field;
}

std::optional<Fields> parsed(const protozero::data_view& view, int depth) {
  try {
    Fields fields;
    protozero::pbf_reader message(view);
    while (message.next()) fields.push_back(parsed_field(message, depth));
    return fields;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::string written(const Fields& fields) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  for (const Field& field : fields) {
    if (field.wire == Wire::varint) {
      message.add_uint64(field.tag, field.number);
    } else if (field.wire == Wire::fixed64) {
      message.add_fixed64(field.tag, field.number);
    } else if (field.wire == Wire::fixed32) {
      message.add_fixed32(field.tag, static_cast<std::uint32_t>(field.number));
    } else {
      message.add_bytes(field.tag, field.fields ? written(*field.fields) : field.bytes);
    }
  }
  return bytes;
}

// All lists of fields that have some.
void collect(Fields& fields, std::vector<Fields*>& lists) {
  if (!fields.empty()) lists.push_back(&fields);
  for (Field& field : fields) {
    if (field.fields) collect(*field.fields, lists);
  }
}

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

std::uint64_t odd_number(std::uint64_t number, Random& random) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const std::array<std::uint64_t, 14> numbers = {
      0,          1,          2,          number + 1, number - 1, number * 2,        number >> 1,
      0 - number, 1ULL << 31, 1ULL << 62, most,       most + 1,   ~std::uint64_t{0}, random() % 32};
  return numbers[below(random, numbers.size())];
}

// A value of the same field elsewhere: a name that exists, another operator, another attribute.
void change_for_another(Field& field, const std::vector<Fields*>& lists, Random& random) {
  std::vector<const Field*> others;
  for (const Fields* list : lists) {
    for (const Field& other : *list) {
      if (other.wire == field.wire && other.fields.has_value() == field.fields.has_value() &&
          (other.tag == field.tag || other.tag <= 2))
        others.push_back(&other);
    }
  }
  const std::uint32_t tag = field.tag;
  const Field other = *others[below(random, others.size())];
  field = other;
  field.tag = tag;
}

void change_value(Field& field, Random& random) {
  if (field.wire != Wire::length_delimited) {
    field.number = odd_number(field.number, random);
  } else if (!field.bytes.empty()) {
    field.bytes[below(random, field.bytes.size())] ^= static_cast<char>(1 << below(random, 8));
    field.fields.reset();
  }
}

void change_somewhere(Fields& fields, Random& random) {
  std::vector<Fields*> lists;
  collect(fields, lists);
  if (lists.empty()) return;
  Fields& list = *lists[below(random, lists.size())];
  const std::size_t at = below(random, list.size());
  switch (below(random, 8)) {
    case 0:
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      list.push_back(Field(list[at]));
      break;
    case 2:
      std::swap(list[at], list[below(random, list.size())]);
      break;
    case 3:
    case 4:
      change_value(list[at], random);
      break;
    default:
      change_for_another(list[at], lists, random);
  }
}

}  // namespace

std::string mutate_message(const std::string& bytes, std::mt19937_64& random) {
  std::optional<Fields> fields = parsed({bytes.data(), bytes.size()}, 0);
  if (!fields || below(random, 16) == 0) return mutate_json(bytes, random);
  for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes)
    change_somewhere(*fields, random);
  return written(*fields);
}

}  // namespace stint
