import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { env, argv } from "node:process";

import { status } from "@grpc/grpc-js";

import { PalioError, Reason } from "./errors.js";
import type { Target } from "./wire.js";

/** Version of this library. */
export const VERSION = "0.1.0";
/** Version of the protocol that this library speaks. */
export const PROTOCOL_VERSION = 1;

export const DEFAULT_SERVER = "localhost:7654";
export const DEFAULT_CONCURRENT = 8;

/** Where and as whom to play. Everything may be left out. */
export interface Config {
  /** `host:port` or `unix:/path/sock`. Default: PALIO_SERVER, else localhost:7654. */
  server?: string;
  /** Says who the player is. Default: PALIO_TOKEN; may be empty on a server in open local mode. */
  token?: string;
  /** Path of a PEM file with the roots that the server's certificate must come from; switches TLS on. Default: PALIO_CA. */
  ca?: string;
  /** Use TLS with the system's roots. Default: whether PALIO_TLS is 1. */
  tls?: boolean;
  /** Paths of PEM files: the bot's own certificate, for servers that ask for one. Default: PALIO_CERT. */
  cert?: string;
  /** Its key. Default: PALIO_KEY. */
  key?: string;
  /**
   * A label, on a server in open local mode also the player's name. PALIO_BOT_NAME overrides it, so that one program
   * can play under several names. Default: the script's name.
   */
  name?: string;
  /** A label. */
  botVersion?: string;
  /** Ids of the games that the bot plays. Default: all. */
  games?: string[];
  /** How many matches to play at the same time, at most. Default: 8. */
  concurrent?: number;
  /** After how many finished matches to leave. Default: never. */
  matches?: number;
  /** How long to try to open a session before `run` fails, in milliseconds. Default: 60,000. */
  giveUpAfter?: number;
  /** The shortest and the longest wait between tries, in milliseconds. Default: 100 and 5,000. */
  backoff?: readonly [min: number, max: number];
  /** Ends `run` at once when it aborts. */
  signal?: AbortSignal;
  /** Told what the bot's author should know. Default: lines on stderr. */
  log?: (line: string) => void;
}

export type Settings = Required<Omit<Config, "signal">> & Pick<Config, "signal">;

/** Fills in the environment and the defaults. */
export function settings(config: Config): Settings {
  const ca = config.ca ?? env["PALIO_CA"] ?? "";
  return {
    server: config.server ?? (env["PALIO_SERVER"] || DEFAULT_SERVER),
    token: config.token ?? env["PALIO_TOKEN"] ?? "",
    ca,
    tls: config.tls ?? (ca !== "" || env["PALIO_TLS"] === "1"),
    cert: config.cert ?? env["PALIO_CERT"] ?? "",
    key: config.key ?? env["PALIO_KEY"] ?? "",
    name: env["PALIO_BOT_NAME"] || config.name || basename(argv[1] ?? "bot", ".js"),
    botVersion: config.botVersion ?? "",
    games: config.games ?? [],
    concurrent: config.concurrent ?? DEFAULT_CONCURRENT,
    matches: config.matches ?? 0,
    giveUpAfter: config.giveUpAfter ?? 60_000,
    backoff: config.backoff ?? [100, 5_000],
    signal: config.signal,
    log: config.log ?? ((line) => console.error(`palio: ${line}`)),
  };
}

/** Where to connect. Throws a PalioError where a file cannot be read. */
export function target(config: Settings): Target {
  const to: Target = { address: config.server, tls: config.tls || config.ca !== "" };
  if (config.ca) to.ca = read("PALIO_CA", config.ca);
  if (config.cert || config.key) to.own = { cert: read("PALIO_CERT", config.cert), key: read("PALIO_KEY", config.key) };
  return to;
}

function read(name: string, path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new PalioError(status.INVALID_ARGUMENT, `${name}: ${(error as Error).message}`, { reason: Reason.INVALID_CONFIG });
  }
}
