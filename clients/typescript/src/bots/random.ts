/** Picks any option: a bot that knows nothing about the game. */
import { main } from "../index.js";

await main({ name: "ts-random" }, () => ({
  choose: ({ options }) => Math.floor(Math.random() * options.length),
}));
