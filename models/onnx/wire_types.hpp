// What a field of a message is written as must be what its reader expects.
#pragma once

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

namespace stint {

inline void expect_wire(const protozero::pbf_reader& message, protozero::pbf_wire_type type) {
  if (message.wire_type() != type) throw protozero::unknown_pbf_wire_type_exception();
}

}  // namespace stint
