package palio.client;

/** Says who plays a match. */
@FunctionalInterface
public interface Bot {
  /**
   * Called once for each match, as the match starts. The match waits for it within its init budget.
   *
   * @throws Exception the match is resigned
   */
  Player start(Match match) throws Exception;
}
