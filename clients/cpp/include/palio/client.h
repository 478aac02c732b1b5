// Playing on a server.
#pragma once

#include <memory>
#include <string>

#include "palio/bot.h"
#include "palio/config.h"
#include "palio/error.h"
#include "palio/v1/catalog.pb.h"

namespace palio {

class Inbox;

// A player at a server.
class Client {
 public:
  explicit Client(Config config);

  // A game with its cards as data, from the server's catalogue. Throws Error.
  v1::GetGameResponse game(const std::string& id) const;

  // Plays until the bot has left. Throws Error when the server refused the bot, a newer session of the same player took
  // over, or there was no session for longer than Config::give_up_after.
  void play(MakeBot make);

  // Asks for no more matches: play() returns when those that run are over. May be called from any thread.
  void leave();

 private:
  Config config_;
  std::shared_ptr<Inbox> inbox_;
};

}  // namespace palio
