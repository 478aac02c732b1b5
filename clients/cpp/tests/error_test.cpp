#include "palio/error.h"

#include <gtest/gtest.h>

#include "palio/client/rpc.pb.h"

namespace palio {
namespace {

grpc::Status refusal(const std::string& domain) {
  client::RpcStatus status;
  client::ErrorInfo info;
  info.set_reason("TOO_LARGE");
  info.set_domain(domain);
  (*info.mutable_metadata())["max"] = "64";
  client::BadRequest bad;
  bad.add_field_violations()->set_field("hello.games[0]");
  const auto add = [&](const std::string& type, const google::protobuf::Message& detail) {
    auto& any = *status.add_details();
    any.set_type_url("type.googleapis.com/" + type);
    any.set_value(detail.SerializeAsString());
  };
  add("google.rpc.Unheard", info);
  add("google.rpc.ErrorInfo", info);
  add("google.rpc.BadRequest", bad);
  return grpc::Status(grpc::INVALID_ARGUMENT, "no such thing", status.SerializeAsString());
}

TEST(Error, DetailsAreRead) {
  const Error error = Error::from_status(refusal("palio"));
  EXPECT_EQ(error.code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason(), "TOO_LARGE");
  EXPECT_EQ(error.field(), "hello.games[0]");
  EXPECT_EQ(error.metadata().at("max"), "64");
  EXPECT_STREQ(error.what(), "TOO_LARGE (hello.games[0]): no such thing");
}

TEST(Error, ReasonsOfOtherDomainsAreLeftOut) {
  const Error error = Error::from_status(refusal("elsewhere"));
  EXPECT_EQ(error.reason(), "");
  EXPECT_STREQ(error.what(), "INVALID_ARGUMENT (hello.games[0]): no such thing");
}

TEST(Error, UnreadableDetailsAreLeftOut) {
  const Error error = Error::from_status(grpc::Status(grpc::NOT_FOUND, "no", "\xff\xff"));
  EXPECT_STREQ(error.what(), "NOT_FOUND: no");
}

TEST(Error, OnlyALostConnectionOrABusyServerIsWorthAnotherTry) {
  const auto transient = [](grpc::StatusCode code, const char* reason) { return Error(code, reason, "").transient(); };
  EXPECT_TRUE(transient(grpc::UNAVAILABLE, "DRAINING"));
  EXPECT_TRUE(transient(grpc::RESOURCE_EXHAUSTED, "LIMIT_REACHED"));
  EXPECT_TRUE(transient(grpc::INTERNAL, ""));
  EXPECT_TRUE(transient(grpc::CANCELLED, ""));
  EXPECT_FALSE(transient(grpc::INTERNAL, "INTERNAL"));
  EXPECT_FALSE(transient(grpc::UNAUTHENTICATED, ""));
  EXPECT_FALSE(transient(grpc::FAILED_PRECONDITION, "UNSUPPORTED_VERSION"));
}

}  // namespace
}  // namespace palio
