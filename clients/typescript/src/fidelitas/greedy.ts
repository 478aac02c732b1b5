import {
  BrokerDirection,
  type Catalogue,
  Character,
  type CharacterInfo,
  DecisionKind,
  type GameOptions,
  Location,
  type MissioCard,
  type Observation,
  type Option,
  type Option_Broker,
  PriestChoice,
} from "../gen/palio/fidelitas/v1/fidelitas_pb.js";
import { type City, cityOf, isTavern, Judge, lift, locationsOf, move, put, type Stack, swap } from "./missio.js";

/** Weights by distance; what is farther away counts nothing. */
const WEIGHTS = [1000, 300, 100, 30, 10, 3, 1];

/** What two cards more, or another one's loss, are worth in City value. */
const CARDS = 40;

const CHARACTERS = Array.from({ length: 14 }, (_, i): Character => i + 1);
const COMMERCE: readonly Location[] = [Location.MARKET, Location.WAREHOUSE];

/** Plays Fidelitas as docs/greedy.md prescribes. */
export class Greedy {
  readonly judge: Judge;
  readonly characters: ReadonlyMap<Character, CharacterInfo>;
  readonly missio: ReadonlyMap<number, MissioCard>;

  /** The Missio cards are those of the match's options where it has a deck of its own, else of the catalogue. */
  constructor(catalogue: Catalogue, options?: GameOptions) {
    this.judge = new Judge(catalogue.characters);
    this.characters = new Map(catalogue.characters.map((info) => [info.character, info]));
    const custom = options?.deck?.missio ?? [];
    const missio = custom.length > 0 ? custom : catalogue.missio;
    this.missio = new Map(missio.map((card, i) => [i + 1, card]));
  }

  /** The index of the option to choose. */
  choose(observation: Observation, options: readonly Option[]): number {
    const kind = observation.asking?.kind ?? DecisionKind.UNSPECIFIED;
    if (kind === DecisionKind.UNSPECIFIED || DecisionKind[kind] === undefined) return 0;
    const thought = new Thought(this, observation, kind);
    const values = options.map((option) => thought.option(option));
    return values.indexOf(Math.max(...values));
  }
}

/** One decision being made. */
class Thought {
  readonly #locations: readonly Location[];
  readonly #mine: readonly MissioCard[];
  /** After what was picked before. */
  #city: City;
  #broker: Option_Broker | undefined;
  /** Picked, not put down yet. */
  #held: { location: Location; character: Character } | undefined;
  /** Where a card was put down last. */
  #last: Location | undefined;

  constructor(
    readonly cards: Greedy,
    readonly seen: Observation,
    readonly kind: DecisionKind,
  ) {
    this.#locations = locationsOf(seen);
    this.#mine = (seen.own?.missio ?? []).flatMap((id) => cards.missio.get(id) ?? []);
    this.#city = cityOf(seen);
    this.#replay();
  }

