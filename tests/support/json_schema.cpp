#include "tests/support/json_schema.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace stint {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

std::string description(valijson::ValidationResults& results) {
  std::string text;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& step : error.context) text += step;
    text += ": " + error.description + '\n';
  }
  return text;
}

}  // namespace

std::string schema_fault(const std::string& schema_path, const std::string& json_text) {
  std::ifstream file(schema_path);
  if (!file) throw std::runtime_error("no schema in " + schema_path);
  const nlohmann::json schema_json = nlohmann::json::parse(file);
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(Adapter(schema_json), schema);

  const nlohmann::json document = nlohmann::json::parse(json_text);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, Adapter(document), &results)) return "";
  return "the document does not conform:\n" + description(results);
}

std::string model_fault(const std::string& json_text) {
  return schema_fault(STINT_SOURCE_DIR "/models/stint-model.schema.json", json_text);
}

}  // namespace stint
