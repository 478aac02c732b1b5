import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import * as grpc from "@grpc/grpc-js";

import { PingSchema, PlayRequestSchema, PlayResponseSchema, PlayService, UpdateSchema } from "./gen/palio/v1/play_pb.js";

/** Where to connect. */
export interface Target {
  address: string;
  tls: boolean;
  /** PEM; the system's roots where it is left out. */
  ca?: Uint8Array;
  /** PEM: the bot's own certificate and its key. */
  own?: { cert: Uint8Array; key: Uint8Array };
}

/** Why a stream ended. */
export interface WireEnd {
  code: grpc.status;
  message: string;
  /** A serialised google.rpc.Status. */
  details?: Uint8Array | undefined;
}

export interface WireEvents {
  /** A serialised PlayResponse. */
  message(bytes: Uint8Array): void;
  /** Nothing follows. */
  end(end: WireEnd): void;
}

/** A stream as those see it who only pass bytes. */
export interface Wire {
  /** Sends a serialised PlayRequest. */
  send(bytes: Uint8Array): void;
  /** From now on the server must not be silent for longer, in milliseconds; 0 sets no limit. */
  limitSilence(milliseconds: number): void;
  close(): void;
}

/** Options that let the client decide when a broken connection is tried again. */
const CHANNEL: grpc.ChannelOptions = {
  "grpc.use_local_subchannel_pool": 1,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
};

export function connect(to: Target): grpc.Client {
  const pem = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes) : null);
  const credentials = to.tls
    ? grpc.credentials.createSsl(pem(to.ca), pem(to.own?.key), pem(to.own?.cert))
    : grpc.credentials.createInsecure();
  return new grpc.Client(to.address, credentials, CHANNEL);
}

/**
 * Opens a Play stream. Pings are answered here, since this runs in a thread of its own (see wire-thread.ts): a bot that
 * computes for long blocks its own event loop, but not the heartbeat.
 */
export function openWire(to: Target, silence: number, events: WireEvents): Wire {
  const client = connect(to);
  const bytes = (value: Buffer) => value;
  const { name, parent } = PlayService.method.play;
  const call = client.makeBidiStreamRequest(`/${parent.typeName}/${name}`, bytes, bytes);

  let limit = 0;
  let silent = false;
  let watchdog: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(watchdog);
    if (limit > 0) {
      watchdog = setTimeout(() => {
        silent = true;
        call.cancel();
      }, limit);
    }
  };
  const wire: Wire = {
    send: (request) => {
      if (call.writable) call.write(Buffer.from(request.buffer, request.byteOffset, request.byteLength));
    },
    limitSilence: (milliseconds) => {
      limit = milliseconds;
      watch();
    },
    close: () => call.cancel(),
  };
  wire.limitSilence(silence);
  call.on("data", (response: Buffer) => {
    watch();
    for (const nonce of pings(response)) {
      const pong = create(PlayRequestSchema, { message: { case: "pong", value: { nonce } } });
      wire.send(toBinary(PlayRequestSchema, pong));
    }
    events.message(response);
  });
  call.on("error", () => {}); // "status" tells the same
  call.on("status", ({ code, details, metadata }: grpc.StatusObject) => {
    clearTimeout(watchdog);
    client.close();
    const status = metadata.get("grpc-status-details-bin")[0];
    events.end({
      code: silent ? grpc.status.UNAVAILABLE : code,
      message: silent ? "the server is silent" : details,
      details: typeof status === "string" ? undefined : status,
    });
  });
  return wire;
}

const UPDATES = PlayResponseSchema.field.updates.number;
const PING = UpdateSchema.field.ping.number;

/** The nonces of the pings in a serialised PlayResponse, found without reading anything else. */
export function* pings(response: Uint8Array): Generator<bigint> {
  for (const update of parts(response, UPDATES)) {
    for (const ping of parts(update, PING)) yield fromBinary(PingSchema, ping).nonce;
  }
}

function* parts(message: Uint8Array, wanted: number): Generator<Uint8Array> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === wanted) yield reader.bytes();
    else reader.skip(wireType, field);
  }
}
