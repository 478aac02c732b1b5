package palio.fidelitas;

import static palio.fidelitas.v1.DecisionKind.DECISION_KIND_DISCARD_CARD;
import static palio.fidelitas.v1.DecisionKind.DECISION_KIND_DRAW_CARD;
import static palio.fidelitas.v1.DecisionKind.DECISION_KIND_PLACE_THIEF;
import static palio.fidelitas.v1.DecisionKind.DECISION_KIND_SCORE_MISSIO;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import palio.fidelitas.v1.BoardCard;
import palio.fidelitas.v1.BrokerDirection;
import palio.fidelitas.v1.Character;
import palio.fidelitas.v1.DecisionKind;
import palio.fidelitas.v1.Location;
import palio.fidelitas.v1.MissioCard;
import palio.fidelitas.v1.Observation;
import palio.fidelitas.v1.Option;
import palio.fidelitas.v1.PriestChoice;

/** One decision of {@link Greedy} being made. */
final class Thought {
  /** Weights by distance; what is farther away counts nothing. */
  private static final int[] WEIGHTS = {1000, 300, 100, 30, 10, 3, 1};

  /** What two cards more, or another one's loss, are worth in City value. */
  private static final int CARDS = 40;

  private static final int SOLDIER = Character.CHARACTER_SOLDIER_VALUE;
  private static final int THIEF = Character.CHARACTER_THIEF_VALUE;
  private static final int LAST_CHARACTER = Character.CHARACTER_SWINDLER_VALUE;
  private static final int MARKET = Location.LOCATION_MARKET_VALUE;
  private static final int WAREHOUSE = Location.LOCATION_WAREHOUSE_VALUE;

  /** Whether a card may go from one location to another. */
  private interface Way {
    boolean isOpen(int character, int to);
  }

  private static final Way ANY = (character, to) -> true;

  private final Greedy cards;
  private final Observation seen;
  private final DecisionKind kind;
  private final Character acting;
  private final int[] locations;
  private final List<MissioCard> mine;

  private City city; // after what was picked before
  private Option.Broker broker = Option.Broker.getDefaultInstance();
  private BoardCard held; // picked, not put down yet
  private int last; // where a card was put down last; 0 for nowhere

  Thought(Greedy cards, Observation seen) {
    this.cards = cards;
    this.seen = seen;
    kind = seen.getAsking().getKind();
    acting = seen.getAsking().getCharacter();
    locations = City.locations(seen.getPlayers() == 1);
    mine = seen.getOwn().getMissioList().stream().filter(cards.missio::containsKey).map(cards.missio::get).toList();
    city = City.of(seen);
    seen.getAsking().getPicksList().forEach(this::replay);
  }

  /** Carries out what was picked before in the action. */
  private void replay(Option pick) {
    switch (pick.getChoiceCase()) {
      case BROKER -> broker = pick.getBroker();
      case CARD -> {
        var card = pick.getCard();
        if (removes()) {
          city = city.lift(card.getLocationValue(), card.getCharacterValue());
        } else if (gathers()) {
          city = city.move(card.getLocationValue(), card.getCharacterValue(), broker.getLocationValue());
        } else {
          held = card;
        }
      }
      case DESTINATION -> {
        last = pick.getDestination().getLocationValue();
        city = putDown(last);
        held = null;
      }
      default -> {}
    }
  }

