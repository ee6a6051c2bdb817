import assert from "node:assert/strict";
import { Meter } from "../../src/observe/metrics.ts";
import { test } from "../_harness.ts";

test(
  "Meter counts bytes and lines both ways, and remembers the last activity",
  () => {
    const meter = new Meter();
    assert.equal(meter.lastActivityMs, undefined);
    meter.read(10, 1_000);
    meter.read(5, 2_000);
    meter.wrote(7, 3, 1_500);
    assert.equal(meter.bytesRead, 15);
    assert.equal(meter.bytesWritten, 7);
    assert.equal(meter.messagesSent, 3);
    assert.equal(meter.messagesReceived, 0);
    assert.equal(meter.lastActivityMs, 1_500);
  },
);
