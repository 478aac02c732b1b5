package palio.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import palio.v1.ChoiceAccepted;
import palio.v1.ChoiceRejected;
import palio.v1.Clock;
import palio.v1.Decision;
import palio.v1.Event;
import palio.v1.Events;
import palio.v1.Goodbye;
import palio.v1.GoodbyeReason;
import palio.v1.Hello;
import palio.v1.MatchEnded;
import palio.v1.MatchResult;
import palio.v1.MatchStarted;
import palio.v1.Option;
import palio.v1.Ping;
import palio.v1.PlayRequest;
import palio.v1.PlayResponse;
import palio.v1.RejectionReason;
import palio.v1.Update;
import palio.v1.Welcome;

/** A server that does nothing by itself: the test speaks for it. */
final class Peer implements AutoCloseable {
  /** Only ever waited for by a test that fails, in seconds. */
  static final int PATIENCE = 10;

  private final Server server;
  private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();

  Peer() throws IOException {
    var play = ServerCalls.<PlayRequest, PlayResponse>asyncBidiStreamingCall(this::accept);
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(ServerServiceDefinition.builder("palio.v1.PlayService").addMethod(Rpc.PLAY, play).build())
            .build()
            .start();
  }

  private StreamObserver<PlayRequest> accept(StreamObserver<PlayResponse> responses) {
    var line = new Line(responses);
    lines.add(line);
    return line;
  }

  String address() {
    return "localhost:" + server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    var item = queue.poll(PATIENCE, TimeUnit.SECONDS);
    assertNotNull(item, "nothing came");
    return item;
  }

  /** Waits for the next stream and its Hello. */
  Line accept() throws InterruptedException {
    var line = next(lines);
    var first = next(line.received);
    assertTrue(first.hasHello(), "the first message is Hello");
    line.hello = first.getHello();
    return line;
  }

  /** Accepts the next stream and opens the session. */
  Line welcome() throws InterruptedException {
    var line = accept();
    var welcome = Welcome.newBuilder().setPlayerId("me").setProtocolVersion(1);
    line.say(Update.newBuilder().setWelcome(welcome));
    return line;
  }

  /** One stream of the client's, in the hands of the test. */
  static final class Line implements StreamObserver<PlayRequest> {
    final BlockingQueue<PlayRequest> received = new LinkedBlockingQueue<>();
    final Map<String, Long> seq = new HashMap<>();
    Hello hello;
    private final StreamObserver<PlayResponse> responses;

    Line(StreamObserver<PlayResponse> responses) {
      this.responses = responses;
    }

    @Override
    public void onNext(PlayRequest request) {
      received.add(request);
    }

    @Override
    public void onError(Throwable broken) {}

    @Override
    public void onCompleted() {}

    void say(Update.Builder... updates) {
      var response = PlayResponse.newBuilder();
      Arrays.stream(updates).forEach(response::addUpdates);
      responses.onNext(response.build());
    }

    /** Numbers an update on a match. */
    Update.Builder about(String match, Update.Builder update) {
      return update.setMatchId(match).setSeq(seq.merge(match, 1L, Long::sum));
    }

    void end() {
      responses.onCompleted();
    }

    void end(Throwable failure) {
      responses.onError(failure);
    }

    void expect(PlayRequest want) throws InterruptedException {
      assertEquals(want, next(received));
    }

    /** The same for several messages in any order. */
    void expectAll(PlayRequest... want) throws InterruptedException {
      var got = new HashSet<PlayRequest>();
      for (var i = 0; i < want.length; i++) {
        got.add(next(received));
      }
      assertEquals(new HashSet<>(Arrays.asList(want)), got);
    }

    /** Makes sure that nothing was said before now. */
    void quiet() throws InterruptedException {
      say(Update.newBuilder().setPing(Ping.newBuilder().setNonce(4711)));
      expect(Requests.pong(4711));
    }

    /** Starts a match and waits for its Ready. */
    void begin(String match) throws InterruptedException {
      say(about(match, started(1)));
      expect(Requests.ready(match));
    }
  }

  static Update.Builder started(int attempt) {
    return Update.newBuilder()
        .setMatchStarted(
            MatchStarted.newBuilder()
                .setSeat(1)
                .setGame("fidelitas")
                .addPlayers("you")
                .addPlayers("me")
                .setAttempt(attempt));
  }

  static Update.Builder decision(long id) {
    var decision =
        Decision.newBuilder()
            .setDecisionId(id)
            .setKind("PLAY_CARD")
            .addOptions(Option.getDefaultInstance())
            .addOptions(Option.getDefaultInstance());
    decision.setClock(Clock.newBuilder().setRemaining(com.google.protobuf.Duration.newBuilder().setSeconds(3600)));
    return Update.newBuilder().setDecision(decision);
  }

  static Update.Builder events() {
    return Update.newBuilder().setEvents(Events.newBuilder().addEvents(Event.getDefaultInstance()));
  }

  static Update.Builder accepted(long id) {
    return Update.newBuilder().setChoiceAccepted(ChoiceAccepted.newBuilder().setDecisionId(id));
  }

  static Update.Builder rejected(long id, RejectionReason reason, int triesLeft) {
    return Update.newBuilder()
        .setChoiceRejected(
            ChoiceRejected.newBuilder().setDecisionId(id).setReason(reason).setTriesLeft(triesLeft));
  }

  static Update.Builder ended() {
    return Update.newBuilder()
        .setMatchEnded(MatchEnded.newBuilder().setResult(MatchResult.newBuilder().setEndedBy("target")));
  }

  static Update.Builder goodbye(GoodbyeReason reason) {
    return Update.newBuilder().setGoodbye(Goodbye.newBuilder().setReason(reason));
  }
}
