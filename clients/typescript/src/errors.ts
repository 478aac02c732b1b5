import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { status } from "@grpc/grpc-js";

import { BadRequestSchema, ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "./gen/google/rpc/status_pb.js";

/** Reasons that the library itself gives; all others come from the server's table of errors. */
export const Reason = {
  /** A newer session of the same player took over. */
  REPLACED: "REPLACED",
  /** The bot broke the protocol, by the server's word. */
  PROTOCOL: "PROTOCOL",
  /** No session could be opened within the time that the bot tries. */
  NO_SERVER: "NO_SERVER",
  /** The configuration is at fault, for example a CA file that cannot be read. */
  INVALID_CONFIG: "INVALID_CONFIG",
} as const;

const BROKEN_CONNECTION: readonly status[] = [
  status.INTERNAL,
  status.UNKNOWN,
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
];

/** What went wrong with a call or a session: one type for every cause. */
export class PalioError extends Error {
  override readonly name = "PalioError";
  /** gRPC status code. */
  readonly code: status;
  /** For programs, for example UNAUTHENTICATED; empty where no Palio server spoke (a broken connection). */
  readonly reason: string;
  /** Path of the field at fault; often empty. */
  readonly field: string;
  /** Further facts for programs. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(
    code: status,
    message: string,
    { reason = "", field = "", metadata = {} }: { reason?: string; field?: string; metadata?: Record<string, string> } = {},
  ) {
    super(`${reason || status[code]}: ${field && `${field}: `}${message}`);
    this.code = code;
    this.reason = reason;
    this.field = field;
    this.metadata = metadata;
  }

  /** Whether the same may work later: the server drains or is full, or the connection broke. */
  get transient(): boolean {
    if (this.code === status.UNAVAILABLE || this.code === status.RESOURCE_EXHAUSTED) return true;
    return this.reason === "" && BROKEN_CONNECTION.includes(this.code);
  }

  /**
   * Reads a failed call's status.
   * @param details a serialised google.rpc.Status, if the server sent one; what cannot be read of it is left out
   */
  static fromStatus(code: status, message: string, details?: Uint8Array): PalioError {
    let reason = "";
    let field = "";
    let metadata: Record<string, string> = {};
    try {
      for (const any of details ? fromBinary(StatusSchema, details).details : []) {
        const info = anyUnpack(any, ErrorInfoSchema);
        if (info?.domain === "palio") ({ reason, metadata } = info);
        field ||= anyUnpack(any, BadRequestSchema)?.fieldViolations[0]?.field ?? "";
      }
    } catch {
      // the code and the message say enough
    }
    return new PalioError(code, message, { reason, field, metadata });
  }
}
