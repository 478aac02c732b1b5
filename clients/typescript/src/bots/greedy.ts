/** Plays Fidelitas as docs/greedy.md says: it takes what brings its Missio cards nearest, now. */
import { Greedy } from "../fidelitas/index.js";
import { main } from "../index.js";

await main({ name: "ts-greedy", games: ["fidelitas"] }, async (match) => {
  const catalogue = await match.catalogue();
  if (catalogue.game.case !== "fidelitas") throw new Error("the server's catalogue has no cards of Fidelitas");
  const options = match.started.options?.game;
  const greedy = new Greedy(catalogue.game.value, options?.case === "fidelitas" ? options.value : undefined);
  return {
    choose: (decision) => {
      const { observation, options } = decision.fidelitas();
      return greedy.choose(observation, options);
    },
  };
});
