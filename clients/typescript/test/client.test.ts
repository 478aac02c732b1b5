import assert from "node:assert/strict";
import { test } from "node:test";

import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { Metadata, status } from "@grpc/grpc-js";

import { BadRequestSchema, ErrorInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../src/gen/google/rpc/status_pb.js";
import type { Character } from "../src/gen/palio/fidelitas/v1/fidelitas_pb.js";
import { OptionSchema } from "../src/gen/palio/v1/game_pb.js";
import { DecisionSchema, GoodbyeReason, RejectionReason, UpdateSchema } from "../src/gen/palio/v1/play_pb.js";
import { PalioError } from "../src/index.js";
import { choose, decision, ended, events, Peer, started } from "./peer.js";

const leave = { case: "leave", value: {} } as const;
const goodbye = (reason: GoodbyeReason) => ({ message: { case: "goodbye", value: { reason } } }) as const;
const rejected = (decisionId: bigint, reason: RejectionReason, triesLeft: number) =>
  ({ case: "choiceRejected", value: { decisionId, reason, triesLeft } }) as const;
const accepted = (decisionId: bigint) => ({ case: "choiceAccepted", value: { decisionId } }) as const;

test("Hello says who the bot is", async (t) => {
  const peer = await Peer.start(t);
  peer.bot(t, { concurrent: 3, games: ["fidelitas"] });
  const { hello } = await peer.welcome();
  const { $typeName, ...said } = hello;
  assert.deepEqual(said, {
    token: "secret",
    botName: "tested",
    botVersion: "",
    sdk: "palio-typescript/0.1.0",
    protocolVersion: 1,
    games: ["fidelitas"],
    maxConcurrentMatches: 3,
    resume: {},
  });
});

test("a match from its start to Leave", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t, { matches: 1 });
  const { line } = await peer.welcome();
  await line.begin("m");
  const player = await bot.players.next();
  assert.equal(player.match.id, "m");
  assert.equal(player.match.started.seat, 1);
  line.say(line.about("m", events), line.about("m", decision(1n)));
  const asked = await player.asked.next();
  assert.equal((await player.seen.next())[0], "events");
  assert.ok(asked.remaining !== undefined && asked.remaining > 0 && asked.remaining <= 3_600_000);
  assert.ok(asked.deadline && asked.deadline.getTime() > Date.now());
  player.answers.put(1);
  await line.expect(choose("m", 1n, 1));
  line.say(line.about("m", accepted(1n)), line.about("m", ended));
  assert.equal((await player.seen.next())[0], "ended");
  await line.expect(leave);
  line.say(goodbye(GoodbyeReason.LEFT));
  assert.equal(await bot.result, "left");
});

test("pings are answered and other matches go on while one thinks", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.welcome();
  await line.begin("slow");
  const slow = await bot.players.next();
  await line.begin("quick");
  const quick = await bot.players.next();
  line.say(line.about("slow", decision(1n)));
  await slow.asked.next();
  await line.ping();
  line.say(line.about("quick", decision(1n)));
  quick.answers.put(0);
  await line.expect(choose("quick", 1n, 0));
  slow.answers.put(1);
  await line.expect(choose("slow", 1n, 1));
});

test("a reconnection resumes, and answers again", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const first = await peer.welcome();
  await first.line.begin("m");
  const player = await bot.players.next();
  first.line.say(first.line.about("m", decision(1n)));
  player.answers.put(1);
  await first.line.expect(choose("m", 1n, 1));
  first.line.end(status.UNAVAILABLE, "cut");

  const { line, hello } = await peer.welcome();
  assert.deepEqual(hello.resume, { m: 2n });
  await line.expect(choose("m", 1n, 1));
  line.say(line.about("m", started()), line.about("m", decision(1n))); // seq 1 and 2 again
  line.say(line.about("m", accepted(1n)), line.about("m", decision(2n)));
  player.answers.put(0);
  await line.expect(choose("m", 2n, 0));
  assert.equal(player.asked.size, 2);
});

