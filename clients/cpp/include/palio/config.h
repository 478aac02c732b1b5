// Where to play and as whom.
#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palio {

// Where to play and as whom. Take Config::from_env and change what you like.
struct Config {
  // host:port, or unix:/path/of/socket.
  std::string server = "localhost:7654";
  // Says who the player is; may be empty on a server in open local mode.
  std::string token;
  // PEM file of the certificate authority to trust; TLS is used when it is set.
  std::string ca;
  // TLS with the system's certificate authorities.
  bool tls = false;
  // PEM files: the bot's own certificate and its key, for servers that ask for one.
  std::string cert;
  std::string key;
  // Label of the bot; in open local mode also the player's name.
  std::string bot_name;
  // Label for logs.
  std::string bot_version;
  // Ids of the games it plays; empty means all.
  std::vector<std::string> games;
  // How many matches it plays at the same time.
  int max_concurrent_matches = 8;
  // Leave after so many finished matches; unset means play for ever.
  std::optional<std::int64_t> matches;
  // Give up after so long without a session.
  std::chrono::milliseconds give_up_after = std::chrono::seconds(60);
  // Leave gracefully on SIGINT and SIGTERM; the second one makes Client::play throw at once.
  bool leave_on_signals = true;

  // Reads PALIO_SERVER, PALIO_TOKEN, PALIO_CA, PALIO_TLS, PALIO_CERT, PALIO_KEY and PALIO_BOT_NAME, which replaces
  // bot_name.
  static Config from_env(const std::string& bot_name);
  // The same from another source of variables; nullptr where one is not set.
  static Config from_lookup(const std::string& bot_name, const std::function<const char*(const char*)>& get);

  // Checks what can be checked without a server; throws Error naming the setting.
  void check() const;
  // A new channel. It shares no connection with another one, so that the pauses between attempts are ours.
  std::shared_ptr<grpc::Channel> channel() const { return channel(server); }
  // The same to another address of the server.
  std::shared_ptr<grpc::Channel> channel(const std::string& address) const;
};

}  // namespace palio
