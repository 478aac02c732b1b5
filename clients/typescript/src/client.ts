import { setTimeout as sleep } from "node:timers/promises";

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";

import { type Bot, milliseconds } from "./bot.js";
import { getGame } from "./catalog.js";
import { type Config, PROTOCOL_VERSION, type Settings, settings, target, VERSION } from "./config.js";
import { PalioError, Reason } from "./errors.js";
import { type Catalogue, CatalogueSchema } from "./gen/palio/v1/game_pb.js";
import {
  type Goodbye,
  GoodbyeReason,
  PlayRequestSchema,
  PlayResponseSchema,
  type Refused,
  type Update,
  type Welcome,
} from "./gen/palio/v1/play_pb.js";
import { type RequestMessage, Room } from "./room.js";
import type { Target, Wire } from "./wire.js";
import { openWireInThread } from "./wire-thread.js";

/** How long one try waits for Welcome, in milliseconds. */
const WELCOME_TIMEOUT = 10_000;
/** After how many heartbeats without any message the connection is taken for dead. */
const MISSED_HEARTBEATS = 3;
/** How many matches that ended are remembered, so that their messages, sent again, start nothing. */
const ENDED_KEPT = 1_000;
/** How many addresses in a row may send the bot on without a Welcome. */
const MOST_MOVES = 5;

/** What came of one stream. */
interface SessionEnd {
  /** The session was opened. */
  welcomed: boolean;
  /** It was good for something. */
  progress: boolean;
  /** Where to go on at once. */
  moved?: string;
  /** Why it ended; undefined where the bot left and all is done. */
  error?: PalioError | undefined;
}

/** Plays all of a bot's matches over one stream, which it opens again whenever it breaks. */
export class Client {
  readonly #bot: Bot;
  readonly #config: Settings;
  readonly #rooms = new Map<string, Room>();
  /** Attempts of matches that ended, oldest first. */
  readonly #ended = new Map<string, number>();
  readonly #catalogues = new Map<string, Promise<Catalogue>>();
  readonly #calls = new Set<Promise<void>>();
  readonly #left = new AbortController();
  #finished = 0;
  /** Sends on the open session. */
  #outgoing: ((message: RequestMessage) => void) | undefined;

  constructor(bot: Bot, config: Config = {}) {
    this.#bot = bot;
    this.#config = settings(config);
  }

