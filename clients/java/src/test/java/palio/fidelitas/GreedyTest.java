package palio.fidelitas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import palio.fidelitas.v1.Catalogue;
import palio.fidelitas.v1.GameOptions;
import palio.fidelitas.v1.MissioCard;
import palio.v1.GetGameResponse;
import palio.v1.Option;
import palio.v1.PlayResponse;

class GreedyTest {
  /** One of the files that all SDKs are tested with. */
  private static byte[] vectors(String name) throws IOException {
    return Files.readAllBytes(Path.of("..", "..", "tests", "vectors", name));
  }

  private static Catalogue catalogue() throws IOException {
    return GetGameResponse.parseFrom(vectors("catalogue.binpb")).getCatalogue().getFidelitas();
  }

  @Test
  void choosesAsInEveryOtherLanguage() throws IOException {
    var cards = catalogue();
    Greedy greedy = null;
    var decisions = 0;
    for (var update : PlayResponse.parseFrom(vectors("greedy.binpb")).getUpdatesList()) {
      if (update.hasMatchStarted()) {
        greedy = new Greedy(cards, update.getMatchStarted().getOptions().getFidelitas());
        continue;
      }
      var decision = update.getDecision();
      var options = decision.getOptionsList().stream().map(Option::getFidelitas).toList();
      assertEquals(
          decision.getAnswered(),
          greedy.choose(decision.getObservation().getFidelitas(), options),
          () -> update.getMatchId() + ", decision " + decision.getDecisionId() + ", " + decision.getKind());
      decisions++;
    }
    assertTrue(decisions > 500);
  }

  @Test
  void judgesMissioConditions() throws IOException {
    var greedy = new Greedy(catalogue(), GameOptions.getDefaultInstance());
    var city =
        City.of(
            new int[][] {
              {1, 3, 5, 7}, {}, {14}, {}, {9, 14}, {11}, {}, {1, 2}, {10, 10}, {9, 9, 9, 9, 9, 9, 9},
            });
    var locations = City.locations(false);
    var met = new TreeSet<Integer>();
    greedy.missio.forEach(
        (id, card) -> {
          if (greedy.judge.isMet(card, city, locations)) {
            met.add(id);
          }
        });
    assertEquals("[1, 13, 20]", met.toString());
    assertFalse(greedy.judge.isMet(MissioCard.newBuilder().setPoints(1).build(), city, locations), "unknown kind");
  }
}
