package palio.client;

import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import palio.v1.Goodbye;
import palio.v1.GoodbyeReason;
import palio.v1.PlayRequest;
import palio.v1.PlayResponse;
import palio.v1.Update;
import palio.v1.Welcome;

/** One stream. Its methods are called by gRPC's threads, one at a time; sending is locked by the session. */
final class Session implements ClientResponseObserver<PlayRequest, PlayResponse> {
  /** How long one try waits for Welcome. */
  private static final Duration WELCOME_TIMEOUT = Duration.ofSeconds(10);

  /** After how many heartbeats without any message the connection is taken for dead. */
  private static final int MISSED_HEARTBEATS = 3;

  private static final ScheduledExecutorService TIMER = timer();

  private final Client client;
  private final String address;

  /** True where the bot left and all is done; fails with why the stream ended otherwise. */
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();

  private ClientCallStreamObserver<PlayRequest> call;
  private ScheduledFuture<?> watchdog;
  private long silenceNanos;
  private volatile boolean welcomed;
  private volatile boolean progress;
  private volatile String moved = "";
  private PalioException failure;

  Session(Client client, String address) {
    this.client = client;
    this.address = address;
  }

  private static ScheduledExecutorService timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1,
            runnable -> {
              var thread = new Thread(runnable, "palio-watchdog");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Opens a stream and plays on it until it ends. Returns whether the bot left and all is done. */
  boolean play(long nanosLeft) throws InterruptedException {
    var channel = client.config.channel(address);
    try {
      limitSilence(Math.max(1, Math.min(WELCOME_TIMEOUT.toNanos(), nanosLeft)));
      ClientCalls.asyncBidiStreamingCall(channel.newCall(Rpc.PLAY, CallOptions.DEFAULT), this);
      send(client.hello());
      return end.get();
    } catch (ExecutionException ended) {
      failure = (PalioException) ended.getCause();
      return false;
    } finally {
      client.closed(this);
      limitSilence(0);
      channel.shutdownNow();
    }
  }

  /** Why the stream ended. */
  PalioException failure() {
    return failure;
  }

  boolean isWelcomed() {
    return welcomed;
  }

  /** Whether the session was good for something. */
  boolean isProgress() {
    return progress;
  }

  /** Where to go on at once; empty unless the server said so. */
  String moved() {
    return moved;
  }

  synchronized void send(PlayRequest request) {
    if (!end.isDone()) {
      call.onNext(request);
    }
  }

  /** From now on the server must not be silent for longer; 0 sets no limit. */
  private synchronized void limitSilence(long nanos) {
    silenceNanos = nanos;
    heard();
  }

  private synchronized void heard() {
    if (watchdog != null) {
      watchdog.cancel(false);
    }
    watchdog = silenceNanos == 0 ? null : TIMER.schedule(this::silent, silenceNanos, TimeUnit.NANOSECONDS);
  }

  private void silent() {
    fail(new PalioException(Status.Code.UNAVAILABLE, "", "the server is silent"));
  }

  private void fail(PalioException why) {
    end.completeExceptionally(why);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<PlayRequest> requests) {
    call = requests;
  }

  @Override
  public void onNext(PlayResponse response) {
    heard();
    for (var update : response.getUpdatesList()) {
      if (end.isDone()) {
        return;
      }
      handle(update);
    }
  }

  @Override
  public void onError(Throwable error) {
    fail(PalioException.of(error));
  }

  @Override
  public void onCompleted() {
    fail(new PalioException(Status.Code.UNAVAILABLE, "", "the server closed the stream"));
  }

  private void handle(Update update) {
    if (update.hasPing()) {
      progress = true;
      send(Requests.pong(update.getPing().getNonce()));
    } else if (!update.getMatchId().isEmpty()) {
      progress = true;
      var missing = client.handle(update);
      if (missing != null) {
        fail(missing);
      }
    } else if (update.hasWelcome()) {
      welcome(update.getWelcome());
    } else if (update.hasRefused()) {
      client.refused("", update.getRefused());
    } else if (update.hasGoodbye()) {
      goodbye(update.getGoodbye());
    }
  }

  private void welcome(Welcome welcome) {
    welcomed = true;
    var heartbeat = welcome.getHeartbeat();
    var nanos = Duration.ofSeconds(heartbeat.getSeconds(), heartbeat.getNanos()).toNanos();
    limitSilence(MISSED_HEARTBEATS * nanos);
    client.opened(this);
  }

  private void goodbye(Goodbye goodbye) {
    if (goodbye.getReason() == GoodbyeReason.GOODBYE_REASON_MOVED) {
      moved = goodbye.getAddress();
    }
    switch (goodbye.getReason()) {
      case GOODBYE_REASON_LEFT -> end.complete(true);
      case GOODBYE_REASON_REPLACED ->
          fail(
              new PalioException(
                  Status.Code.FAILED_PRECONDITION,
                  PalioException.REPLACED,
                  "a newer session of this player took over: " + goodbye.getText()));
      case GOODBYE_REASON_PROTOCOL ->
          fail(
              new PalioException(
                  Status.Code.INVALID_ARGUMENT,
                  PalioException.PROTOCOL,
                  "the server says that the bot broke the protocol: " + goodbye.getText()));
      default -> // moved, draining, unresponsive, and whatever else may come to be
          fail(
              new PalioException(
                  Status.Code.UNAVAILABLE,
                  "",
                  "the server said goodbye (" + goodbye.getReason() + "): " + goodbye.getText()));
    }
  }
}
