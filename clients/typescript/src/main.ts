import process, { exit } from "node:process";
import { parseArgs } from "node:util";

import type { Bot } from "./bot.js";
import { Client } from "./client.js";
import { type Config, DEFAULT_CONCURRENT, DEFAULT_SERVER } from "./config.js";

const USAGE = `options:
  --server ADDRESS   host:port or unix:/path (default: PALIO_SERVER, else ${DEFAULT_SERVER})
  --matches N        leave after so many matches (default: never)
  --concurrent N     play at most so many matches at the same time (default: ${DEFAULT_CONCURRENT})`;

/**
 * The main program of a bot: plays until it is told to stop, then ends the process. Arguments override config. The
 * first SIGINT or SIGTERM makes the bot leave once its matches are over, the second
 * one ends it at once. The status is 0 after leaving, 1 after an error, 2 for wrong arguments.
 */
export async function main(config: Config, bot: Bot): Promise<never> {
  const client = new Client(bot, { ...config, ...options(config) });
  let told = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (told) exit(1);
      told = true;
      client.leave();
    });
  }
  try {
    await client.run();
    exit(0);
  } catch (error) {
    console.error(`palio: ${error instanceof Error ? error.message : error}`);
    exit(1);
  }
}

function options(config: Config): Config {
  try {
    const text = { type: "string" } as const;
    const { values } = parseArgs({
      options: { server: text, matches: { ...text, default: String(config.matches ?? 0) }, concurrent: { ...text, default: String(config.concurrent ?? DEFAULT_CONCURRENT) } },
    });
    const whole = (option: "matches" | "concurrent", minimum: number) => {
      const value = Number(values[option]);
      if (!Number.isInteger(value) || value < minimum) throw new Error(`--${option} must be a whole number from ${minimum}`);
      return value;
    };
    const numbers = { matches: whole("matches", 0), concurrent: whole("concurrent", 1) };
    return values.server === undefined ? numbers : { server: values.server, ...numbers };
  } catch (error) {
    console.error(`palio: ${(error as Error).message}\n${USAGE}`);
    exit(2);
  }
}
