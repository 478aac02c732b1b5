package palio.fidelitas;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import palio.fidelitas.v1.Catalogue;
import palio.fidelitas.v1.Character;
import palio.fidelitas.v1.MissioCard;

/** Judges the City by Missio cards, from the catalogue's data. */
public final class Judge {
  /** Distance of a condition of a kind that this library does not know. */
  private static final int UNKNOWN_DISTANCE = 7;

  private static final int SWINDLER = Character.CHARACTER_SWINDLER_VALUE;

  private final Map<Integer, Integer> guilds = new HashMap<>();

  /** Takes the characters' guilds from a catalogue. */
  public Judge(Catalogue catalogue) {
    for (var info : catalogue.getCharactersList()) {
      guilds.put(info.getCharacterValue(), info.getGuildValue());
    }
  }

  int guild(int character) {
    return guilds.getOrDefault(character, 0);
  }

  /** Whether the City fulfils a Missio card. A condition of an unknown kind is never fulfilled. */
  public boolean isMet(MissioCard card, City city, int[] locations) {
    return distance(card, city, locations) == 0;
  }

  /** How far the City is from fulfilling a Missio card, by docs/greedy.md; 0 where it does. */
  public int distance(MissioCard card, City city, int[] locations) {
    switch (card.getConditionCase()) {
      case DISTINCT_GUILDS -> {
        var condition = card.getDistinctGuilds();
        var cards = condition.getLocationsValueList().stream().map(city::at).flatMapToInt(Arrays::stream);
        return missing(condition.getCount(), cards.map(this::guild).distinct().count());
      }
      case CHARACTER_COUNT -> {
        var condition = card.getCharacterCount();
        var wanted = condition.getCharacterValue();
        return missing(condition.getCount(), sum(locations, n -> City.count(city.at(n), wanted)));
      }
      case EMPTY_LOCATIONS -> {
        var sizes = IntStream.of(locations).map(n -> city.at(n).length).sorted();
        return sizes.limit(card.getEmptyLocations().getCount()).sum();
      }
      case CHARACTER_AT_EACH -> {
        var condition = card.getCharacterAtEach();
        return lacking(condition.getLocationsValueList(), n -> city.has(n, condition.getCharacterValue()));
      }
      case GUILD_AT_EACH -> {
        var condition = card.getGuildAtEach();
        IntPredicate wanted = character -> guild(character) == condition.getGuildValue();
        return lacking(condition.getLocationsValueList(), n -> IntStream.of(city.at(n)).anyMatch(wanted));
      }
      case CHARACTER_SPREAD -> {
        var condition = card.getCharacterSpread();
        var wanted = condition.getCharacterValue();
        return missing(condition.getCount(), IntStream.of(locations).filter(n -> city.has(n, wanted)).count());
      }
      case ACTIVE_SWINDLERS -> {
        var active = sum(locations, n -> (int) IntStream.of(city.at(n)).skip(1).filter(c -> c == SWINDLER).count());
        return missing(card.getActiveSwindlers().getCount(), active);
      }
      case GUILD_PAIRS -> {
        var pairs = IntStream.of(locations).filter(n -> hasPair(city.at(n))).count();
        return missing(card.getGuildPairs().getCount(), pairs);
      }
      case CROWDED_LOCATION -> {
        var largest = IntStream.of(locations).map(n -> city.at(n).length).max().orElse(0);
        return missing(card.getCrowdedLocation().getCount(), largest);
      }
      default -> {
        return UNKNOWN_DISTANCE;
      }
    }
  }

  private static int missing(int count, long have) {
    return (int) Math.max(0, count - have);
  }

  private static int sum(int[] locations, java.util.function.IntUnaryOperator of) {
    return IntStream.of(locations).map(of).sum();
  }

  private static int lacking(List<Integer> locations, IntPredicate found) {
    return (int) locations.stream().filter(n -> !found.test(n)).count();
  }

  private boolean hasPair(int[] stack) {
    return IntStream.of(stack).map(this::guild).distinct().count() < stack.length;
  }
}
