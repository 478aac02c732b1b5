package palio.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static palio.client.Peer.next;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import palio.fidelitas.v1.Option.HandCard;
import palio.v1.GoodbyeReason;
import palio.v1.Hello;
import palio.v1.MatchEnded;
import palio.v1.Option;
import palio.v1.RejectionReason;
import palio.v1.Update;
import palio.v1.Welcome;

class ClientTest {
  private Peer peer;

  @BeforeEach
  void start() throws IOException {
    peer = new Peer();
  }

  @AfterEach
  void stop() {
    peer.close();
  }

  private Config config() {
    return new Config(Map.of()).server(peer.address());
  }

  @Test
  void helloSaysWhoTheBotIs() throws InterruptedException {
    try (var bot = new TestedBot(config().concurrent(3).games("fidelitas"))) {
      var want =
          Hello.newBuilder()
              .setToken("secret")
              .setBotName("tested")
              .setSdk("palio-java/0.1.0")
              .setProtocolVersion(1)
              .addGames("fidelitas")
              .setMaxConcurrentMatches(3);
      assertEquals(want.build(), peer.welcome().hello);
      assertTrue(bot.players.isEmpty());
    }
  }

  @Test
  void matchFromStartToLeave() throws InterruptedException {
    try (var bot = new TestedBot(config().matches(1))) {
      var line = peer.welcome();
      line.begin("m");
      var player = next(bot.players);
      assertEquals("m", player.match.id());
      assertEquals(1, player.match.started().getSeat());
      line.say(line.about("m", Peer.events()), line.about("m", Peer.decision(1)));
      var asked = next(player.asked);
      assertInstanceOf(List.class, next(player.seen), "events come before the decision that depends on them");
      assertTrue(asked.remaining().orElseThrow().compareTo(Duration.ofHours(1)) <= 0);
      assertTrue(asked.deadline().orElseThrow().isAfter(Instant.now()));
      player.answers.add(1);
      line.expect(Requests.choose("m", 1, 1));
      line.say(line.about("m", Peer.accepted(1)), line.about("m", Peer.ended()));
      assertEquals("target", ((MatchEnded) next(player.seen)).getResult().getEndedBy());
      line.expect(Requests.leave());
      line.say(Peer.goodbye(GoodbyeReason.GOODBYE_REASON_LEFT));
      assertNull(bot.result());
    }
  }

