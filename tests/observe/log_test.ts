import assert from "node:assert/strict";
import { safeLogger } from "@sluice/agent/extend";
import type { Logger } from "@sluice/agent";
import { test } from "../_harness.ts";
import { nextTurn } from "../_turn.ts";
import { unhandledIn } from "../conversation/_rig.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;

test("safeLogger() hands lines on with their fields, called on the logger itself", () => {
  class Own implements Logger {
    readonly lines: unknown[][] = [];
    debug(...line: unknown[]): void {
      this.lines.push(["debug", ...line]);
    }
    info(...line: unknown[]): void {
      this.lines.push(["info", ...line]);
    }
    warn(...line: unknown[]): void {
      this.lines.push(["warn", ...line]);
    }
    error(...line: unknown[]): void {
      this.lines.push(["error", ...line]);
    }
  }
  const own = new Own();
  const log = safeLogger(own);
  assert.equal(log.isOn, true);
  for (const level of LEVELS) {
    log[level]("plain");
    log[level]("with fields", { level });
  }
  assert.deepEqual(
    own.lines,
    LEVELS.flatMap((level) => [
      [level, "plain"],
      [level, "with fields", { level }],
    ]),
  );
});

test("safeLogger() is silent without a logger", () => {
  const log = safeLogger();
  assert.equal(log.isOn, false);
  for (const level of LEVELS) log[level]("nobody hears it", { level });
});

test(
  "safeLogger() is disturbed by no logger: throwing, rejecting, or lacking a level",
  async () => {
    const loggers: Partial<Record<keyof Logger, unknown>>[] = [
      {},
      { warn: "no function" },
      {
        get warn() {
          throw new Error("getter");
        },
      },
      {
        warn: () => {
          throw new Error("line");
        },
      },
      { warn: () => Promise.reject(new Error("later")) },
      {
        warn: () => ({
          then: () => {
            throw new Error("a thenable that throws");
          },
        }),
      },
    ];
    const rejections = await unhandledIn(async () => {
      for (const logger of loggers) {
        const log = safeLogger(logger as Logger);
        for (const level of LEVELS) {
          assert.doesNotThrow(() => log[level]("line", { level }));
        }
        await nextTurn();
      }
    });
    assert.deepEqual(rejections, []);
  },
  { ids: ["OB-14"] },
);
