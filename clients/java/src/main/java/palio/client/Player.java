package palio.client;

import java.util.List;
import palio.v1.ChoiceRejected;
import palio.v1.Event;
import palio.v1.MatchEnded;
import palio.v1.SeatStatus;

/**
 * Plays one match. Its methods are called one after another, in the order in which things happened; the players of
 * several matches run at the same time, each in a thread. What one throws is reported and resigns its match, and the
 * player is not called again; other matches go on.
 */
@FunctionalInterface
public interface Player {
  /** Returns the index of one of the decision's options. */
  int choose(Decision decision) throws Exception;

  /** What happened, always before the decision that depends on it. */
  default void observe(List<Event> events) throws Exception {}

  /** How the match ended; nothing follows. */
  default void ended(MatchEnded ended) throws Exception {}

  /**
   * A choice did not count (unless it was only late). If the decision is still open, {@link #choose} is called again.
   */
  default void rejected(ChoiceRejected rejected) throws Exception {}

  /** Another seat lost or found its connection. */
  default void seatStatus(SeatStatus status) throws Exception {}
}