  @Test
  void pingsAreAnsweredAndOtherMatchesGoOnWhileOneThinks() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("slow");
      var slow = next(bot.players);
      line.begin("quick");
      var quick = next(bot.players);
      line.say(line.about("slow", Peer.decision(1)));
      next(slow.asked);
      line.quiet(); // a Ping is answered
      quick.answers.add(0);
      line.say(line.about("quick", Peer.decision(1)));
      line.expect(Requests.choose("quick", 1, 0));
      slow.answers.add(1);
      line.expect(Requests.choose("slow", 1, 1));
    }
  }

  @Test
  void reconnectionResumesAndAnswersAgain() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      var player = next(bot.players);
      line.say(line.about("m", Peer.decision(1)));
      player.answers.add(1);
      line.expect(Requests.choose("m", 1, 1));
      line.end(Status.UNAVAILABLE.asRuntimeException());

      line = peer.welcome();
      assertEquals(Map.of("m", 2L), line.hello.getResumeMap());
      line.expect(Requests.choose("m", 1, 1));
      line.say(line.about("m", Peer.started(1)), line.about("m", Peer.decision(1))); // seq 1 and 2 again
      line.say(line.about("m", Peer.accepted(1)), line.about("m", Peer.decision(2)));
      player.answers.add(0);
      line.expect(Requests.choose("m", 2, 0));
      assertEquals(2, player.asked.size());
    }
  }

  @Test
  void readyIsSaidAgainUnlessTheServerHeardIt() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      line.end(); // a stream that ends without Goodbye is a lost connection
      line = peer.welcome();
      line.expect(Requests.ready("m"));
      line.seq.put("m", 1L);
      line.say(line.about("m", Peer.events()));
      line.quiet();
      line.end();
      peer.welcome().quiet();
      assertEquals(1, bot.players.size());
    }
  }

  @Test
  void gapLeadsToResume() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      line.about("m", Peer.events()); // lost
      line.say(line.about("m", Peer.decision(1)));
      line = peer.welcome();
      assertEquals(Map.of("m", 1L), line.hello.getResumeMap());
      line.seq.put("m", 1L);
      line.say(line.about("m", Peer.events()), line.about("m", Peer.decision(1)));
      next(next(bot.players).asked);
    }
  }

  @Test
  void historyIsNotAsked() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      var history = Peer.decision(1);
      history.getDecisionBuilder().setAnswered(0);
      line.say(line.about("m", history), line.about("m", Peer.decision(2)));
      assertEquals(2, next(next(bot.players).asked).id());
    }
  }

  @Test
  void answerThatComesTooLateIsDropped() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      var player = next(bot.players);
      line.say(line.about("m", Peer.decision(1)));
      var asked = next(player.asked);
      assertTrue(asked.isOpen());
      line.say(line.about("m", Peer.accepted(1)), line.about("m", Peer.decision(2)));
      next(player.asked); // the player returned
      assertFalse(asked.isOpen());
      player.answers.add(1);
      line.expect(Requests.choose("m", 2, 1));
    }
  }

  @Test
  void rejectedChoiceIsAskedAgainWhileTriesAreLeft() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      var player = next(bot.players);
      line.say(line.about("m", Peer.decision(1)));
      player.answers.add(7);
      line.expect(Requests.choose("m", 1, 7));
      line.say(line.about("m", Peer.rejected(1, RejectionReason.REJECTION_REASON_STALE, 2)));
      var illegal = Peer.rejected(1, RejectionReason.REJECTION_REASON_ILLEGAL, 1);
      line.say(line.about("m", illegal));
      assertEquals(illegal.getChoiceRejected(), next(player.seen));
      player.answers.add(8);
      line.expect(Requests.choose("m", 1, 8));
      line.say(line.about("m", Peer.rejected(1, RejectionReason.REJECTION_REASON_ILLEGAL, 0)));
      next(player.seen);
      line.quiet();
      assertEquals(2, player.asked.size());
    }
  }

  @Test
  void botThatFailsLosesOnlyThatMatch() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("bad");
      var bad = next(bot.players);
      line.begin("good");
      var good = next(bot.players);
      bad.answers.add(TestedBot.Scripted.FAILING);
      line.say(line.about("bad", Peer.decision(1)));
      line.expect(Requests.resign("bad"));
      good.answers.add(1);
      line.say(line.about("good", Peer.decision(1)));
      line.expect(Requests.choose("good", 1, 1));
      line.end();
      peer.welcome().expectAll(Requests.resign("bad"), Requests.choose("good", 1, 1));
    }
  }

  @Test
  void refusalIsFinalAndTyped() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var info = ErrorInfo.newBuilder().setReason("UNAUTHENTICATED").setDomain("palio").putMetadata("a", "b").build();
      var field = BadRequest.FieldViolation.newBuilder().setField("hello.token");
      var status =
          com.google.rpc.Status.newBuilder()
              .setCode(Code.UNAUTHENTICATED_VALUE)
              .setMessage("unknown token")
              .addDetails(Any.pack(info))
              .addDetails(Any.pack(BadRequest.newBuilder().addFieldViolations(field).build()));
      peer.accept().end(StatusProto.toStatusRuntimeException(status.build()));
      var error = bot.result();
      assertEquals(Status.Code.UNAUTHENTICATED, error.code());
      assertEquals("UNAUTHENTICATED", error.reason());
      assertEquals("hello.token", error.field());
      assertEquals(Map.of("a", "b"), error.metadata());
      assertEquals("UNAUTHENTICATED: hello.token: unknown token", error.getMessage());
    }
  }

  @Test
  void fullServerIsTriedAgain() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      for (var status : List.of(Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED, Status.INTERNAL)) {
        peer.accept().end(status.asRuntimeException());
      }
      peer.welcome();
      assertTrue(bot.players.isEmpty());
    }
  }

  @Test
  void withoutServerTheBotGivesUp() throws InterruptedException {
    try (var bot = new TestedBot(config().server("unix:/nowhere/at/all").giveUpAfter(Duration.ofMillis(50)))) {
      assertEquals(PalioException.NO_SERVER, bot.result().reason());
    }
  }

  @ParameterizedTest
  @CsvSource({"GOODBYE_REASON_REPLACED, REPLACED", "GOODBYE_REASON_PROTOCOL, PROTOCOL"})
  void goodbyeThatEndsTheBot(GoodbyeReason reason, String want) throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      peer.welcome().say(Peer.goodbye(reason));
      assertEquals(want, bot.result().reason());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"GOODBYE_REASON_DRAINING", "GOODBYE_REASON_UNRESPONSIVE"})
  void goodbyeAfterWhichTheBotComesBack(GoodbyeReason reason) throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      peer.welcome().say(Peer.goodbye(reason));
      peer.welcome();
      assertTrue(bot.players.isEmpty());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 99})
  void unknownGoodbyeAfterWhichTheBotComesBack(int reason) throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var goodbye = Peer.goodbye(GoodbyeReason.GOODBYE_REASON_UNSPECIFIED);
      goodbye.getGoodbyeBuilder().setReasonValue(reason);
      peer.welcome().say(goodbye);
      peer.welcome();
      assertTrue(bot.players.isEmpty());
    }
  }

  @Test
  void leaveFinishesWhatRunsEvenOverALostConnection() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      var player = next(bot.players);
      bot.client.leave();
      line.expect(Requests.leave());
      line.end();
      line = peer.welcome();
      line.expectAll(Requests.ready("m"), Requests.leave());
      line.seq.put("m", 1L);
      player.answers.add(0);
      line.say(line.about("m", Peer.decision(1)));
      line.expect(Requests.choose("m", 1, 0));
      line.say(line.about("m", Peer.ended()), Peer.goodbye(GoodbyeReason.GOODBYE_REASON_LEFT));
      assertNull(bot.result());
    }
  }

  @Test
  void endedMatchDoesNotStartAgainButItsNextAttemptDoes() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      line.say(line.about("m", Peer.ended()));
      line.seq.clear();
      line.say(line.about("m", Peer.started(1)), line.about("m", Peer.ended()));
      line.quiet();
      line.seq.clear();
      line.say(line.about("m", Peer.started(2)));
      line.expect(Requests.ready("m"));
      assertEquals(2, bot.players.size());
    }
  }

  @Test
  void silentServerIsLeftAndFoundAgain() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var heartbeat = com.google.protobuf.Duration.newBuilder().setNanos(10_000_000);
      peer.accept().say(Update.newBuilder().setWelcome(Welcome.newBuilder().setHeartbeat(heartbeat)));
      peer.welcome();
      assertTrue(bot.players.isEmpty());
    }
  }

  @Test
  void whatIsUnknownIsTolerated() throws InterruptedException {
    try (var bot = new TestedBot(peer)) {
      var line = peer.welcome();
      line.begin("m");
      var player = next(bot.players);
      var field = UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.copyFromUtf8("later")).build();
      var unknown = UnknownFieldSet.newBuilder().addField(2000, field).build();
      line.say(Update.newBuilder().setUnknownFields(unknown));
      line.say(line.about("m", Update.newBuilder().setUnknownFields(unknown)));
      var strange = Peer.rejected(1, RejectionReason.REJECTION_REASON_UNSPECIFIED, 1);
      strange.getChoiceRejectedBuilder().setReasonValue(77);
      line.say(line.about("m", strange));
      var asking = Peer.decision(1).setUnknownFields(unknown);
      var card = palio.fidelitas.v1.Option.newBuilder().setHandCard(HandCard.newBuilder().setCharacterValue(99));
      asking.getDecisionBuilder().setOptions(1, Option.newBuilder().setFidelitas(card));
      line.say(line.about("m", asking));
      var option = next(player.asked).options().get(1);
      assertEquals(99, option.getFidelitas().getHandCard().getCharacterValue());
      player.answers.add(0);
      line.expect(Requests.choose("m", 1, 0));
    }
  }
}
