import assert from "node:assert/strict";
import { type TestContext } from "node:test";

import { create, equals, fromBinary, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";

import {
  type Hello,
  type PlayRequest,
  PlayRequestSchema,
  PlayResponseSchema,
  PlayService,
  UpdateSchema,
} from "../src/gen/palio/v1/play_pb.js";
import { Client, type Config, type Decision, type Match } from "../src/index.js";

const PATIENCE = 10_000;

export type UpdateInit = MessageInitShape<typeof UpdateSchema>;
type Said = NonNullable<UpdateInit["message"]>;
type Asked = NonNullable<MessageInitShape<typeof PlayRequestSchema>["message"]>;

/** Items that one side puts in and the other waits for. */
export class Queue<T> {
  readonly #items: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  put(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(item);
    else this.#items.push(item);
  }

  get size(): number {
    return this.#items.length;
  }

  async next(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return item;
    const stack = new Error("nothing came");
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(stack), PATIENCE).unref();
      this.#waiting.push((value) => {
        clearTimeout(timer);
        resolve(value);
      });
    });
  }
}

/** One stream of the client's, in the hands of the test. */
export class Line {
  readonly received = new Queue<PlayRequest>();
  readonly seq = new Map<string, bigint>();

  constructor(readonly call: grpc.ServerDuplexStream<Buffer, Buffer>) {
    call.on("data", (bytes: Buffer) => this.received.put(fromBinary(PlayRequestSchema, bytes)));
    call.on("error", () => {});
  }

  say(...updates: UpdateInit[]): void {
    const response = create(PlayResponseSchema, { updates: updates.map((update) => create(UpdateSchema, update)) });
    this.call.write(Buffer.from(toBinary(PlayResponseSchema, response)));
  }

  /** Numbers an update on a match. */
  about(matchId: string, message: Said): UpdateInit {
    const seq = (this.seq.get(matchId) ?? 0n) + 1n;
    this.seq.set(matchId, seq);
    return { matchId, seq, message };
  }

  end(code?: grpc.status, details = "", metadata = new grpc.Metadata()): void {
    if (code === undefined) this.call.end();
    else this.call.emit("error", { code, details, metadata });
  }

  /** Compares the client's next message. */
  async expect(message: Asked): Promise<void> {
    const got = await this.received.next();
    const want = create(PlayRequestSchema, { message });
    if (!equals(PlayRequestSchema, got, want)) {
      assert.fail(`got ${toJsonString(PlayRequestSchema, got)}, want ${toJsonString(PlayRequestSchema, want)}`);
    }
  }

  /** The same for several messages in any order. */
  async expectAll(...messages: Asked[]): Promise<void> {
    const text = (request: PlayRequest) => toJsonString(PlayRequestSchema, request);
    const got: string[] = [];
    for (const _ of messages) got.push(text(await this.received.next()));
    const want = messages.map((message) => text(create(PlayRequestSchema, { message })));
    assert.deepEqual(got.sort(), want.sort());
  }

  /** Makes sure that nothing was said before now. The bot's turn of the event loop is waited for. */
  async quiet(): Promise<void> {
    this.say({ message: { case: "refused", value: { reason: "QUIET" } } });
    await this.said("QUIET");
    await this.ping();
  }

  /** Waits until the client has reported something. */
  said: (text: string) => Promise<void> = async () => {};

  async ping(): Promise<void> {
    this.say({ message: { case: "ping", value: { nonce: 4711n } } });
    await this.expect({ case: "pong", value: { nonce: 4711n } });
  }

  /** Starts a match and waits for its Ready. */
  async begin(matchId: string): Promise<void> {
    this.say(this.about(matchId, started()));
    await this.expect({ case: "ready", value: { matchId } });
  }
}

/** A server that does nothing by itself: the test speaks for it. */
export class Peer {
  readonly server = new grpc.Server();
  readonly lines = new Queue<Line>();
  address = "";

