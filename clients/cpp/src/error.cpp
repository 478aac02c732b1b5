#include "palio/error.h"

#include <utility>

#include "palio/client/rpc.pb.h"

namespace palio {
namespace {

const char* name(grpc::StatusCode code) {
  static constexpr const char* kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code < static_cast<int>(std::size(kNames)) ? kNames[code] : "UNKNOWN";
}

std::string text(grpc::StatusCode code, const std::string& reason, const std::string& message,
                 const std::string& field) {
  std::string text = reason.empty() ? name(code) : reason;
  if (!field.empty()) text += " (" + field + ")";
  return text + ": " + message;
}

// Reads a detail whose type has this name; an Any's own test would ask for the name of our look-alike.
template <typename Message>
bool read(const google::protobuf::Any& detail, const std::string& type, Message& message) {
  return detail.type_url().ends_with("/" + type) && message.ParseFromString(detail.value());
}

}  // namespace

Error::Error(grpc::StatusCode code, std::string reason, std::string message, std::string field,
             std::map<std::string, std::string> metadata)
    : std::runtime_error(text(code, reason, message, field)),
      code_(code),
      reason_(std::move(reason)),
      message_(std::move(message)),
      field_(std::move(field)),
      metadata_(std::move(metadata)) {}

Error Error::from_status(const grpc::Status& status) {
  std::string reason, field;
  std::map<std::string, std::string> metadata;
  client::RpcStatus details;
  if (details.ParseFromString(status.error_details())) {
    for (const auto& detail : details.details()) {
      client::ErrorInfo info;
      client::BadRequest bad;
      if (read(detail, "google.rpc.ErrorInfo", info) && info.domain() == "palio") {
        reason = info.reason();
        metadata = {info.metadata().begin(), info.metadata().end()};
      } else if (read(detail, "google.rpc.BadRequest", bad) && bad.field_violations_size() > 0) {
        field = bad.field_violations(0).field();
      }
    }
  }
  return Error(status.error_code(), std::move(reason), status.error_message(), std::move(field), std::move(metadata));
}

bool Error::transient() const {
  switch (code_) {
    case grpc::UNAVAILABLE:
    case grpc::RESOURCE_EXHAUSTED:
      return true;
    case grpc::INTERNAL:
    case grpc::UNKNOWN:
    case grpc::CANCELLED:
    case grpc::DEADLINE_EXCEEDED:
    case grpc::ABORTED:
      return reason_.empty();
    default:
      return false;
  }
}

}  // namespace palio
