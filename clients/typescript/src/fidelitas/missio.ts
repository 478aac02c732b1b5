import {
  Character,
  Location,
  type CharacterInfo,
  type MissioCard,
  type Observation,
} from "../gen/palio/fidelitas/v1/fidelitas_pb.js";

/** The cards of a location, bottom to top. */
export type Stack = readonly Character[];

/** The stacks of the ten locations: that of location n at index n - 1. Never changed, only replaced. */
export type City = readonly Stack[];

/** Distance of a condition of a kind that this library does not know. */
const UNKNOWN_DISTANCE = 7;

/** The City of an observation. */
export function cityOf(observation: Observation): City {
  return observation.stacks.map((stack) => stack.cards);
}

/** The locations that exist: all ten, or those of the solo game, which has no Tavern. */
export function locationsOf(observation: Observation): Location[] {
  const all = Array.from({ length: 10 }, (_, i): Location => i + 1);
  return observation.players === 1 ? all.filter((n) => !isTavern(n)) : all;
}

export function isTavern(location: Location): boolean {
  return location === Location.TAVERN_NORTH || location === Location.TAVERN_SOUTH;
}

/** Judges the City by Missio cards, from the catalogue's data. */
export class Judge {
  readonly #guilds: ReadonlyMap<Character, number>;

  /** @param characters those of the catalogue, for their guilds */
  constructor(characters: readonly CharacterInfo[]) {
    this.#guilds = new Map(characters.map(({ character, guild }) => [character, guild]));
  }

  guild(character: Character): number {
    return this.#guilds.get(character) ?? 0;
  }

  /** Whether the City fulfils a Missio card. A condition of an unknown kind is never fulfilled. */
  met(card: MissioCard, city: City, locations: readonly Location[]): boolean {
    return this.distance(card, city, locations) === 0;
  }

  /** How far the City is from fulfilling a Missio card, by docs/greedy.md; 0 where it does. */
  distance({ condition }: MissioCard, city: City, locations: readonly Location[]): number {
    const at = (location: Location): Stack => city[location - 1] ?? [];
    const lacking = (places: readonly Location[], found: (stack: Stack) => boolean) =>
      places.filter((location) => !found(at(location))).length;
    const having = (found: (stack: Stack) => boolean) => locations.length - lacking(locations, found);
    const cards = (wanted: (character: Character, height: number) => boolean) =>
      locations.reduce((sum, location) => sum + at(location).filter(wanted).length, 0);
    const missing = (count: number, have: number) => Math.max(0, count - have);

    switch (condition.case) {
      case "distinctGuilds": {
        const characters = condition.value.locations.flatMap(at);
        return missing(condition.value.count, new Set(characters.map((character) => this.guild(character))).size);
      }
      case "characterCount": {
        const { character: wanted, count } = condition.value;
        return missing(count, cards((character) => character === wanted));
      }
      case "emptyLocations": {
        const sizes = locations.map((location) => at(location).length).sort((a, b) => a - b);
        return sizes.slice(0, condition.value.count).reduce((sum, size) => sum + size, 0);
      }
      case "characterAtEach": {
        const { character, locations: places } = condition.value;
        return lacking(places, (stack) => stack.includes(character));
      }
      case "guildAtEach": {
        const { guild, locations: places } = condition.value;
        return lacking(places, (stack) => stack.some((character) => this.guild(character) === guild));
      }
      case "characterSpread": {
        const { character, count } = condition.value;
        return missing(count, having((stack) => stack.includes(character)));
      }
      case "activeSwindlers":
        return missing(
          condition.value.count,
          cards((character, height) => height > 0 && character === Character.SWINDLER),
        );
      case "guildPairs":
        return missing(
          condition.value.count,
          having((stack) => new Set(stack.map((character) => this.guild(character))).size < stack.length),
        );
      case "crowdedLocation":
        return missing(condition.value.count, Math.max(...locations.map((location) => at(location).length)));
      default:
        return UNKNOWN_DISTANCE;
    }
  }
}

/** The City with the character on top of the location. */
export function put(city: City, location: Location, character: Character): City {
  return replace(city, location, (stack) => [...stack, character]);
}

/** The City without the topmost copy of the character at the location. */
export function lift(city: City, location: Location, character: Character): City {
  return replace(city, location, (stack) => {
    const top = stack.lastIndexOf(character);
    return top < 0 ? stack : stack.toSpliced(top, 1);
  });
}

export function move(city: City, from: Location, character: Character, to: Location): City {
  return put(lift(city, from, character), to, character);
}

/** The City with the topmost copies of both in each other's place. */
export function swap(city: City, x: Location, p: Character, y: Location, q: Character): City {
  const i = city[x - 1]?.lastIndexOf(p) ?? -1;
  const j = city[y - 1]?.lastIndexOf(q) ?? -1;
  if (i < 0 || j < 0) return city;
  const after = replace(city, x, (stack) => stack.with(i, q));
  return replace(after, y, (stack) => stack.with(j, p));
}

function replace(city: City, location: Location, change: (stack: Stack) => Stack): City {
  const stack = city[location - 1];
  return stack ? city.with(location - 1, change(stack)) : city;
}
