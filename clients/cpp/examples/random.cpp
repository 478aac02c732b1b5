// Plays any game at random: PALIO_SERVER=localhost:7654 build/random

#include <palio/client.h>

#include <iostream>
#include <random>

int main() {
  try {
    palio::Client client(palio::Config::from_env("random-cpp"));
    client.play([](const palio::Match&) {
      return palio::make_bot([random = std::mt19937(std::random_device{}())](const palio::Decision& decision) mutable {
        return std::uniform_int_distribution<>(0, decision.size() - 1)(random);
      });
    });
  } catch (const palio::Error& error) {
    std::cerr << "palio: " << error.what() << "\n";
    return 1;
  }
}
