// One typed error for everything that a server refuses or a connection loses.
#pragma once

#include <grpcpp/support/status.h>

#include <map>
#include <stdexcept>
#include <string>

namespace palio {

// Why a call or a session failed. what() is for people.
class Error : public std::runtime_error {
 public:
  Error(grpc::StatusCode code, std::string reason, std::string message, std::string field = {},
        std::map<std::string, std::string> metadata = {});

  // Reads google.rpc.ErrorInfo (of the domain "palio") and BadRequest; what cannot be read is left out.
  static Error from_status(const grpc::Status& status);

  // The gRPC status code.
  grpc::StatusCode code() const { return code_; }
  // The reason in the server's table, for example UNAUTHENTICATED; empty where no Palio server spoke.
  const std::string& reason() const { return reason_; }
  // Path of the field that is at fault; empty where none is.
  const std::string& field() const { return field_; }
  // For people, without reason and field.
  const std::string& message() const { return message_; }
  // Further facts for programs, for example the allowed values.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // Whether trying again later may help: the server drains or is full, or the connection broke.
  bool transient() const;

 private:
  grpc::StatusCode code_;
  std::string reason_;
  std::string message_;
  std::string field_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace palio
