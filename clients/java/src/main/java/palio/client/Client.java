package palio.client;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import palio.v1.Catalogue;
import palio.v1.GetGameRequest;
import palio.v1.GetGameResponse;
import palio.v1.Hello;
import palio.v1.PlayRequest;
import palio.v1.Refused;
import palio.v1.Update;

/** Plays all of a bot's matches over one stream, which it opens again whenever it breaks. */
public final class Client implements Room.Outside {
  /** How many matches that ended are remembered, so that their messages, sent again, start nothing. */
  private static final int ENDED_KEPT = 1_000;

  /** How many addresses in a row may send the bot on without a Welcome. */
  private static final int MOST_MOVES = 5;

  private static final Duration CATALOGUE_TIMEOUT = Duration.ofSeconds(10);

  final Config config;
  private final Bot bot;
  private final ExecutorService pool = Executors.newCachedThreadPool(Client::thread);
  private final Map<String, Catalogue> catalogues = new HashMap<>();

  // Guarded by this, as are the rooms.
  private final Map<String, Room> rooms = new HashMap<>();
  private final Set<Room> closing = new HashSet<>();
  private final Map<String, Integer> ended =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > ENDED_KEPT;
        }
      };
  private int finished;
  private boolean leaving;
  private Session open; // the session that Welcome opened

  public Client(Bot bot, Config config) {
    this.bot = bot;
    this.config = config;
  }

  private static Thread thread(Runnable runnable) {
    var thread = new Thread(runnable, "palio-match");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Plays until the bot left. Call it once.
   *
   * @throws PalioException the server refused the bot, or no session could be opened for as long as the bot tries
   * @throws InterruptedException the thread was interrupted
   */
  public void run() throws InterruptedException {
    try {
      connect();
      finishCalls();
    } finally {
      synchronized (this) {
        rooms.values().forEach(Room::settle);
      }
      pool.shutdown();
    }
  }

  /** Asks for no more matches: those that run are finished, then {@link #run} returns. May be called by any thread. */
  public synchronized void leave() {
    if (!leaving) {
      leaving = true;
      send(Requests.leave());
      notifyAll();
    }
  }

  /** Opens session after session. */
  private void connect() throws InterruptedException {
    var giveUp = System.nanoTime() + config.giveUpAfter.toNanos();
    var pause = config.minBackoff;
    var address = config.server;
    var moves = 0;
    for (; ; ) {
      var session = new Session(this, address);
      var left = session.play(giveUp - System.nanoTime());
      if (left || isDone()) {
        return;
      }
      var failure = session.failure();
      if (!failure.isTransient()) {
        throw failure;
      }
      if (session.isWelcomed()) {
        giveUp = System.nanoTime() + config.giveUpAfter.toNanos();
        moves = 0;
      }
      if (session.isProgress()) {
        pause = config.minBackoff;
      }
      if (!session.moved().isEmpty() && moves < MOST_MOVES) {
        address = session.moved();
        moves++;
        continue;
      }
      address = config.server;
      moves = 0;
      var wait = (long) (pause.toNanos() * ThreadLocalRandom.current().nextDouble(0.5, 1.0));
      if (System.nanoTime() + wait - giveUp > 0) {
        var text = "no session at %s within %s; last: %s";
        throw new PalioException(
            failure.code(),
            PalioException.NO_SERVER,
            text.formatted(config.server, config.giveUpAfter, failure.getMessage()));
      }
      log("connection lost, trying again in " + wait / 1_000_000 + " ms: " + failure.getMessage());
      if (sleep(wait)) {
        return;
      }
      pause = pause.multipliedBy(2).compareTo(config.maxBackoff) < 0 ? pause.multipliedBy(2) : config.maxBackoff;
    }
  }

  private synchronized boolean isDone() {
    return leaving && rooms.isEmpty();
  }

  /** Waits for so many nanoseconds, or until nothing is left to do; returns whether nothing is. */
  private synchronized boolean sleep(long nanos) throws InterruptedException {
    var end = System.nanoTime() + nanos;
    for (long left; !isDone() && (left = end - System.nanoTime()) > 0; ) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return isDone();
  }

  /** Lets players take in their last results. */
  private synchronized void finishCalls() throws InterruptedException {
    while (!closing.stream().allMatch(Room::isIdle)) {
      wait();
    }
  }

  synchronized PlayRequest hello() {
    var hello =
        Hello.newBuilder()
            .setToken(config.token)
            .setBotName(config.name == null ? "java-bot" : config.name)
            .setBotVersion(config.botVersion)
            .setSdk("palio-java/" + Config.VERSION)
            .setProtocolVersion(Config.PROTOCOL_VERSION)
            .addAllGames(config.games)
            .setMaxConcurrentMatches(config.concurrent);
    rooms.forEach((id, room) -> hello.putResume(id, room.lastSeq));
    return PlayRequest.newBuilder().setHello(hello).build();
  }

  /** Opens a session for everybody and says again what may have been lost with the last one. */
  synchronized void opened(Session session) {
    open = session;
    rooms.values().forEach(Room::resume);
    if (leaving) {
      send(Requests.leave());
    }
  }

  synchronized void closed(Session session) {
    if (open == session) {
      open = null;
    }
  }

  /** Takes in one update about a match. Returns an error where updates are missing before it, else null. */
  synchronized PalioException handle(Update update) {
    var id = update.getMatchId();
    var seq = update.getSeq();
    var room = rooms.get(id);
    if (room == null) {
      if (update.hasMatchStarted() && update.getMatchStarted().getAttempt() > ended.getOrDefault(id, -1)) {
        var opened = new Room(this, this, pool, id, seq, update.getMatchStarted());
        rooms.put(id, opened);
        opened.open();
      } else if (update.hasRefused()) {
        refused(id, update.getRefused());
      }
      return null;
    }
    if (seq != 0) {
      if (Long.compareUnsigned(seq, room.lastSeq) <= 0) {
        return null;
      }
      if (seq != room.lastSeq + 1) {
        var text = "match %s: update %d came after %d".formatted(id, seq, room.lastSeq);
        return new PalioException(Status.Code.UNAVAILABLE, "", text);
      }
      room.lastSeq = seq;
    }
    if (update.hasRefused()) {
      refused(id, update.getRefused());
    } else {
      room.handle(update);
    }
    if (update.hasMatchEnded()) {
      forget(room);
    }
    return null;
  }

  /** Drops a match that ended and leaves when it was the last one wanted. */
  private void forget(Room room) {
    rooms.remove(room.id());
    closing.removeIf(Room::isIdle);
    closing.add(room);
    ended.remove(room.id());
    ended.put(room.id(), room.started().getAttempt());
    finished++;
    if (finished == config.matches) {
      leave();
    }
  }

  void refused(String matchId, Refused refused) {
    log("refused (%s) %s %s: %s".formatted(refused.getReason(), matchId, refused.getField(), refused.getText()));
  }

  @Override
  public Player start(Match match) throws Exception {
    return bot.start(match);
  }

  @Override
  public synchronized boolean send(PlayRequest request) {
    if (open != null) {
      open.send(request);
    }
    return open != null;
  }

  @Override
  public void log(String line) {
    config.log.accept(line);
  }

  @Override
  public Catalogue catalogue(String game) {
    synchronized (catalogues) {
      return catalogues.computeIfAbsent(game, id -> getGame(id, config).getCatalogue());
    }
  }

  /**
   * Asks a server for a game and its cards as data.
   *
   * @throws PalioException the server does not tell
   */
  public static GetGameResponse getGame(String game, Config config) {
    var channel = config.channel();
    try {
      var authorized =
          ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(config.authorization()));
      var request = GetGameRequest.newBuilder().setGame(game).build();
      var options = CallOptions.DEFAULT.withDeadlineAfter(CATALOGUE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      return ClientCalls.blockingUnaryCall(authorized, Rpc.GET_GAME, options, request);
    } catch (io.grpc.StatusRuntimeException failure) {
      throw PalioException.of(failure);
    } finally {
      channel.shutdownNow();
    }
  }
}