test("Ready is said again unless the server heard it", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  let { line } = await peer.welcome();
  await line.begin("m");
  line.end(); // a stream that ends without Goodbye is a lost connection
  ({ line } = await peer.welcome(bot));
  await line.expect({ case: "ready", value: { matchId: "m" } });
  line.seq.set("m", 1n);
  line.say(line.about("m", events));
  await line.quiet();
  line.end();
  ({ line } = await peer.welcome(bot));
  await line.quiet();
});

test("a gap leads to resume", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const first = await peer.welcome();
  await first.line.begin("m");
  first.line.about("m", events); // lost
  first.line.say(first.line.about("m", decision(1n)));
  const { line, hello } = await peer.welcome();
  assert.deepEqual(hello.resume, { m: 1n });
  line.seq.set("m", 1n);
  line.say(line.about("m", events), line.about("m", decision(1n)));
  const player = await bot.players.next();
  assert.equal((await player.asked.next()).id, 1n);
});

test("history is not asked", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.welcome();
  await line.begin("m");
  line.say(line.about("m", decision(1n, 0)), line.about("m", decision(2n)));
  const player = await bot.players.next();
  assert.equal((await player.asked.next()).id, 2n);
});

test("an answer that comes too late is dropped", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.welcome();
  await line.begin("m");
  const player = await bot.players.next();
  line.say(line.about("m", decision(1n)));
  const asked = await player.asked.next();
  line.say(line.about("m", accepted(1n)), line.about("m", decision(2n)));
  await player.asked.next(); // the player was called off
  assert.ok(asked.signal.aborted);
  player.answers.put(0); // taken by the call that was given up
  player.answers.put(1);
  await line.expect(choose("m", 2n, 1));
});

test("a rejected choice is asked again while tries are left", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.welcome(bot);
  await line.begin("m");
  const player = await bot.players.next();
  line.say(line.about("m", decision(1n)));
  player.answers.put(7);
  await line.expect(choose("m", 1n, 7));
  line.say(line.about("m", rejected(1n, RejectionReason.STALE, 2)));
  line.say(line.about("m", rejected(1n, RejectionReason.ILLEGAL, 1)));
  player.answers.put(8);
  await line.expect(choose("m", 1n, 8));
  line.say(line.about("m", rejected(1n, RejectionReason.ILLEGAL, 0)));
  await line.quiet();
  assert.equal(player.asked.size, 2);
  assert.equal(player.seen.size, 2);
});

test("a bot that fails loses only that match", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const first = await peer.welcome();
  await first.line.begin("bad");
  const bad = await bot.players.next();
  await first.line.begin("good");
  const good = await bot.players.next();
  bad.answers.put(new Error("out of ideas"));
  first.line.say(first.line.about("bad", decision(1n)));
  await first.line.expect({ case: "resign", value: { matchId: "bad" } });
  good.answers.put(1);
  first.line.say(first.line.about("good", decision(1n)));
  await first.line.expect(choose("good", 1n, 1));
  first.line.end();
  const { line } = await peer.welcome();
  await line.expectAll({ case: "resign", value: { matchId: "bad" } }, choose("good", 1n, 1));
});

test("a choice that is no index resigns the match", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.welcome();
  await line.begin("m");
  line.say(line.about("m", decision(1n)));
  (await bot.players.next()).answers.put(NaN);
  await line.expect({ case: "resign", value: { matchId: "m" } });
});

test("a refusal is final and typed", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.accept();
  const details = create(StatusSchema, {
    details: [
      anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason: "UNAUTHENTICATED", domain: "palio", metadata: { a: "b" } })),
      anyPack(BadRequestSchema, create(BadRequestSchema, { fieldViolations: [{ field: "hello.token" }] })),
    ],
  });
  const trailer = new Metadata();
  trailer.set("grpc-status-details-bin", Buffer.from(toBinary(StatusSchema, details)));
  line.end(status.UNAUTHENTICATED, "unknown token", trailer);
  const error = await bot.result;
  assert.ok(error instanceof PalioError);
  assert.equal(error.code, status.UNAUTHENTICATED);
  assert.equal(error.reason, "UNAUTHENTICATED");
  assert.equal(error.field, "hello.token");
  assert.deepEqual(error.metadata, { a: "b" });
  assert.equal(error.message, "UNAUTHENTICATED: hello.token: unknown token");
});

