package palio.client;

import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The main program of a bot. */
public final class Main {
  private static final String USAGE =
      """
      options:
        --server ADDRESS   host:port or unix:/path (default: PALIO_SERVER, else localhost:7654)
        --matches N        leave after so many matches (default: never)
        --concurrent N     play at most so many matches at the same time (default: 8)""";

  /** Warns of what does not concern a bot: sockets without TCP's options, machines without a network address. */
  private static final Logger NETTY = Logger.getLogger("io.grpc.netty.shaded.io.netty");

  private Main() {}

  /**
   * Plays until it is told to stop, then ends the process. Arguments override the configuration. SIGINT or SIGTERM makes
   * the bot leave once its matches are over. The status is 0 after leaving, 1 after an error, 2 for wrong arguments.
   */
  public static void run(String[] arguments, Config config, Bot bot) {
    try {
      read(Arrays.asList(arguments).iterator(), config);
    } catch (IllegalArgumentException wrong) {
      System.err.println("palio: " + wrong.getMessage() + "\n" + USAGE);
      System.exit(2);
    }
    NETTY.setLevel(Level.SEVERE);
    var client = new Client(bot, config);
    var status = new CompletableFuture<Integer>();
    // A signal starts the virtual machine's shutdown, which this hook holds up until the matches are over.
    var hook =
        new Thread(
            () -> {
              client.leave();
              Runtime.getRuntime().halt(status.join());
            });
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      client.run();
      status.complete(0);
    } catch (PalioException | InterruptedException failure) {
      System.err.println("palio: " + failure.getMessage());
      status.complete(1);
    }
    System.exit(status.join());
  }

  private static void read(Iterator<String> arguments, Config config) {
    while (arguments.hasNext()) {
      var option = arguments.next();
      if (!arguments.hasNext()) {
        throw new IllegalArgumentException(option + ": unknown, or its value is missing");
      }
      var value = arguments.next();
      switch (option) {
        case "--server" -> config.server(value);
        case "--matches" -> config.matches(number(option, value, 0));
        case "--concurrent" -> config.concurrent(number(option, value, 1));
        default -> throw new IllegalArgumentException(option + ": unknown");
      }
    }
  }

  private static int number(String option, String value, int minimum) {
    try {
      var number = Integer.parseInt(value);
      if (number >= minimum) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // said below
    }
    throw new IllegalArgumentException(option + ": " + value + " is not a whole number from " + minimum);
  }
}
