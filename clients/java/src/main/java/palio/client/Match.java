package palio.client;

import palio.v1.Catalogue;
import palio.v1.MatchStarted;

/** One playing of a game, as its bot knows it. */
public interface Match {
  /** Names the match on its server. */
  String id();

  /** Seat, game, its options, players and time control. */
  MatchStarted started();

  /**
   * The match's game as data, its cards for example. The server is asked once for each game.
   *
   * @throws PalioException the server does not tell
   */
  Catalogue catalogue();

  /** Gives the match up. */
  void resign();

  /** Talks to the partner of a team match; returns whether there was a connection to say it on. */
  boolean signal(palio.fidelitas.v1.Words words);
}