  /** The value of one option. */
  int value(Option option) {
    switch (option.getChoiceCase()) {
      case PLAY -> {
        var play = option.getPlay();
        return kind == DECISION_KIND_PLACE_THIEF
            ? value(city.put(play.getLocationValue(), THIEF))
            : play(play.getCharacterValue(), play.getLocationValue());
      }
      case CARD -> {
        var x = option.getCard().getLocationValue();
        var p = option.getCard().getCharacterValue();
        return kind == DECISION_KIND_DRAW_CARD ? hand(p, city.lift(x, p)) : pick(x, p);
      }
      case DESTINATION -> {
        return value(putDown(option.getDestination().getLocationValue()));
      }
      case BROKER -> {
        return direction(option.getBroker());
      }
      case HAND_CARD -> {
        var value = hand(option.getHandCard().getCharacterValue(), city);
        return kind == DECISION_KIND_DISCARD_CARD ? -value : value;
      }
      case PAIR -> {
        var pair = option.getPair();
        var x = pair.getLocationValue();
        return value(city.lift(x, pair.getCharacterAValue()).lift(x, pair.getCharacterBValue()));
      }
      case DRAW_TWO -> {
        return value(city) + CARDS;
      }
      case PRIEST -> {
        var few = seen.getOwn().getMissioCount() < 2;
        var wanted = few ? PriestChoice.PRIEST_CHOICE_MISSIO : PriestChoice.PRIEST_CHOICE_VIRTUS;
        return option.getPriest().getChoice() == wanted ? 1 : 0;
      }
      case MISSIO -> {
        var card = cards.missio.getOrDefault(option.getMissio().getId(), MissioCard.getDefaultInstance());
        return kind == DECISION_KIND_SCORE_MISSIO ? card.getPoints() : -worth(card, city.cleared());
      }
      case PASS -> {
        return kind == DECISION_KIND_SCORE_MISSIO ? 0 : value(city);
      }
      case DECK -> {
        var sum = 0;
        for (var a = 1; a <= LAST_CHARACTER; a++) {
          sum += hand(a, city);
        }
        return Math.floorDiv(sum, LAST_CHARACTER);
      }
      default -> {
        return 0;
      }
    }
  }

  /** The Missio cards at hand, weighted by how near they are. */
  private int value(City imagined) {
    var after = imagined.cleared();
    var sum = 0;
    for (var card : mine) {
      sum += worth(card, after);
    }
    return sum;
  }

  private int worth(MissioCard card, City imagined) {
    var distance = cards.judge.distance(card, imagined, locations);
    return distance < WEIGHTS.length ? card.getPoints() * WEIGHTS[distance] : 0;
  }

  /** The largest value of the Cities; that of the City as it is if there are none. */
  private int best(List<City> cities, City otherwise) {
    return cities.stream().mapToInt(this::value).max().orElseGet(() -> value(otherwise));
  }

  /** The cards of a location that lie above its locked ones. */
  private int[] above(City imagined, int location) {
    var stack = imagined.at(location);
    var locked = location <= seen.getStacksCount() ? seen.getStacks(location - 1).getLocked() : 0;
    return Arrays.copyOfRange(stack, Math.min(locked, stack.length), stack.length);
  }

  /** The same without repetitions. */
  private int[] unlocked(City imagined, int location) {
    return Arrays.stream(above(imagined, location)).distinct().toArray();
  }

  /** Adds every move of a card from x. */
  private void moves(List<City> to, City from, int x, Way way, int... characters) {
    for (var p : characters) {
      for (var y : locations) {
        if (y != x && way.isOpen(p, y)) {
          to.add(from.move(x, p, y));
        }
      }
    }
  }

  /** Adds every swap of (x, p) with an unlocked card elsewhere. */
  private void swaps(List<City> to, City from, int x, int p) {
    for (var y : locations) {
      if (y != x) {
        for (var q : unlocked(from, y)) {
          to.add(from.swap(x, p, y, q));
        }
      }
    }
  }

  /** What a character's action brings apart from the City. */
  private int bonus(int a) {
    return switch (a) {
      case Character.CHARACTER_PROFESSOR_VALUE, Character.CHARACTER_PRIEST_VALUE -> CARDS;
      case THIEF -> {
        var sum = 0;
        for (var seat = 0; seat < seen.getSeatsCount(); seat++) {
          if (seat != seen.getOwn().getSeat() && seen.getSeats(seat).getHandSize() > 2) {
            sum += CARDS;
          }
        }
        yield sum;
      }
      default -> 0;
    };
  }

  /** The value of playing a on location n. */
  private int play(int a, int n) {
    var after = city.put(n, a);
    if (City.isTavern(n) || (a == SOLDIER && City.count(after.at(n), SOLDIER) >= 3)) {
      return value(after);
    }
    var best = best(actions(a, n, after), after);
    return bonus(a) + (a == Character.CHARACTER_CLERK_VALUE ? Math.max(best, value(after) + CARDS) : best);
  }