  /** Carries out what was picked before in the action. */
  #replay(): void {
    for (const { choice } of this.seen.asking?.picks ?? []) {
      if (choice.case === "broker") this.#broker = choice.value;
      else if (choice.case === "card") {
        const { location, character } = choice.value;
        if (this.#removes()) this.#city = lift(this.#city, location, character);
        else if (this.#into !== undefined) this.#city = move(this.#city, location, character, this.#into);
        else this.#held = { location, character };
      } else if (choice.case === "destination") {
        this.#last = choice.value.location;
        this.#city = this.#putDown(this.#last);
        this.#held = undefined;
      }
    }
  }

  /** The value of one option. */
  option({ choice }: Option): number {
    const city = this.#city;
    switch (choice.case) {
      case "play":
        if (this.kind === DecisionKind.PLACE_THIEF) {
          return this.#value(put(city, choice.value.location, Character.THIEF));
        }
        return this.#play(choice.value.character, choice.value.location);
      case "card": {
        const { location, character } = choice.value;
        if (this.kind === DecisionKind.DRAW_CARD) return this.#hand(character, lift(city, location, character));
        return this.#pick(location, character);
      }
      case "destination":
        return this.#value(this.#putDown(choice.value.location));
      case "broker":
        return this.#direction(choice.value);
      case "handCard": {
        const value = this.#hand(choice.value.character, city);
        return this.kind === DecisionKind.DISCARD_CARD ? -value : value;
      }
      case "pair": {
        const { location, characterA, characterB } = choice.value;
        return this.#value(lift(lift(city, location, characterA), location, characterB));
      }
      case "drawTwo":
        return this.#value(city) + CARDS;
      case "priest": {
        const wanted = (this.seen.own?.missio.length ?? 0) < 2 ? PriestChoice.MISSIO : PriestChoice.VIRTUS;
        return choice.value.choice === wanted ? 1 : 0;
      }
      case "missio": {
        const card = this.cards.missio.get(choice.value.id);
        if (!card) return 0;
        return this.kind === DecisionKind.SCORE_MISSIO ? card.points : -this.#worth(card, cleared(city));
      }
      case "pass":
        return this.kind === DecisionKind.SCORE_MISSIO ? 0 : this.#value(city);
      case "deck":
        return Math.floor(CHARACTERS.reduce((sum, a) => sum + this.#hand(a, city), 0) / CHARACTERS.length);
      default:
        return 0;
    }
  }

  /** The Missio cards at hand, weighted by how near they are. */
  #value(city: City): number {
    const after = cleared(city);
    return this.#mine.reduce((sum, card) => sum + this.#worth(card, after), 0);
  }

  #worth(card: MissioCard, city: City): number {
    return card.points * (WEIGHTS[this.cards.judge.distance(card, city, this.#locations)] ?? 0);
  }

  /** The largest value of the Cities; that of the City as it is if there are none. */
  #best(cities: Iterable<City>, otherwise: City): number {
    let best: number | undefined;
    for (const city of cities) best = Math.max(best ?? -Infinity, this.#value(city));
    return best ?? this.#value(otherwise);
  }

  /** The cards of a location that lie above its locked ones. */
  #above(city: City, location: Location): Stack {
    return (city[location - 1] ?? []).slice(this.seen.stacks[location - 1]?.locked ?? 0);
  }

  /** The same without repetitions. */
  #unlocked(city: City, location: Location): Iterable<Character> {
    return new Set(this.#above(city, location));
  }

  *#moves(
    city: City,
    x: Location,
    allowed: (p: Character, y: Location) => boolean = () => true,
    cards: Iterable<Character> = this.#unlocked(city, x),
  ): Generator<City> {
    for (const p of cards) {
      for (const y of this.#locations) if (y !== x && allowed(p, y)) yield move(city, x, p, y);
    }
  }

  /** Every swap of (x, p) with an unlocked card elsewhere. */
  *#swaps(city: City, x: Location, p: Character): Generator<City> {
    for (const y of this.#locations) {
      if (y !== x) for (const q of this.#unlocked(city, y)) yield swap(city, x, p, y, q);
    }
  }

  /** What a character's action brings apart from the City. */
  #bonus(a: Character): number {
    if (a === Character.PROFESSOR || a === Character.PRIEST) return CARDS;
    if (a !== Character.THIEF) return 0;
    return CARDS * this.seen.seats.filter(({ handSize }, seat) => seat !== this.seen.own?.seat && handSize > 2).length;
  }

  /** The value of playing a on location n. */
  #play(a: Character, n: Location): number {
    const city = put(this.#city, n, a);
    if (isTavern(n) || (a === Character.SOLDIER && soldiers(city[n - 1] ?? []) >= 3)) return this.#value(city);
    const otherwise = a === Character.CLERK ? this.#value(city) + CARDS : -Infinity;
    return this.#bonus(a) + Math.max(otherwise, this.#best(this.#actions(a, n, city), city));
  }

  /** The Cities that the first step of an action can lead to. */
  *#actions(a: Character, n: Location, city: City): Generator<City> {
    const everywhere = this.#locations;
    switch (a) {
      case Character.SHOPKEEPER:
        for (const x of everywhere) for (const p of this.#unlocked(city, x)) yield* this.#swaps(city, x, p);
        break;
      case Character.BROKER:
        for (const x of everywhere) yield* this.#moves(city, x, (_, y) => COMMERCE.includes(x) || COMMERCE.includes(y));
        break;
      case Character.BUTCHER:
      case Character.BARRISTER:
        for (const x of everywhere) for (const p of this.#unlocked(city, x)) yield lift(city, x, p);
        break;
      case Character.BAKER:
        for (const x of everywhere) yield* this.#moves(city, x);
        break;
      case Character.CLERK:
        for (const x of everywhere) yield* this.#pairs(city, x);
        break;
      case Character.SOLDIER: {
        const several = soldiers(this.#above(city, n)) >= 2;
        yield* this.#moves(city, n, (p) => p !== Character.SOLDIER || several);
        break;
      }
      case Character.MINSTREL:
        yield city;
        yield* this.#moves(city, n, (_, y) => sameSide(n, y));
        break;
      case Character.DOCKMASTER:
        for (const x of COMMERCE) yield* this.#moves(city, x);
        break;
    }
  }

  /** The City without one guild pair of a location. */
  *#pairs(city: City, x: Location): Generator<City> {
    const { judge } = this.cards;
    for (const [i, p] of this.#above(city, x).entries()) {
      for (const q of this.#above(city, x).slice(0, i)) {
        if (judge.guild(p) === judge.guild(q)) yield lift(lift(city, x, p), x, q);
      }
    }
  }

  /** What a is worth in hand. */
  #hand(a: Character, city: City): number {
    const info = this.cards.characters.get(a);
    const values = (info?.locations ?? []).flatMap((n) => {
      const tavern = isTavern(n);
      if (!this.#locations.includes(n) || (!tavern && info?.needsCard && city[n - 1]?.length === 0)) return [];
      return this.#value(put(city, n, a)) + (tavern ? 0 : this.#bonus(a));
    });
    return values.length > 0 ? Math.max(...values) : this.#value(city);
  }

  /** The value of picking card p at x in the middle of an action. */
  #pick(x: Location, p: Character): number {
    const city = this.#city;
    const acting = this.seen.asking?.character;
    if (acting === Character.SHOPKEEPER) {
      if (!this.#held) return this.#best(this.#swaps(city, x, p), city);
      return this.#value(swap(city, x, p, this.#held.location, this.#held.character));
    }
    if (this.#removes()) return this.#value(lift(city, x, p));
    if (this.#into !== undefined) return this.#value(move(city, x, p, this.#into));
    if (acting !== Character.MINSTREL) return this.#best(this.#moves(city, x, undefined, [p]), city);
    if (this.#last !== undefined) return this.#value(move(city, x, p, this.#last));
    return this.#best(this.#moves(city, x, (_, y) => sameSide(x, y), [p]), city);
  }

  /** The value of a Broker's direction. */
  #direction({ direction, location: m }: Option_Broker): number {
    const city = this.#city;
    if (direction === BrokerDirection.OUT) return this.#best(this.#moves(city, m), city);
    const into = this.#locations.map((x) => [...this.#moves(city, x, (_, y) => y === m)]);
    return this.#best(into.flat(), city);
  }

  /** Whether the action takes the picked cards out of the City. */
  #removes(): boolean {
    const acting = this.seen.asking?.character;
    return acting === Character.BUTCHER || acting === Character.BARRISTER;
  }

  /** Where a Broker moves the picked cards, if he gathers them. */
  get #into(): Location | undefined {
    return this.#broker?.direction === BrokerDirection.INTO ? this.#broker.location : undefined;
  }

  /** The City after the held card went to the destination. */
  #putDown(destination: Location): City {
    return this.#held ? move(this.#city, this.#held.location, this.#held.character, destination) : this.#city;
  }
}

function soldiers(stack: Stack): number {
  let count = 0;
  for (const character of stack) if (character === Character.SOLDIER) count += 1;
  return count;
}

/** The City without the locations that three Soldiers clear. */
function cleared(city: City): City {
  const full = (stack: Stack) => stack.length >= 3 && soldiers(stack) >= 3;
  return city.some(full) ? city.map((stack) => (full(stack) ? [] : stack)) : city;
}

function sameSide(x: Location, y: Location): boolean {
  return x <= Location.MARKET === y <= Location.MARKET;
}
