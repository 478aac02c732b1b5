package palio.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import palio.v1.Catalogue;
import palio.v1.ChoiceRejected;
import palio.v1.MatchStarted;
import palio.v1.PlayRequest;
import palio.v1.RejectionReason;
import palio.v1.Update;

/**
 * The client's side of one match: what is known of it, and the queue of calls of the user's code, which run one after
 * another in a thread of the pool. Everything but {@code player} is guarded by the client.
 */
final class Room implements Match {
  /** What a room needs of its client. All is called with the client locked but {@code start} and {@code catalogue}. */
  interface Outside {
    Player start(Match match) throws Exception;

    Catalogue catalogue(String game);

    /** Sends and returns true, or returns false where no session is open. */
    boolean send(PlayRequest request);

    void log(String line);
  }

  /** A call of the user's code. */
  private interface Call {
    void run() throws Exception;
  }

  /** A decision that waits for its answer to count. */
  private static final class Pending {
    final Decision decision;
    Integer choice;

    Pending(Decision decision) {
      this.decision = decision;
    }
  }

  long lastSeq;
  private final Object lock;
  private final Outside outside;
  private final Executor pool;
  private final String id;
  private final MatchStarted started;
  private final Queue<Call> calls = new ArrayDeque<>();
  private boolean calling;
  private boolean ready;
  private boolean underway; // the server is known to have heard Ready
  private boolean resigned;
  private boolean over;
  private Pending pending;
  private Player player; // belongs to the calls

  Room(Object lock, Outside outside, Executor pool, String id, long seq, MatchStarted started) {
    this.lock = lock;
    this.outside = outside;
    this.pool = pool;
    this.id = id;
    this.lastSeq = seq;
    this.started = started;
  }

  /** Has the user's code prepare itself. */
  void open() {
    call(
        () -> {
          player = outside.start(this);
          synchronized (lock) {
            ready = true;
            if (!over) {
              outside.send(Requests.ready(id));
            }
          }
        });
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public MatchStarted started() {
    return started;
  }

  @Override
  public Catalogue catalogue() {
    return outside.catalogue(started.getGame());
  }

  @Override
  public boolean signal(palio.fidelitas.v1.Words words) {
    synchronized (lock) {
      return outside.send(Requests.signal(id, words));
    }
  }

  @Override
  public void resign() {
    synchronized (lock) {
      if (!resigned && !over) {
        resigned = true;
        outside.send(Requests.resign(id));
      }
    }
  }

  /** Whether the user's code has nothing left to do; the client waits on its lock for it. */
  boolean isIdle() {
    return !calling;
  }

  private void call(Call call) {
    synchronized (lock) {
      calls.add(call);
      if (!calling) {
        calling = true;
        pool.execute(this::runCalls);
      }
    }
  }

  /** Runs what is queued. What fails there costs this match only. */
  private void runCalls() {
    for (; ; ) {
      Call call;
      synchronized (lock) {
        call = calls.poll();
        if (call == null) {
          calling = false;
          lock.notifyAll();
          return;
        }
      }
      try {
        call.run();
      } catch (Exception | LinkageError | AssertionError | StackOverflowError failure) {
        var trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        outside.log("match " + id + " resigned, the bot failed: " + trace);
        resign();
        player = null;
      }
    }
  }

  /** Takes in one update about the match. */
  void handle(Update update) {
    switch (update.getMessageCase()) {
      case EVENTS -> {
        underway = true;
        tell(player -> player.observe(update.getEvents().getEventsList()));
      }
      case DECISION -> {
        underway = true;
        decide(update.getDecision());
      }
      case CHOICE_ACCEPTED -> {
        if (isPending(update.getChoiceAccepted().getDecisionId())) {
          settle();
        }
      }
      case CHOICE_REJECTED -> reject(update.getChoiceRejected());
      case SEAT_STATUS -> tell(player -> player.seatStatus(update.getSeatStatus()));
      case MATCH_ENDED -> {
        over = true;
        settle();
        tell(player -> player.ended(update.getMatchEnded()));
      }
      default -> {} // a message of a later version of the protocol
    }
  }

  /** A call of one of the player's methods. */
  private interface Telling {
    void run(Player player) throws Exception;
  }

  private void tell(Telling telling) {
    call(
        () -> {
          if (player != null) {
            telling.run(player);
          }
        });
  }

  private boolean isPending(long decisionId) {
    return pending != null && pending.decision.id() == decisionId;
  }

  private void decide(palio.v1.Decision message) {
    var same = isPending(message.getDecisionId());
    if (message.hasAnswered()) {
      if (same) {
        settle();
      }
      return;
    }
    if (same) {
      answer(); // asked again: the answer may have been lost
      return;
    }
    settle();
    var asked = new Pending(new Decision(this, message));
    pending = asked;
    call(() -> choose(asked));
  }

  private void choose(Pending asked) throws Exception {
    if (player == null || !isCalledFor(asked)) {
      return;
    }
    int choice;
    try {
      choice = player.choose(asked.decision);
    } catch (Exception failure) {
      if (!isCalledFor(asked)) {
        return; // it was called off
      }
      throw failure;
    }
    synchronized (lock) {
      if (isCalledFor(asked)) {
        asked.choice = choice;
        answer();
      }
    }
  }

  private boolean isCalledFor(Pending asked) {
    synchronized (lock) {
      return pending == asked && !resigned;
    }
  }

  /** Says what was chosen, if it was. */
  private void answer() {
    if (pending != null && pending.choice != null) {
      outside.send(Requests.choose(id, pending.decision.id(), pending.choice));
    }
  }

  /** Ends the pending decision: no answer to it counts any more. */
  void settle() {
    if (pending != null) {
      pending.decision.close();
      pending = null;
    }
  }

  private void reject(ChoiceRejected rejected) {
    if (rejected.getReason() == RejectionReason.REJECTION_REASON_STALE) {
      return;
    }
    outside.log("match " + id + ": choice rejected (" + rejected.getReason() + "): " + rejected.getText());
    tell(player -> player.rejected(rejected));
    if (isPending(rejected.getDecisionId()) && pending.choice != null) {
      pending.choice = null;
      if (rejected.getTriesLeft() > 0) {
        var again = pending;
        call(() -> choose(again));
      }
    }
  }

  /** Says again what may have been lost with the last connection. */
  void resume() {
    if (resigned) {
      outside.send(Requests.resign(id));
    } else if (ready && !underway) {
      outside.send(Requests.ready(id));
    } else {
      answer();
    }
  }
}
