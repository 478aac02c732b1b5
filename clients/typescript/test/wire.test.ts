import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { createRegistry, fromBinary, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { file_google_protobuf_duration } from "@bufbuild/protobuf/wkt";

import { file_palio_v1_catalog } from "../src/gen/palio/v1/catalog_pb.js";
import { file_palio_v1_match } from "../src/gen/palio/v1/match_pb.js";
import { file_palio_v1_play } from "../src/gen/palio/v1/play_pb.js";
import { file_palio_v1_replay } from "../src/gen/palio/v1/replay_pb.js";
import { file_palio_v1_simulation } from "../src/gen/palio/v1/simulation_pb.js";

const wire = new URL("../../../../tests/vectors/wire/", import.meta.url);
const registry = createRegistry(
  file_palio_v1_catalog,
  file_palio_v1_match,
  file_palio_v1_play,
  file_palio_v1_replay,
  file_palio_v1_simulation,
  file_google_protobuf_duration,
);

test("golden messages read and write the same", async (t) => {
  const names = readdirSync(wire).flatMap((file) => (file.endsWith(".binpb") ? [file.slice(0, -".binpb".length)] : []));
  assert.ok(names.length > 0);
  for (const name of names) {
    await t.test(name, () => {
      const schema = registry.getMessage(`palio.v1.${name.split(".")[0]}`);
      assert.ok(schema);
      const bytes = readFileSync(new URL(`${name}.binpb`, wire));
      const message = fromBinary(schema, bytes);
      assert.deepEqual(Buffer.from(toBinary(schema, message)), bytes);
      const json = JSON.parse(readFileSync(new URL(`${name}.json`, wire), "utf8")) as JsonValue;
      assert.deepEqual(toJson(schema, message, { registry }), json);
    });
  }
});
