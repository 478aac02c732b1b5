#include "palio/config.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "palio/error.h"

namespace palio {
namespace {

Error wrong(const std::string& setting, const std::string& message) {
  return Error(grpc::INVALID_ARGUMENT, "INVALID_SETTING", message, setting);
}

bool is_true(std::string value) {
  static constexpr std::array<std::string_view, 4> kTrue = {"1", "true", "yes", "on"};
  std::transform(value.begin(), value.end(), value.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return std::find(kTrue.begin(), kTrue.end(), value) != kTrue.end();
}

bool is_address(const std::string& server) {
  if (server.starts_with("unix:")) return server.size() > 5;
  const auto colon = server.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  int port = 0;
  const char* end = server.data() + server.size();
  const auto [stop, error] = std::from_chars(server.data() + colon + 1, end, port);
  return error == std::errc() && stop == end && port > 0 && port < 65536;
}

std::string read_file(const std::string& name, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw wrong(name, "cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Config Config::from_env(const std::string& bot_name) {
  return from_lookup(bot_name, [](const char* name) { return std::getenv(name); });
}

Config Config::from_lookup(const std::string& bot_name, const std::function<const char*(const char*)>& get) {
  const auto value = [&](const char* name, const std::string& otherwise) {
    const char* found = get(name);
    return found != nullptr && *found != '\0' ? std::string(found) : otherwise;
  };
  Config config;
  config.server = value("PALIO_SERVER", config.server);
  config.token = value("PALIO_TOKEN", "");
  config.ca = value("PALIO_CA", "");
  config.tls = is_true(value("PALIO_TLS", ""));
  config.cert = value("PALIO_CERT", "");
  config.key = value("PALIO_KEY", "");
  config.bot_name = value("PALIO_BOT_NAME", bot_name);
  return config;
}

void Config::check() const {
  if (!is_address(server)) throw wrong("server", "\"" + server + "\" is neither host:port nor unix:/path");
  if (max_concurrent_matches < 1) {
    throw wrong("max_concurrent_matches", std::to_string(max_concurrent_matches) + " is not at least 1");
  }
  if (matches && *matches < 1) throw wrong("matches", std::to_string(*matches) + " is not at least 1");
  if (!ca.empty()) read_file("PALIO_CA", ca);
  if (cert.empty() && key.empty()) return;
  read_file("PALIO_CERT", cert);
  read_file("PALIO_KEY", key);
}

std::shared_ptr<grpc::Channel> Config::channel(const std::string& address) const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  auto credentials = grpc::InsecureChannelCredentials();
  if (tls || !ca.empty()) {
    grpc::SslCredentialsOptions options;
    if (!ca.empty()) options.pem_root_certs = read_file("PALIO_CA", ca);
    if (!cert.empty()) {
      options.pem_cert_chain = read_file("PALIO_CERT", cert);
      options.pem_private_key = read_file("PALIO_KEY", key);
    }
    credentials = grpc::SslCredentials(options);
  }
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

}  // namespace palio