  static async start(t: TestContext): Promise<Peer> {
    const peer = new Peer();
    const bytes = (value: Buffer) => value;
    const { name, parent } = PlayService.method.play;
    peer.server.addService(
      {
        play: {
          path: `/${parent.typeName}/${name}`,
          requestStream: true,
          responseStream: true,
          requestSerialize: bytes,
          requestDeserialize: bytes,
          responseSerialize: bytes,
          responseDeserialize: bytes,
        },
      },
      { play: (call: grpc.ServerDuplexStream<Buffer, Buffer>) => peer.lines.put(new Line(call)) },
    );
    peer.address = await new Promise<string>((resolve, reject) => {
      peer.server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
        if (error) reject(error);
        else resolve(`127.0.0.1:${port}`);
      });
    });
    t.after(() => peer.server.forceShutdown());
    return peer;
  }

  /** Waits for the next stream and its Hello. */
  async accept(): Promise<{ line: Line; hello: Hello }> {
    const line = await this.lines.next();
    const { message } = await line.received.next();
    if (message.case !== "hello") assert.fail(`the first message is ${message.case}`);
    return { line, hello: message.value };
  }

  /** Accepts the next stream and opens the session. */
  async welcome(bot?: TestedBot): Promise<{ line: Line; hello: Hello }> {
    const { line, hello } = await this.accept();
    if (bot) line.said = (text) => bot.reported(text);
    line.say({ message: { case: "welcome", value: { playerId: "me", protocolVersion: 1 } } });
    return { line, hello };
  }

  /** Starts a client with a scripted player for each match. */
  bot(t: TestContext, config: Config = {}): TestedBot {
    return new TestedBot(t, { server: this.address, ...config });
  }
}

/** A Player whose choices the test makes and whose callbacks the test sees. */
export class ScriptedPlayer {
  readonly asked = new Queue<Decision>();
  readonly answers = new Queue<number | Error>();
  readonly seen = new Queue<[string, unknown]>();

  constructor(readonly match: Match) {}

  async choose(decision: Decision): Promise<number> {
    this.asked.put(decision);
    const answer = await Promise.race([this.answers.next(), aborted(decision.signal)]);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  observe(events: unknown): void {
    this.seen.put(["events", events]);
  }

  ended(end: unknown): void {
    this.seen.put(["ended", end]);
  }

  rejected(rejected: unknown): void {
    this.seen.put(["rejected", rejected]);
  }
}

function aborted(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Error("called off"))));
}

/** A client under test. */
export class TestedBot {
  readonly players = new Queue<ScriptedPlayer>();
  readonly client: Client;
  readonly result: Promise<unknown>;
  readonly #reports = new Queue<string>();

  constructor(t: TestContext, config: Config) {
    const abort = new AbortController();
    this.client = new Client(
      (match) => {
        const player = new ScriptedPlayer(match);
        this.players.put(player);
        return player;
      },
      {
        name: "tested",
        token: "secret",
        giveUpAfter: PATIENCE,
        backoff: [1, 2],
        signal: abort.signal,
        log: (line) => this.#reports.put(line),
        ...config,
      },
    );
    this.result = this.client.run().then(
      () => "left",
      (error: unknown) => error,
    );
    t.after(async () => {
      abort.abort();
      await this.result;
    });
  }

  /** Waits for a report that contains the text. */
  async reported(text: string): Promise<void> {
    while (!(await this.#reports.next()).includes(text));
  }
}

export function started(attempt = 1): Said {
  return { case: "matchStarted", value: { seat: 1, game: "fidelitas", players: ["you", "me"], attempt } };
}

export function decision(decisionId: bigint, answered?: number): Said {
  return {
    case: "decision",
    value: {
      decisionId,
      kind: "PLAY_CARD",
      options: [{}, {}],
      clock: { remaining: { seconds: 3600n } },
      ...(answered === undefined ? {} : { answered }),
    },
  };
}

export const events: Said = { case: "events", value: { events: [{}] } };
export const ended: Said = { case: "matchEnded", value: { result: { endedBy: "target" } } };

export function choose(matchId: string, decisionId: bigint, option: number): Asked {
  return { case: "choose", value: { matchId, decisionId, option } };
}

