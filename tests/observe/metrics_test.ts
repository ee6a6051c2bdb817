import assert from "node:assert/strict";
import { Meter, safeMetrics } from "../../src/observe/metrics.ts";
import { FakeClock } from "@sluice/agent/testing";
import type { Metrics } from "@sluice/agent";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";

const MEMBERS = {
  transport: [
    "cliDiscovery",
    "processStart",
    "messageSent",
    "messageReceived",
    "error",
    "processExit",
  ],
  protocol: [
    "request",
    "success",
    "error",
    "timeout",
    "malformedMessage",
    "unknownResponse",
    "pendingRequests",
    "orphanedRequests",
    "handlerFailure",
  ],
  parser: ["parse", "unknownMessageType", "unknownBlockType", "parseError"],
} as const;
const GROUPS = ["transport", "protocol", "parser"] as const;

/** Calls every member of every group. */
function callAll(metrics: Metrics): string[] {
  const called: string[] = [];
  const safe = safeMetrics(metrics);
  for (const group of GROUPS) {
    const members = safe[group] as
      | Record<string, (...args: unknown[]) => void>
      | undefined;
    if (members === undefined) continue;
    assert.deepEqual(Object.keys(members).sort(), [...MEMBERS[group]].sort());
    for (const [name, member] of Object.entries(members)) {
      assert.equal(member(name, 1, true), undefined);
      called.push(`${group}.${name}`);
    }
  }
  return called;
}

test(
  "safeMetrics() fills in what a group lacks, and leaves out groups that nobody gave",
  () => {
    assert.deepEqual(safeMetrics(), {
      transport: undefined,
      protocol: undefined,
      parser: undefined,
    });
    const { protocol, parser } = safeMetrics({ protocol: {} });
    assert.ok(protocol !== undefined);
    assert.equal(parser, undefined);
    assert.equal(
      callAll({ transport: {}, protocol: {}, parser: {} }).length,
      6 + 9 + 4,
    );
  },
  { ids: ["OB-01", "OB-02", "OB-04"] },
);

test("safeMetrics() calls each member on its group, with all it is told", () => {
  class Counting {
    readonly calls: unknown[][] = [];
    success(...call: unknown[]): void {
      this.calls.push(call);
    }
  }
  const group = new Counting();
  const { protocol } = safeMetrics({ protocol: group });
  protocol?.success("initialize", 12);
  protocol?.error("initialize");
  assert.deepEqual(group.calls, [["initialize", 12]]);
});

test(
  "safeMetrics() is disturbed by no group: throwing, rejecting, or no function at all",
  async () => {
    const values: unknown[] = [
      () => {
        throw new Error("member");
      },
      () => Promise.reject(new Error("later")),
      "no function",
      null,
    ];
    for (const value of values) {
      const group = new Proxy({}, { get: () => value });
      callAll({ transport: group, protocol: group, parser: group });
      await nextTurn();
    }
    const hostile = new Proxy({}, {
      get: () => {
        throw new Error("getter");
      },
    });
    callAll({ transport: hostile, protocol: hostile, parser: hostile });
  },
  { ids: ["OB-14"] },
);

test(
  "Meter counts bytes and lines both ways, and remembers the last activity",
  async () => {
    const meter = new Meter();
    assert.equal(meter.lastActivityAt, undefined);
    const clock = new FakeClock(1_000);
    meter.read(10, clock);
    await clock.advance(500);
    meter.read(5, clock);
    assert.deepEqual([meter.lastActivityAt, meter.lastSignMs], [
      1_500,
      undefined,
    ]);
    await clock.advance(500);
    meter.wrote(7, 3, clock);
    assert.equal(meter.bytesRead, 15);
    assert.equal(meter.bytesWritten, 7);
    assert.equal(meter.messagesSent, 3);
    assert.equal(meter.messagesReceived, 0);
    assert.equal(meter.lastActivityAt, 2_000);
  },
);
