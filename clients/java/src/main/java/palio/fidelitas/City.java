package palio.fidelitas;

import java.util.Arrays;
import java.util.stream.IntStream;
import palio.fidelitas.v1.Character;
import palio.fidelitas.v1.Location;
import palio.fidelitas.v1.Observation;

/**
 * The cards of the ten locations, as the numbers of their characters. It is never changed, only replaced. Locations are
 * given by their numbers, from 1.
 */
public final class City {
  static final int TAVERN_NORTH = Location.LOCATION_TAVERN_NORTH_VALUE;
  static final int TAVERN_SOUTH = Location.LOCATION_TAVERN_SOUTH_VALUE;

  private static final int SOLDIER = Character.CHARACTER_SOLDIER_VALUE;
  private static final int[] EMPTY = {};

  /** Bottom to top; the stack of location n is at index n - 1. */
  private final int[][] stacks;

  private City(int[][] stacks) {
    this.stacks = stacks;
  }

  /** The City of these stacks, bottom to top; that of location n is at index n - 1. */
  public static City of(int[][] stacks) {
    return new City(stacks.clone());
  }

  /** The City of an observation. */
  public static City of(Observation observation) {
    return new City(
        observation.getStacksList().stream()
            .map(stack -> stack.getCardsValueList().stream().mapToInt(Integer::intValue).toArray())
            .toArray(int[][]::new));
  }

  /** The locations that exist: all ten, or those of the solo game, which has no Tavern. */
  public static int[] locations(boolean solo) {
    return IntStream.rangeClosed(1, 10).filter(n -> !(solo && isTavern(n))).toArray();
  }

  static boolean isTavern(int location) {
    return location == TAVERN_NORTH || location == TAVERN_SOUTH;
  }

  /** The stack of a location, empty where there is none; not to be changed. */
  int[] at(int location) {
    return location < 1 || location > stacks.length ? EMPTY : stacks[location - 1];
  }

  boolean has(int location, int character) {
    return top(location, character) >= 0;
  }

  /** The City with the character on top of the location. */
  City put(int location, int character) {
    var stack = at(location);
    var more = Arrays.copyOf(stack, stack.length + 1);
    more[stack.length] = character;
    return with(location, more);
  }

  /** The City without the topmost copy of the character at the location. */
  City lift(int location, int character) {
    var top = top(location, character);
    if (top < 0) {
      return this;
    }
    var stack = at(location);
    var rest = Arrays.copyOf(stack, stack.length - 1);
    System.arraycopy(stack, top + 1, rest, top, rest.length - top);
    return with(location, rest);
  }

  City move(int from, int character, int to) {
    return lift(from, character).put(to, character);
  }

  /** The City with the topmost copies of both in each other's place. */
  City swap(int x, int p, int y, int q) {
    var i = top(x, p);
    var j = top(y, q);
    return i < 0 || j < 0 ? this : replaced(x, i, q).replaced(y, j, p);
  }

  /** The City without the locations that three Soldiers clear. */
  City cleared() {
    var after = this;
    for (var location = 1; location <= stacks.length; location++) {
      if (count(at(location), SOLDIER) >= 3) {
        after = after.with(location, EMPTY);
      }
    }
    return after;
  }

  static int count(int[] stack, int character) {
    var count = 0;
    for (var card : stack) {
      if (card == character) {
        count++;
      }
    }
    return count;
  }

  private City replaced(int location, int index, int character) {
    var stack = at(location).clone();
    stack[index] = character;
    return with(location, stack);
  }

  private City with(int location, int[] stack) {
    if (location < 1 || location > stacks.length) {
      return this;
    }
    var changed = stacks.clone();
    changed[location - 1] = stack;
    return new City(changed);
  }

  /** Index of the topmost copy of the character at the location, -1 if there is none. */
  private int top(int location, int character) {
    var stack = at(location);
    for (var i = stack.length - 1; i >= 0; i--) {
      if (stack[i] == character) {
        return i;
      }
    }
    return -1;
  }
}
