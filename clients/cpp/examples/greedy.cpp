// Plays Fidelitas by the specification in docs/greedy.md: PALIO_SERVER=localhost:7654 build/greedy

#include <palio/client.h>
#include <palio/missio.h>

#include <iostream>
#include <stdexcept>

#include "greedy_brain.h"

int main() {
  try {
    auto config = palio::Config::from_env("greedy-cpp");
    config.games = {"fidelitas"};
    palio::Client client(config);
    const auto catalogue = client.game("fidelitas");
    client.play([&](const palio::Match& match) {
      const Brain brain(palio::missio::cards(match.started(), catalogue));
      return palio::make_bot([brain](const palio::Decision& decision) {
        if (!decision.fidelitas()) throw std::invalid_argument("this bot plays only Fidelitas");
        return brain.choose(*decision.fidelitas(), decision->options());
      });
    });
  } catch (const palio::Error& error) {
    std::cerr << "palio: " << error.what() << "\n";
    return 1;
  }
}
