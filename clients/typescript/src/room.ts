import { type MessageInitShape } from "@bufbuild/protobuf";

import { type Bot, Decision, type Match, type Player } from "./bot.js";
import type { Catalogue } from "./gen/palio/v1/game_pb.js";
import {
  type ChoiceRejected,
  type Decision as DecisionMessage,
  type MatchStarted,
  type PlayRequestSchema,
  RejectionReason,
  type Update,
} from "./gen/palio/v1/play_pb.js";

export type RequestMessage = NonNullable<MessageInitShape<typeof PlayRequestSchema>["message"]>;

/** What a room needs of its client. */
export interface Outside {
  bot: Bot;
  catalogue(game: string): Promise<Catalogue>;
  /** Sends and returns true, or returns false where no session is open. */
  send(message: RequestMessage): boolean;
  log(line: string): void;
}

/** A decision that waits for its answer to count. */
interface Pending {
  readonly message: DecisionMessage;
  readonly open: AbortController;
  readonly decision: Decision;
  choice?: number | undefined;
}

/** The client's side of one match: what is known of it, and the chain of the user's calls. */
export class Room {
  lastSeq: bigint;
  readonly #match: Match;
  #player: Player | undefined;
  /** Ends when all of the user's calls did. */
  calls: Promise<void> = Promise.resolve();
  #ready = false;
  /** The server is known to have heard Ready. */
  #underway = false;
  #resigned = false;
  #over = false;
  #pending: Pending | undefined;

  constructor(
    readonly outside: Outside,
    readonly id: string,
    seq: bigint,
    readonly started: MatchStarted,
  ) {
    this.lastSeq = seq;
    this.#match = {
      id,
      started,
      catalogue: () => outside.catalogue(started.game),
      resign: () => this.resign(),
      signal: (words) =>
        outside.send({
          case: "signal",
          value: { matchId: id, words: { game: { case: "fidelitas", value: words } } },
        }),
    };
    this.#call(async () => {
      this.#player = await outside.bot(this.#match);
      this.#ready = true;
      if (!this.#over) outside.send({ case: "ready", value: { matchId: id } });
    });
  }

  /** Appends a call of the user's code. What fails there costs this match only. */
  #call(task: () => unknown): void {
    this.calls = this.calls.then(task).then(
      () => undefined,
      (error: unknown) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.outside.log(`match ${this.id} resigned, the bot failed: ${text}`);
        this.resign();
        this.#player = undefined;
      },
    );
  }

  /** Takes in one update about the match. */
  handle({ message }: Update): void {
    switch (message.case) {
      case "events":
        this.#underway = true;
        this.#call(() => this.#player?.observe?.(message.value.events));
        break;
      case "decision":
        this.#underway = true;
        this.#decide(message.value);
        break;
      case "choiceAccepted":
        if (this.#pending?.message.decisionId === message.value.decisionId) this.settle();
        break;
      case "choiceRejected":
        this.#reject(message.value);
        break;
      case "seatStatus":
        this.#call(() => this.#player?.seatStatus?.(message.value));
        break;
      case "matchEnded":
        this.#over = true;
        this.settle();
        this.#call(() => this.#player?.ended?.(message.value));
        break;
    }
  }

  #decide(message: DecisionMessage): void {
    const same = this.#pending?.message.decisionId === message.decisionId;
    if (message.answered !== undefined) {
      if (same) this.settle();
      return;
    }
    if (same) {
      this.#answer(); // asked again: the answer may have been lost
      return;
    }
    this.settle();
    const open = new AbortController();
    const pending: Pending = { message, open, decision: new Decision(this.#match, message, open.signal) };
    this.#pending = pending;
    this.#call(() => this.#choose(pending));
  }

  async #choose(pending: Pending): Promise<void> {
    const called = () => this.#pending === pending && !this.#resigned;
    if (!this.#player || !called()) return;
    let choice: number;
    try {
      choice = await this.#player.choose(pending.decision);
    } catch (error) {
      if (!called()) return; // it was called off
      throw error;
    }
    if (!called()) return;
    if (!Number.isInteger(choice) || Math.abs(choice) >= 2 ** 31) {
      throw new TypeError(`choose returned ${choice}, which is no index`);
    }
    pending.choice = choice;
    this.#answer();
  }

  /** Says what was chosen, if it was. */
  #answer(): void {
    if (this.#pending?.choice === undefined) return;
    const { message, choice } = this.#pending;
    this.outside.send({ case: "choose", value: { matchId: this.id, decisionId: message.decisionId, option: choice } });
  }

  /** Ends the pending decision: no answer to it counts any more. */
  settle(): void {
    this.#pending?.open.abort();
    this.#pending = undefined;
  }

  #reject(rejected: ChoiceRejected): void {
    if (rejected.reason === RejectionReason.STALE) return;
    const reason = RejectionReason[rejected.reason] ?? rejected.reason;
    this.outside.log(`match ${this.id}: choice rejected (${reason}): ${rejected.text}`);
    this.#call(() => this.#player?.rejected?.(rejected));
    const pending = this.#pending;
    if (pending?.choice === undefined || pending.message.decisionId !== rejected.decisionId) return;
    pending.choice = undefined;
    if (rejected.triesLeft > 0) this.#call(() => this.#choose(pending));
  }

  resign(): void {
    if (this.#resigned || this.#over) return;
    this.#resigned = true;
    this.outside.send({ case: "resign", value: { matchId: this.id } });
  }

  /** Says again what may have been lost with the last connection. */
  resume(): void {
    if (this.#resigned) this.outside.send({ case: "resign", value: { matchId: this.id } });
    else if (this.#ready && !this.#underway) this.outside.send({ case: "ready", value: { matchId: this.id } });
    else this.#answer();
  }
}