  /** The Cities that the first step of an action can lead to. */
  private List<City> actions(int a, int n, City from) {
    var to = new ArrayList<City>();
    switch (a) {
      case Character.CHARACTER_SHOPKEEPER_VALUE -> {
        for (var x : locations) {
          for (var p : unlocked(from, x)) {
            swaps(to, from, x, p);
          }
        }
      }
      case Character.CHARACTER_BROKER_VALUE -> {
        for (var x : locations) {
          moves(to, from, x, (p, y) -> isCommerce(x) || isCommerce(y), unlocked(from, x));
        }
      }
      case Character.CHARACTER_BUTCHER_VALUE, Character.CHARACTER_BARRISTER_VALUE -> {
        for (var x : locations) {
          for (var p : unlocked(from, x)) {
            to.add(from.lift(x, p));
          }
        }
      }
      case Character.CHARACTER_BAKER_VALUE -> {
        for (var x : locations) {
          moves(to, from, x, ANY, unlocked(from, x));
        }
      }
      case Character.CHARACTER_CLERK_VALUE -> {
        for (var x : locations) {
          pairs(to, from, x);
        }
      }
      case SOLDIER -> {
        var several = City.count(above(from, n), SOLDIER) >= 2;
        moves(to, from, n, (p, y) -> p != SOLDIER || several, unlocked(from, n));
      }
      case Character.CHARACTER_MINSTREL_VALUE -> {
        to.add(from);
        moves(to, from, n, (p, y) -> isSameSide(n, y), unlocked(from, n));
      }
      case Character.CHARACTER_DOCKMASTER_VALUE -> {
        moves(to, from, MARKET, ANY, unlocked(from, MARKET));
        moves(to, from, WAREHOUSE, ANY, unlocked(from, WAREHOUSE));
      }
      default -> {}
    }
    return to;
  }

  /** Adds the City without each guild pair of a location. */
  private void pairs(List<City> to, City from, int x) {
    var stack = above(from, x);
    for (var i = 0; i < stack.length; i++) {
      for (var j = 0; j < i; j++) {
        if (cards.judge.guild(stack[i]) == cards.judge.guild(stack[j])) {
          to.add(from.lift(x, stack[i]).lift(x, stack[j]));
        }
      }
    }
  }

  /** What a is worth in hand. */
  private int hand(int a, City from) {
    var info = cards.characters.get(a);
    if (info == null) {
      return value(from);
    }
    return info.getLocationsValueList().stream()
        .filter(n -> Arrays.binarySearch(locations, n) >= 0)
        .filter(n -> City.isTavern(n) || !info.getNeedsCard() || from.at(n).length > 0)
        .mapToInt(n -> value(from.put(n, a)) + (City.isTavern(n) ? 0 : bonus(a)))
        .max()
        .orElseGet(() -> value(from));
  }

  /** The value of picking card p at x in the middle of an action. */
  private int pick(int x, int p) {
    var to = new ArrayList<City>();
    if (acting == Character.CHARACTER_SHOPKEEPER) {
      if (held == null) {
        swaps(to, city, x, p);
      } else {
        to.add(city.swap(x, p, held.getLocationValue(), held.getCharacterValue()));
      }
    } else if (removes()) {
      to.add(city.lift(x, p));
    } else if (gathers()) {
      to.add(city.move(x, p, broker.getLocationValue()));
    } else if (acting == Character.CHARACTER_MINSTREL && last != 0) {
      to.add(city.move(x, p, last));
    } else if (acting == Character.CHARACTER_MINSTREL) {
      moves(to, city, x, (card, y) -> isSameSide(x, y), p);
    } else {
      moves(to, city, x, ANY, p);
    }
    return best(to, city);
  }

  /** The value of a Broker's direction. */
  private int direction(Option.Broker option) {
    var to = new ArrayList<City>();
    var m = option.getLocationValue();
    if (option.getDirection() == BrokerDirection.BROKER_DIRECTION_OUT) {
      moves(to, city, m, ANY, unlocked(city, m));
    } else {
      for (var x : locations) {
        moves(to, city, x, (p, y) -> y == m, unlocked(city, x));
      }
    }
    return best(to, city);
  }

  /** Whether the action takes the picked cards out of the City. */
  private boolean removes() {
    return acting == Character.CHARACTER_BUTCHER || acting == Character.CHARACTER_BARRISTER;
  }

  /** Whether a Broker moves the picked cards to his location. */
  private boolean gathers() {
    return broker.getDirection() == BrokerDirection.BROKER_DIRECTION_INTO;
  }

  /** The City after the held card went to the destination. */
  private City putDown(int destination) {
    return held == null ? city : city.move(held.getLocationValue(), held.getCharacterValue(), destination);
  }

  private static boolean isCommerce(int location) {
    return location == MARKET || location == WAREHOUSE;
  }

  private static boolean isSameSide(int x, int y) {
    return x <= MARKET == y <= MARKET;
  }
}
