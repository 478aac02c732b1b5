// The other side of wire-thread.ts.
import { parentPort } from "node:worker_threads";

import { openWire, type Wire } from "./wire.js";
import type { Order, Report } from "./wire-thread.js";

const wires = new Map<number, Wire>();

function report(message: Report): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", (order: Order) => {
  const { id } = order;
  if ("open" in order) {
    const wire = openWire(order.open, order.silence, {
      // A copy, since a view would take the whole buffer that it is a part of along.
      message: (bytes) => report({ id, message: new Uint8Array(bytes) }),
      end: ({ details, ...end }) => {
        wires.delete(id);
        report({ id, end: { ...end, details: details && new Uint8Array(details) } });
      },
    });
    wires.set(id, wire);
  } else if ("send" in order) wires.get(id)?.send(order.send);
  else if ("silence" in order) wires.get(id)?.limitSilence(order.silence);
  else wires.get(id)?.close();
});
