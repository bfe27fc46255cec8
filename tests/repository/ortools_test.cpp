// The solver's libraries are found, load, and answer through their C interface.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <protozero/pbf_message.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

// Of OR-Tools, whose headers are not installed with its wheel. The answer is the caller's to free.
extern "C" void SolveCpModelWithParameters(const void* model, int model_bytes,
                                           const void* parameters, int parameters_bytes,
                                           void** response, int* response_bytes);

namespace {

using Integers = std::vector<std::int64_t>;

// Field numbers of cp_model.proto and sat_parameters.proto.
namespace field {
enum Variable { variable_domain = 2 };
enum Linear { linear_vars = 1, linear_coeffs = 2, linear_domain = 3 };
enum Constraint { constraint_linear = 12 };
enum Objective { objective_vars = 1, objective_scaling = 3, objective_coeffs = 4 };
enum Model { model_variables = 2, model_constraints = 3, model_objective = 4 };
enum Parameters { random_seed = 31, max_deterministic_time = 67, num_workers = 206 };
enum Response { status = 1, solution = 2, objective_value = 3 };
}  // namespace field
constexpr int status_optimal = 4;

void add_integers(protozero::pbf_writer& message, int tag, const Integers& values) {
  message.add_packed_int64(static_cast<protozero::pbf_tag_type>(tag), values.begin(), values.end());
}

void add_variable(protozero::pbf_writer& model, std::int64_t least, std::int64_t most) {
  protozero::pbf_writer variable(model, field::model_variables);
  add_integers(variable, field::variable_domain, {least, most});
}

void add_linear(protozero::pbf_writer& model, const Integers& vars, const Integers& coeffs,
                std::int64_t least, std::int64_t most) {
  protozero::pbf_writer constraint(model, field::model_constraints);
  protozero::pbf_writer linear(constraint, field::constraint_linear);
  add_integers(linear, field::linear_vars, vars);
  add_integers(linear, field::linear_coeffs, coeffs);
  add_integers(linear, field::linear_domain, {least, most});
}

// The solver minimises, and multiplies what it found by the scaling for its answer.
void maximise(protozero::pbf_writer& model, const Integers& vars, const Integers& coeffs) {
  protozero::pbf_writer objective(model, field::model_objective);
  Integers negated;
  for (const std::int64_t coeff : coeffs) negated.push_back(-coeff);
  add_integers(objective, field::objective_vars, vars);
  add_integers(objective, field::objective_coeffs, negated);
  objective.add_double(field::objective_scaling, -1.0);
}

std::string deterministic_parameters() {
  std::string bytes;
  protozero::pbf_writer parameters(bytes);
  parameters.add_int32(field::random_seed, 1);
  parameters.add_double(field::max_deterministic_time, 10.0);
  parameters.add_int32(field::num_workers, 1);
  return bytes;
}

std::string solve(const std::string& model, const std::string& parameters) {
  void* response = nullptr;
  int bytes = 0;
  SolveCpModelWithParameters(model.data(), static_cast<int>(model.size()), parameters.data(),
                             static_cast<int>(parameters.size()), &response, &bytes);
  std::string answer(static_cast<const char*>(response), static_cast<std::size_t>(bytes));
  std::free(response);
  return answer;
}

struct Answer {
  int status = 0;
  Integers solution;
  double value = 0;
};

Answer read_answer(const std::string& response) {
  Answer answer;
  for (protozero::pbf_reader message(response); message.next();) {
    if (message.tag() == field::status) {
      answer.status = message.get_enum();
    } else if (message.tag() == field::solution) {
      for (const std::int64_t value : message.get_packed_int64()) answer.solution.push_back(value);
    } else if (message.tag() == field::objective_value) {
      answer.value = message.get_double();
    } else {
      message.skip();
    }
  }
  return answer;
}

}  // namespace

TEST_CASE("CP-SAT maximises x + y under a linear constraint", "[repository]") {
  std::string bytes;
  protozero::pbf_writer model(bytes);
  add_variable(model, 0, 10);
  add_variable(model, 0, 10);
  add_linear(model, {0, 1}, {2, 1}, 0, 14);  // 2x + y <= 14
  maximise(model, {0, 1}, {1, 1});

  const Answer answer = read_answer(solve(bytes, deterministic_parameters()));
  REQUIRE(answer.status == status_optimal);
  REQUIRE(answer.value == Approx(12));
  REQUIRE(answer.solution == Integers{2, 10});
}