test("a full server is tried again", async (t) => {
  const peer = await Peer.start(t);
  peer.bot(t);
  for (const code of [status.UNAVAILABLE, status.RESOURCE_EXHAUSTED, status.INTERNAL]) {
    const { line } = await peer.accept();
    line.end(code, "later");
  }
  await peer.welcome();
});

test("without a server the bot gives up", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t, { server: "unix:/nowhere/at/all", giveUpAfter: 50 });
  const error = await bot.result;
  assert.ok(error instanceof PalioError);
  assert.equal(error.reason, "NO_SERVER");
});

for (const [reason, want] of [
  [GoodbyeReason.REPLACED, "REPLACED"],
  [GoodbyeReason.PROTOCOL, "PROTOCOL"],
] as const) {
  test(`Goodbye ${want} ends the bot`, async (t) => {
    const peer = await Peer.start(t);
    const bot = peer.bot(t);
    const { line } = await peer.welcome();
    line.say(goodbye(reason));
    const error = await bot.result;
    assert.ok(error instanceof PalioError);
    assert.equal(error.reason, want);
  });
}

for (const reason of [GoodbyeReason.DRAINING, GoodbyeReason.UNRESPONSIVE, 99 as GoodbyeReason]) {
  test(`Goodbye ${GoodbyeReason[reason] ?? reason} makes the bot come back`, async (t) => {
    const peer = await Peer.start(t);
    peer.bot(t);
    const { line } = await peer.welcome();
    line.say(goodbye(reason));
    await peer.welcome();
  });
}

test("leave finishes what runs, even over a lost connection", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const first = await peer.welcome();
  await first.line.begin("m");
  const player = await bot.players.next();
  bot.client.leave();
  await first.line.expect(leave);
  first.line.end();
  const { line } = await peer.welcome();
  await line.expectAll({ case: "ready", value: { matchId: "m" } }, leave);
  line.seq.set("m", 1n);
  player.answers.put(0);
  line.say(line.about("m", decision(1n)));
  await line.expect(choose("m", 1n, 0));
  line.say(line.about("m", ended), goodbye(GoodbyeReason.LEFT));
  assert.equal(await bot.result, "left");
});

test("an ended match does not start again, but its next attempt does", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.welcome(bot);
  await line.begin("m");
  line.say(line.about("m", ended));
  line.seq.set("m", 0n);
  line.say(line.about("m", started()), line.about("m", ended));
  await line.quiet();
  line.seq.set("m", 0n);
  line.say(line.about("m", started(2)));
  await line.expect({ case: "ready", value: { matchId: "m" } });
});

test("a silent server is left and found again", async (t) => {
  const peer = await Peer.start(t);
  peer.bot(t);
  const { line } = await peer.accept();
  line.say({ message: { case: "welcome", value: { heartbeat: { nanos: 10_000_000 } } } });
  await peer.welcome();
});

test("what is unknown is tolerated", async (t) => {
  const peer = await Peer.start(t);
  const bot = peer.bot(t);
  const { line } = await peer.welcome();
  await line.begin("m");
  const player = await bot.players.next();
  const unknown = [{ no: 2000, wireType: 2, data: Uint8Array.of(3, 1, 2, 3) }];
  line.say(create(UpdateSchema, { $unknown: unknown } as object));
  line.say(create(UpdateSchema, { ...line.about("m", events), message: { case: undefined }, $unknown: unknown } as object));
  line.say(line.about("m", rejected(1n, 77 as RejectionReason, 1)));
  const card = create(OptionSchema, {
    game: { case: "fidelitas", value: { choice: { case: "handCard", value: { character: 99 as Character } } } },
  });
  const asking = { case: "decision", value: create(DecisionSchema, { decisionId: 1n, options: [{}, card] }) } as const;
  line.say(create(UpdateSchema, { ...line.about("m", asking), $unknown: unknown } as object));
  const option = (await player.asked.next()).options[1]?.game;
  assert.ok(option?.case === "fidelitas" && option.value.choice.case === "handCard");
  assert.equal(option.value.choice.value.character, 99);
  player.answers.put(0);
  await line.expect(choose("m", 1n, 0));
});