  /**
   * Plays until the bot left. Call it once.
   * @throws PalioError the server refused the bot, or no session could be opened for `giveUpAfter` (NO_SERVER)
   * @throws what the signal aborted with
   */
  async run(): Promise<void> {
    const to = target(this.#config);
    try {
      await this.#connect(to);
    } finally {
      for (const room of this.#rooms.values()) room.settle();
    }
    await Promise.all(this.#calls);
  }

  /** Asks for no more matches: those that run are finished, then `run` returns. */
  leave(): void {
    if (this.#left.signal.aborted) return;
    this.#left.abort();
    this.#send({ case: "leave", value: {} });
  }

  /** Opens session after session. */
  async #connect(to: Target): Promise<void> {
    const { backoff, giveUpAfter, log, signal } = this.#config;
    let giveUp = Date.now() + giveUpAfter;
    let pause = backoff[0];
    let address = to.address;
    let moves = 0;
    for (;;) {
      const { welcomed, progress, moved, error } = await this.#session({ ...to, address }, giveUp);
      signal?.throwIfAborted();
      const leaving = this.#left.signal.aborted;
      if (!error || (leaving && this.#rooms.size === 0)) return;
      if (!error.transient) throw error;
      if (welcomed) {
        giveUp = Date.now() + giveUpAfter;
        moves = 0;
      }
      if (progress) pause = backoff[0];
      if (moved && moves < MOST_MOVES) {
        address = moved;
        moves += 1;
        continue;
      }
      address = to.address;
      moves = 0;
      const wait = pause * (0.5 + Math.random() / 2);
      if (Date.now() + wait > giveUp) {
        const text = `no session at ${to.address} within ${giveUpAfter / 1_000} s; last: ${error.message}`;
        throw new PalioError(error.code, text, { reason: Reason.NO_SERVER });
      }
      log(`connection lost, trying again in ${Math.round(wait)} ms: ${error.message}`);
      const wakers = [signal, this.#rooms.size === 0 ? this.#left.signal : undefined];
      await sleep(wait, undefined, { signal: AbortSignal.any(wakers.filter((waker) => waker !== undefined)) }).catch(
        () => signal?.throwIfAborted(), // leaving ends the wait, too
      );
      if (this.#left.signal.aborted && this.#rooms.size === 0) return;
      pause = Math.min(2 * pause, backoff[1]);
    }
  }

  /** Opens a stream and plays on it until it ends. */
  async #session(to: Target, giveUp: number): Promise<SessionEnd> {
    let resolve!: (end: SessionEnd) => void;
    const promise = new Promise<SessionEnd>((settle) => (resolve = settle));
    const end: SessionEnd = { welcomed: false, progress: false };
    const finish = (error?: PalioError) => {
      end.error = error;
      resolve(end);
    };
    const wire = openWireInThread(to, Math.max(1, Math.min(WELCOME_TIMEOUT, giveUp - Date.now())), {
      message: (bytes) => {
        for (const update of fromBinary(PlayResponseSchema, bytes).updates) {
          if (open) this.#handle(update, wire, send, end, finish);
        }
      },
      end: ({ code, message, details }) => {
        finish(
          code === status.OK
            ? new PalioError(status.UNAVAILABLE, "the server closed the stream")
            : PalioError.fromStatus(code, message, details),
        );
      },
    });
    let open = true;
    const send = (message: RequestMessage) =>
      wire.send(toBinary(PlayRequestSchema, create(PlayRequestSchema, { message })));
    send({ case: "hello", value: this.#hello() });
    const abort = () => finish();
    this.#config.signal?.addEventListener("abort", abort);
    try {
      return await promise;
    } finally {
      open = false;
      this.#outgoing = undefined;
      this.#config.signal?.removeEventListener("abort", abort);
      wire.close();
    }
  }

  #hello() {
    const { token, name, botVersion, games, concurrent } = this.#config;
    const resume = Object.fromEntries(Array.from(this.#rooms, ([id, room]) => [id, room.lastSeq]));
    return {
      token,
      botName: name,
      botVersion,
      sdk: `palio-typescript/${VERSION}`,
      protocolVersion: PROTOCOL_VERSION,
      games,
      maxConcurrentMatches: concurrent,
      resume,
    };
  }

  #handle(
    update: Update,
    wire: Wire,
    send: (message: RequestMessage) => void,
    end: SessionEnd,
    finish: (error?: PalioError) => void,
  ): void {
    const { message } = update;
    if (message.case === "ping") {
      end.progress = true; // the wire answers it
    } else if (update.matchId !== "") {
      end.progress = true;
      const error = this.#match(update);
      if (error) finish(error);
    } else if (message.case === "welcome") {
      end.welcomed = true;
      this.#welcome(message.value, wire, send);
    } else if (message.case === "refused") {
      this.#refused("", message.value);
    } else if (message.case === "goodbye") {
      if (message.value.reason === GoodbyeReason.MOVED) end.moved = message.value.address;
      finish(farewell(message.value));
    }
  }

  /** Opens the session for everybody and says again what may have been lost with the last one. */
  #welcome({ heartbeat }: Welcome, wire: Wire, send: (message: RequestMessage) => void): void {
    wire.limitSilence(heartbeat ? MISSED_HEARTBEATS * milliseconds(heartbeat) : 0);
    this.#outgoing = send;
    for (const room of this.#rooms.values()) room.resume();
    if (this.#left.signal.aborted) send({ case: "leave", value: {} });
  }

  /** Takes in one update about a match. Returns an error where updates are missing before it. */
  #match(update: Update): PalioError | undefined {
    const { matchId: id, seq, message } = update;
    const room = this.#rooms.get(id);
    if (!room) {
      if (message.case === "matchStarted" && message.value.attempt > (this.#ended.get(id) ?? -1)) {
        this.#rooms.set(id, new Room(this.#outside, id, seq, message.value));
      } else if (message.case === "refused") this.#refused(id, message.value);
      return undefined;
    }
    if (seq !== 0n) {
      if (seq <= room.lastSeq) return undefined;
      if (seq !== room.lastSeq + 1n) {
        const text = `match ${id}: update ${seq} came after ${room.lastSeq}`;
        return new PalioError(status.UNAVAILABLE, text);
      }
      room.lastSeq = seq;
    }
    if (message.case === "refused") this.#refused(id, message.value);
    else room.handle(update);
    if (message.case === "matchEnded") this.#forget(room);
    return undefined;
  }

  /** Drops a match that ended and leaves when it was the last one wanted. */
  #forget(room: Room): void {
    const { id, calls } = room;
    this.#rooms.delete(id);
    this.#calls.add(calls);
    void calls.then(() => this.#calls.delete(calls));
    this.#ended.delete(id);
    this.#ended.set(id, room.started.attempt);
    if (this.#ended.size > ENDED_KEPT) {
      for (const oldest of this.#ended.keys()) {
        this.#ended.delete(oldest);
        break;
      }
    }
    this.#finished += 1;
    if (this.#finished === this.#config.matches) this.leave();
  }

  /** Asks for a game once. */
  #catalogue(game: string): Promise<Catalogue> {
    let known = this.#catalogues.get(game);
    if (!known) {
      known = getGame(game, this.#config).then(({ catalogue }) => catalogue ?? create(CatalogueSchema));
      known.catch(() => this.#catalogues.delete(game));
      this.#catalogues.set(game, known);
    }
    return known;
  }

  readonly #outside = {
    bot: (match: Parameters<Bot>[0]) => this.#bot(match),
    catalogue: (game: string) => this.#catalogue(game),
    send: (message: RequestMessage) => this.#send(message),
    log: (line: string) => this.#config.log(line),
  };

  #send(message: RequestMessage): boolean {
    this.#outgoing?.(message);
    return this.#outgoing !== undefined;
  }

  #refused(id: string, { reason, field, text }: Refused): void {
    this.#config.log(`refused (${reason}) ${[id, field].filter(Boolean).join(" ")}: ${text}`);
  }
}

/** What a Goodbye means; nothing where the bot left. */
function farewell({ reason, text }: Goodbye): PalioError | undefined {
  switch (reason) {
    case GoodbyeReason.LEFT:
      return undefined;
    case GoodbyeReason.REPLACED:
      return new PalioError(status.FAILED_PRECONDITION, `a newer session of this player took over: ${text}`, {
        reason: Reason.REPLACED,
      });
    case GoodbyeReason.PROTOCOL:
      return new PalioError(status.INVALID_ARGUMENT, `the server says that the bot broke the protocol: ${text}`, {
        reason: Reason.PROTOCOL,
      });
    default: // moved, draining, unresponsive, and whatever else may come to be
      return new PalioError(status.UNAVAILABLE, `the server said goodbye (${GoodbyeReason[reason] ?? reason}): ${text}`);
  }
}
