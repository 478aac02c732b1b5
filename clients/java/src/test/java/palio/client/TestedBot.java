package palio.client;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import palio.v1.ChoiceRejected;
import palio.v1.Event;
import palio.v1.MatchEnded;

/** A client under test, in a thread, with a scripted player for each match. */
final class TestedBot implements AutoCloseable {
  final BlockingQueue<Scripted> players = new LinkedBlockingQueue<>();
  final Client client;
  private final CompletableFuture<Void> result = new CompletableFuture<>();
  private final Thread thread;

  TestedBot(Peer peer) {
    this(new Config(Map.of()).server(peer.address()));
  }

  TestedBot(Config config) {
    client = new Client(this::start, quick(config));
    thread =
        new Thread(
            () -> {
              try {
                client.run();
                result.complete(null);
              } catch (PalioException | InterruptedException failure) {
                result.completeExceptionally(failure);
              }
            });
    thread.start();
  }

  /** The settings of every test. */
  private static Config quick(Config config) {
    if (config.giveUpAfter.equals(new Config(Map.of()).giveUpAfter)) {
      config.giveUpAfter(Duration.ofSeconds(Peer.PATIENCE));
    }
    return config.name("tested").token("secret").backoff(Duration.ofMillis(1), Duration.ofMillis(2)).log(line -> {});
  }

  private Player start(Match match) {
    var player = new Scripted(match);
    players.add(player);
    return player;
  }

  /** Waits for the client to end and returns why; null where it left. */
  PalioException result() throws InterruptedException {
    try {
      result.get(Peer.PATIENCE, TimeUnit.SECONDS);
      return null;
    } catch (TimeoutException running) {
      return fail("the client still runs");
    } catch (ExecutionException failed) {
      return (PalioException) failed.getCause();
    }
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  /** A Player whose choices the test makes and whose callbacks the test sees. */
  static final class Scripted implements Player {
    static final int FAILING = -99;

    final Match match;
    final BlockingQueue<Decision> asked = new LinkedBlockingQueue<>();
    final BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
    final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();

    Scripted(Match match) {
      this.match = match;
    }

    @Override
    public int choose(Decision decision) throws Exception {
      asked.add(decision);
      while (decision.isOpen()) {
        var answer = answers.poll(5, TimeUnit.MILLISECONDS);
        if (answer != null && answer == FAILING) {
          throw new IllegalStateException("out of ideas");
        } else if (answer != null) {
          return answer;
        }
      }
      return 0;
    }

    @Override
    public void observe(List<Event> events) {
      seen.add(events);
    }

    @Override
    public void ended(MatchEnded ended) {
      seen.add(ended);
    }

    @Override
    public void rejected(ChoiceRejected rejected) {
      seen.add(rejected);
    }
  }
}
