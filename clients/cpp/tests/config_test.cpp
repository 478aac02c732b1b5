#include "palio/config.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "palio/error.h"

namespace palio {
namespace {

Config from(const std::map<std::string, std::string>& variables) {
  return Config::from_lookup("mine", [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// The field at fault, empty where there is none.
std::string fault(const std::function<void(Config&)>& change) {
  Config config;
  change(config);
  try {
    config.check();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), grpc::INVALID_ARGUMENT);
    return error.field();
  }
  return "";
}

TEST(Config, TheEnvironmentIsRead) {
  const Config config = from({{"PALIO_SERVER", "a:1"}, {"PALIO_TOKEN", "t"}, {"PALIO_BOT_NAME", "theirs"}});
  EXPECT_EQ(config.server, "a:1");
  EXPECT_EQ(config.token, "t");
  EXPECT_EQ(config.bot_name, "theirs");
  EXPECT_EQ(from({}).server, "localhost:7654");
  EXPECT_EQ(from({{"PALIO_BOT_NAME", ""}}).bot_name, "mine");
}

TEST(Config, TlsIsOnWithACaOrWhenAskedFor) {
  EXPECT_FALSE(from({}).tls);
  EXPECT_FALSE(from({{"PALIO_TLS", "0"}}).tls);
  EXPECT_TRUE(from({{"PALIO_TLS", "1"}}).tls);
  EXPECT_TRUE(from({{"PALIO_TLS", "Yes"}}).tls);
  EXPECT_EQ(from({{"PALIO_CA", "ca.pem"}}).ca, "ca.pem");
}

TEST(Config, AWrongSettingIsNamed) {
  for (const char* server : {"nowhere", ":1", "a:", "a:0", "a:65536", "a:b", "unix:", ""}) {
    EXPECT_EQ(fault([&](Config& config) { config.server = server; }), "server") << server;
  }
  EXPECT_EQ(fault([](Config& config) { config.max_concurrent_matches = 0; }), "max_concurrent_matches");
  EXPECT_EQ(fault([](Config& config) { config.matches = 0; }), "matches");
  EXPECT_EQ(fault([](Config& config) { config.ca = "/no/such.pem"; }), "PALIO_CA");
  EXPECT_EQ(fault([](Config& config) { config.cert = "/no/such.pem"; }), "PALIO_CERT");
}

TEST(Config, BothKindsOfAddressAreTaken) {
  for (const char* server : {"localhost:7654", "[::1]:7654", "unix:/tmp/palio.sock"}) {
    EXPECT_EQ(fault([&](Config& config) { config.server = server; }), "") << server;
  }
}

}  // namespace
}  // namespace palio
