package palio.client;

import palio.v1.Choose;
import palio.v1.Leave;
import palio.v1.PlayRequest;
import palio.v1.Pong;
import palio.v1.Ready;
import palio.v1.Resign;
import palio.v1.Signal;
import palio.v1.Words;

/** What a bot says. */
final class Requests {
  private Requests() {}

  static PlayRequest ready(String matchId) {
    return PlayRequest.newBuilder().setReady(Ready.newBuilder().setMatchId(matchId)).build();
  }

  static PlayRequest choose(String matchId, long decisionId, int option) {
    var choose = Choose.newBuilder().setMatchId(matchId).setDecisionId(decisionId).setOption(option);
    return PlayRequest.newBuilder().setChoose(choose).build();
  }

  static PlayRequest resign(String matchId) {
    return PlayRequest.newBuilder().setResign(Resign.newBuilder().setMatchId(matchId)).build();
  }

  static PlayRequest signal(String matchId, palio.fidelitas.v1.Words words) {
    var signal = Signal.newBuilder().setMatchId(matchId).setWords(Words.newBuilder().setFidelitas(words));
    return PlayRequest.newBuilder().setSignal(signal).build();
  }

  static PlayRequest pong(long nonce) {
    return PlayRequest.newBuilder().setPong(Pong.newBuilder().setNonce(nonce)).build();
  }

  static PlayRequest leave() {
    return PlayRequest.newBuilder().setLeave(Leave.getDefaultInstance()).build();
  }
}
