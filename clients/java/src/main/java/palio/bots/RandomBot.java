package palio.bots;

import java.util.concurrent.ThreadLocalRandom;
import palio.client.Config;
import palio.client.Main;

/** Picks any option: a bot that knows nothing about the game. */
public final class RandomBot {
  private RandomBot() {}

  public static void main(String[] arguments) {
    Main.run(
        arguments,
        new Config().name("java-random"),
        match -> decision -> ThreadLocalRandom.current().nextInt(decision.options().size()));
  }
}
