// A bot that computes for long without ever giving its event loop a turn; see heartbeat.test.ts.
import { writeSync } from "node:fs";

import { main } from "../src/index.js";

await main({ name: "blocked" }, () => ({
  choose: () => {
    writeSync(1, "thinking");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    return 1;
  },
}));
