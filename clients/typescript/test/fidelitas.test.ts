import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { create, fromBinary } from "@bufbuild/protobuf";

import { Greedy } from "../src/fidelitas/index.js";
import { type Catalogue, type Location, MissioCardSchema } from "../src/gen/palio/fidelitas/v1/fidelitas_pb.js";
import { GetGameResponseSchema } from "../src/gen/palio/v1/catalog_pb.js";
import { PlayResponseSchema } from "../src/gen/palio/v1/play_pb.js";

/** One of the files that all SDKs are tested with. */
function vectors(name: string): Uint8Array {
  return readFileSync(new URL(`../../../../tests/vectors/${name}`, import.meta.url));
}

function catalogue(): Catalogue {
  const game = fromBinary(GetGameResponseSchema, vectors("catalogue.binpb")).catalogue?.game;
  assert.ok(game?.case === "fidelitas");
  return game.value;
}

test("greedy chooses as in every other language", () => {
  const cards = catalogue();
  let greedy = new Greedy(cards);
  let decisions = 0;
  for (const { message, matchId } of fromBinary(PlayResponseSchema, vectors("greedy.binpb")).updates) {
    if (message.case === "matchStarted") {
      const options = message.value.options?.game;
      greedy = new Greedy(cards, options?.case === "fidelitas" ? options.value : undefined);
    } else if (message.case === "decision") {
      const { decisionId, kind, observation, options, answered } = message.value;
      assert.ok(observation?.game.case === "fidelitas");
      const choices = options.map(({ game }) => {
        assert.ok(game.case === "fidelitas");
        return game.value;
      });
      assert.equal(greedy.choose(observation.game.value, choices), answered, `${matchId}, ${decisionId}, ${kind}`);
      decisions += 1;
    }
  }
  assert.ok(decisions > 500);
});

test("Missio conditions", () => {
  const { judge, missio } = new Greedy(catalogue());
  const city = [[1, 3, 5, 7], [], [14], [], [9, 14], [11], [], [1, 2], [10, 10], [9, 9, 9, 9, 9, 9, 9]];
  const locations = city.map((_, i): Location => i + 1);
  const met = [...missio].filter(([, card]) => judge.met(card, city, locations)).map(([id]) => id);
  assert.deepEqual(met, [1, 13, 20]);
  assert.ok(!judge.met(create(MissioCardSchema, { points: 1 }), city, locations), "of an unknown kind");
});
