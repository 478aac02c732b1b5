import { Worker } from "node:worker_threads";

import type { Target, Wire, WireEnd, WireEvents } from "./wire.js";

/** To the thread. `id` numbers the streams. */
export type Order =
  | { id: number; open: Target; silence: number }
  | { id: number; send: Uint8Array }
  | { id: number; silence: number }
  | { id: number; close: true };

/** From the thread. */
export type Report = { id: number; message: Uint8Array } | { id: number; end: WireEnd };

/** The thread in which all streams run, so that heartbeats are answered while the bot computes. Started when needed. */
let thread: Worker | undefined;
const streams = new Map<number, WireEvents>();
let last = 0;

/** Opens a Play stream in the thread; see openWire. */
export function openWireInThread(to: Target, silence: number, events: WireEvents): Wire {
  const worker = (thread ??= start());
  const order = (message: Order) => worker.postMessage(message);
  const id = ++last;
  streams.set(id, events);
  worker.ref(); // the process lives as long as a stream does
  order({ id, open: to, silence });
  return {
    send: (bytes) => order({ id, send: bytes }),
    limitSilence: (milliseconds) => order({ id, silence: milliseconds }),
    close: () => order({ id, close: true }),
  };
}

function start(): Worker {
  const worker = new Worker(new URL("./wire-worker.js", import.meta.url));
  worker.on("message", (report: Report) => {
    const events = streams.get(report.id);
    if ("message" in report) {
      events?.message(report.message);
      return;
    }
    streams.delete(report.id);
    if (streams.size === 0) worker.unref();
    events?.end(report.end);
  });
  return worker;
}
