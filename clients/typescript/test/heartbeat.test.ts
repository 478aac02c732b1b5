import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { GoodbyeReason } from "../src/gen/palio/v1/play_pb.js";
import { choose, decision, ended, Peer } from "./peer.js";

test("pings are answered while the bot blocks its event loop", async (t) => {
  const peer = await Peer.start(t);
  const script = fileURLToPath(new URL("./blocked-bot.js", import.meta.url));
  const bot = spawn(process.execPath, [script, "--matches", "1"], {
    env: { ...process.env, PALIO_SERVER: peer.address },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => bot.kill("SIGKILL"));
  const { line } = await peer.welcome();
  await line.begin("m");
  line.say(line.about("m", decision(1n)));
  await once(bot.stdout, "data"); // it is thinking
  await line.ping(); // the Pong comes before the choice
  await line.expect(choose("m", 1n, 1));
  line.say(line.about("m", ended));
  await line.expect({ case: "leave", value: {} });
  line.say({ message: { case: "goodbye", value: { reason: GoodbyeReason.LEFT } } });
  assert.deepEqual(await once(bot, "exit"), [0, null]);
});
