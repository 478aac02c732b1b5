package palio.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import palio.v1.Observation;
import palio.v1.Option;

/** A question with at least two answers. */
public final class Decision {
  private final Match match;
  private final palio.v1.Decision message;
  private final long receivedNanos = System.nanoTime();
  private volatile boolean open = true;

  Decision(Match match, palio.v1.Decision message) {
    this.match = match;
    this.message = message;
  }

  /** The match that it belongs to. */
  public Match match() {
    return match;
  }

  /** 1, 2, 3 ... per match and seat. */
  public long id() {
    return message.getDecisionId();
  }

  /** Name of the kind in the game's rules, for example PLAY_CARD. */
  public String kind() {
    return message.getKind();
  }

  /** What this seat sees now. */
  public Observation observation() {
    return message.getObservation();
  }

  /** The legal choices; the answer is an index into them. */
  public List<Option> options() {
    return message.getOptionsList();
  }

  /** As the server sent it. */
  public palio.v1.Decision message() {
    return message;
  }

  /** What is left until the time runs out; empty where there is no limit. The network's time is not deducted. */
  public Optional<Duration> remaining() {
    if (!message.getClock().hasRemaining()) {
      return Optional.empty();
    }
    var remaining = message.getClock().getRemaining();
    return Optional.of(
        Duration.ofSeconds(remaining.getSeconds(), remaining.getNanos())
            .minusNanos(System.nanoTime() - receivedNanos));
  }

  /** When the time runs out, by the local clock; empty where there is no limit. */
  public Optional<Instant> deadline() {
    return remaining().map(Instant.now()::plus);
  }

  /** Whether an answer can still count. */
  public boolean isOpen() {
    return open;
  }

  void close() {
    open = false;
  }
}
