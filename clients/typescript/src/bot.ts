import type { MessageInitShape } from "@bufbuild/protobuf";

import type {
  Observation as FidelitasObservation,
  Option as FidelitasOption,
  WordsSchema,
} from "./gen/palio/fidelitas/v1/fidelitas_pb.js";
import type { Catalogue, Event, Observation, Option } from "./gen/palio/v1/game_pb.js";
import type {
  ChoiceRejected,
  Decision as DecisionMessage,
  MatchEnded,
  MatchStarted,
  SeatStatus,
} from "./gen/palio/v1/play_pb.js";

type Awaitable<T> = T | Promise<T>;

/**
 * Called once for each match, as the match starts; returns who plays it. The match waits for it within its init budget.
 */
export type Bot = (match: Match) => Awaitable<Player>;

/**
 * Plays one match. Its methods are called one after another, in the order in which things happened, each awaited; those
 * of several matches run interleaved. What one throws is reported and resigns its match, and the player is not called
 * again; other matches go on.
 */
export interface Player {
  /** Returns the index of one of the decision's options. */
  choose(decision: Decision): Awaitable<number>;
  /** What happened, always before the decision that depends on it. */
  observe?(events: Event[]): Awaitable<void>;
  /** How the match ended; nothing follows. */
  ended?(ended: MatchEnded): Awaitable<void>;
  /** A choice did not count (unless it was only late). If the decision is still open, `choose` is called again. */
  rejected?(rejected: ChoiceRejected): Awaitable<void>;
  /** Another seat lost or found its connection. */
  seatStatus?(status: SeatStatus): Awaitable<void>;
}

/** One playing of a game, as its bot knows it. */
export interface Match {
  /** Names the match on its server. */
  readonly id: string;
  /** Seat, game, its options, players and time control. */
  readonly started: MatchStarted;
  /** The match's game as data, its cards for example. The server is asked once for each game. */
  catalogue(): Promise<Catalogue>;
  /** Gives the match up. */
  resign(): void;
  /** Talks to the partner of a team match; returns whether there was a connection to say it on. */
  signal(words: MessageInitShape<typeof WordsSchema>): boolean;
}

/** A question with at least two answers. */
export class Decision {
  /** 1, 2, 3 ... per match and seat. */
  readonly id: bigint;
  /** Name of the kind in the game's rules, for example PLAY_CARD. */
  readonly kind: string;
  /** The legal choices; the answer is an index into them. */
  readonly options: Option[];
  /** When the time runs out, by the local clock; undefined where there is no limit. The network's time is not deducted. */
  readonly deadline: Date | undefined;

  constructor(
    readonly match: Match,
    /** As the server sent it. */
    readonly message: DecisionMessage,
    /** Aborts when the answer can no longer count. */
    readonly signal: AbortSignal,
  ) {
    this.id = message.decisionId;
    this.kind = message.kind;
    this.options = message.options;
    const remaining = message.clock?.remaining;
    if (remaining) this.deadline = new Date(Date.now() + milliseconds(remaining));
  }

  /** What this seat sees now. */
  get observation(): Observation | undefined {
    return this.message.observation;
  }

  /**
   * The observation and the options of a decision of Fidelitas.
   * @throws TypeError it is a decision of another game
   */
  fidelitas(): { observation: FidelitasObservation; options: FidelitasOption[] } {
    const game = this.message.observation?.game;
    if (game?.case !== "fidelitas") throw new TypeError(`the match is one of ${this.match.started.game}`);
    const options = this.options.map((option) => {
      if (option.game.case !== "fidelitas") throw new TypeError(`an option of ${option.game.case}`);
      return option.game.value;
    });
    return { observation: game.value, options };
  }

  /** Milliseconds until the deadline; undefined where there is no limit. */
  get remaining(): number | undefined {
    return this.deadline && this.deadline.getTime() - Date.now();
  }
}

/** A Duration in milliseconds. */
export function milliseconds(duration: { seconds: bigint; nanos: number }): number {
  return Number(duration.seconds) * 1_000 + duration.nanos / 1e6;
}
