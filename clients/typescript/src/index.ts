/** Connects bots to a Palio server. A bot is a function that says who plays a match: see Bot, Player and bots/. */
export { type Bot, Decision, type Match, type Player } from "./bot.js";
export { getGame } from "./catalog.js";
export { Client } from "./client.js";
export { type Config, PROTOCOL_VERSION, VERSION } from "./config.js";
export { PalioError, Reason } from "./errors.js";
export { main } from "./main.js";
