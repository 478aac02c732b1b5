import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Metadata } from "@grpc/grpc-js";

import { type Config, settings, target } from "./config.js";
import { PalioError } from "./errors.js";
import {
  CatalogService,
  GetGameRequestSchema,
  type GetGameResponse,
  GetGameResponseSchema,
} from "./gen/palio/v1/catalog_pb.js";
import { connect } from "./wire.js";

/** How long the call may take, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * Asks the server for a game and its cards as data.
 * @throws PalioError
 */
export async function getGame(game: string, config: Config = {}): Promise<GetGameResponse> {
  const all = settings(config);
  const client = connect(target(all));
  const metadata = new Metadata();
  if (all.token) metadata.set("authorization", `Bearer ${all.token}`);
  const { name, parent } = CatalogService.method.getGame;
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/${parent.typeName}/${name}`,
        (request: Uint8Array) => Buffer.from(request),
        (bytes) => fromBinary(GetGameResponseSchema, bytes),
        toBinary(GetGameRequestSchema, create(GetGameRequestSchema, { game })),
        metadata,
        { deadline: Date.now() + TIMEOUT },
        (error, response) => {
          if (response) resolve(response);
          else if (error) {
            const details = error.metadata.get("grpc-status-details-bin")[0];
            reject(
              PalioError.fromStatus(error.code, error.details, typeof details === "string" ? undefined : details),
            );
          }
        },
      );
    });
  } finally {
    client.close();
  }
}
