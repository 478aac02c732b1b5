package palio.bots;

import palio.client.Config;
import palio.client.Main;
import palio.fidelitas.Greedy;
import palio.v1.Option;

/** Plays Fidelitas as docs/greedy.md says: it takes what brings its Missio cards nearest, now. */
public final class GreedyBot {
  private GreedyBot() {}

  public static void main(String[] arguments) {
    Main.run(
        arguments,
        new Config().name("java-greedy").games("fidelitas"),
        match -> {
          var options = match.started().getOptions().getFidelitas();
          var greedy = new Greedy(match.catalogue().getFidelitas(), options);
          return decision ->
              greedy.choose(
                  decision.observation().getFidelitas(),
                  decision.options().stream().map(Option::getFidelitas).toList());
        });
  }
}
