package palio.fidelitas;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import palio.fidelitas.v1.Catalogue;
import palio.fidelitas.v1.CharacterInfo;
import palio.fidelitas.v1.DecisionKind;
import palio.fidelitas.v1.GameOptions;
import palio.fidelitas.v1.MissioCard;
import palio.fidelitas.v1.Observation;
import palio.fidelitas.v1.Option;

/** Plays Fidelitas as docs/greedy.md prescribes. */
public final class Greedy {
  final Judge judge;
  final Map<Integer, CharacterInfo> characters = new HashMap<>();
  final Map<Integer, MissioCard> missio = new HashMap<>();

  /** Takes the Missio cards from the match's options where it has a deck of its own, else from the catalogue. */
  public Greedy(Catalogue catalogue, GameOptions options) {
    judge = new Judge(catalogue);
    for (var info : catalogue.getCharactersList()) {
      characters.put(info.getCharacterValue(), info);
    }
    var custom = options.getDeck().getMissioList();
    for (var card : custom.isEmpty() ? catalogue.getMissioList() : custom) {
      missio.put(missio.size() + 1, card);
    }
  }

  /** The index of the option to choose. */
  public int choose(Observation observation, List<Option> options) {
    var kind = observation.getAsking().getKind();
    if (kind == DecisionKind.DECISION_KIND_UNSPECIFIED || kind == DecisionKind.UNRECOGNIZED) {
      return 0;
    }
    var thought = new Thought(this, observation);
    var best = 0;
    var largest = 0;
    for (var i = 0; i < options.size(); i++) {
      var value = thought.value(options.get(i));
      if (i == 0 || value > largest) {
        best = i;
        largest = value;
      }
    }
    return best;
  }
}
