import { systemClock } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { listSources, readSource } from "../_examples.ts";
import { test } from "../_harness.ts";
import { refusal } from "./_config_error.ts";

const DEFAULTS = {
  timeouts: {
    connectMs: 30_000,
    writeMs: 5_000,
    controlMs: 60_000,
    hookMs: 30_000,
    permissionMs: 120_000,
    mcpMs: 45_000,
    abandonedMs: 300_000,
  },
  shutdown: {
    graceMs: 10_000,
    killMs: 15_000,
    forwardSignals: true,
    ownProcessGroup: false,
    guardProcess: true,
  },
  limits: {
    maxMessageBytes: 33_554_432,
    readAheadBytes: 8_388_608,
    maxBufferedBytes: 67_108_864,
    stderrTailBytes: 262_144,
    stderrLinesPerSecond: 100,
    stderrWarnBytes: 10_485_760,
  },
  health: { checkMs: 30_000, idleMs: 120_000, onIdle: "warn" },
  validation: "envelope",
  clock: systemClock,
  allowedTools: undefined,
  deniedTools: [],
  approvedTools: [],
};

test("resolveOptions() fills in every default", () => {
  for (const options of [undefined, {}]) {
    const { options: kept, ...rest } = resolveOptions(options);
    assert.deepEqual(rest, DEFAULTS);
    assert.deepEqual(kept, {});
  }
}, { ids: ["O-02", "O-08"] });

test(
  "10 s of grace and 15 s to the kill stand once in the code, and in the docs",
  () => {
    const found = listSources("src")
      .filter((path) => !path.startsWith("src/testing/"))
      .flatMap((path) => readSource(path).split("\n"))
      .filter((line) =>
        /^\s*[^\s*/].*\b(?:1[05]_?000|1[05]e3|1e4)\b/.test(line)
      )
      .filter((line) => /grace|kill|term|stop|shutdown/i.test(line));
    assert.deepEqual(found.map((line) => line.trim()), [
      '"shutdown.graceMs": option<number>({ check: wait, default: 10_000 }),',
      '"shutdown.killMs": option<number>({ check: wait, default: 15_000 }),',
    ]);
    const endings = readSource("docs/errors.md");
    assert.match(endings, /`shutdown\.graceMs`, 10 s/);
    assert.match(endings, /`shutdown\.killMs`, 15 s/);
  },
  { ids: ["E-04"] },
);

test("resolveOptions() takes each time limit by itself", () => {
  const keys = Object.keys(DEFAULTS.timeouts);
  for (const key of keys) {
    const { timeouts } = resolveOptions({ timeouts: { [key]: 7 } });
    assert.deepEqual(timeouts, { ...DEFAULTS.timeouts, [key]: 7 });
  }
}, { ids: ["DEC-09"] });

test("resolveOptions() cuts tool lists at commas outside of brackets", () => {
  const { allowedTools } = resolveOptions({
    allowedTools: " Read , Bash(git log --format=%h,%s:*),,mcp__docs ",
  });
  assert.deepEqual(allowedTools, [
    "Read",
    "Bash(git log --format=%h,%s:*)",
    "mcp__docs",
  ]);
  assert.deepEqual(
    resolveOptions({ deniedTools: ["Bash", "Bash", "Edit,Read"] }).deniedTools,
    ["Bash", "Edit", "Read"],
  );
  assert.deepEqual(resolveOptions({ allowedTools: "" }).allowedTools, []);
});

test("resolveOptions() refuses limits in the wrong order, defaults included", () => {
  for (
    const [options, key, text] of [
      [
        { shutdown: { graceMs: 500, killMs: 499 } },
        "shutdown.killMs",
        /500: 499/,
      ],
      [
        { shutdown: { graceMs: 15_001 } },
        "shutdown.killMs",
        /"graceMs", which/,
      ],
      [
        { limits: { readAheadBytes: 2, maxBufferedBytes: 1 } },
        "limits.readAheadBytes",
        /"maxBufferedBytes", which is 1: 2/,
      ],
      [
        { limits: { readAheadBytes: 67_108_865 } },
        "limits.readAheadBytes",
        /which is 67108864/,
      ],
    ] as const
  ) {
    const error = refusal(options);
    assert.equal(error.key, key);
    assert.match(error.message, text);
  }
  // A sooner kill alone brings the step before it along.
  const { shutdown } = resolveOptions({ shutdown: { killMs: 9_999 } });
  assert.deepEqual([shutdown.graceMs, shutdown.killMs], [9_999, 9_999]);
  resolveOptions({
    shutdown: { graceMs: 500, killMs: 500 },
    limits: { readAheadBytes: 5, maxBufferedBytes: 5 },
  });
});
