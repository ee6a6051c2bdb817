import assert from "node:assert/strict";
import { Deferred } from "@sluice/agent/extend";
import { FakeClock } from "@sluice/agent/testing";
import { StartLimit } from "../../src/compat/start_limit.ts";
import { test } from "../_harness.ts";

/** Messages about a hook. */
const started = (id: string, event = "SessionStart") => ({
  type: "system",
  subtype: "hook_started",
  hook_id: id,
  hook_name: `${event}:${id}`,
  hook_event: event,
});
const finished = (id: string) => ({
  type: "system",
  subtype: "hook_response",
  hook_id: id,
});

const phase = (name: unknown) => ({ type: "keep_alive", startup_mark: name });

/** Steps of a start: milliseconds that pass, or messages. */
type Steps = readonly (number | object)[];

const CAUSES =
  "Slow plugins, MCP servers, other hooks, disks or network can each cause this.";

const NONE = "No SessionStart or Setup hook was reported running.";

/** Starts that are in time, by name. */
const IN_TIME: Readonly<Record<string, Steps>> = {
  "without hooks": [59_999],
  "with a slow hook": [59_000, started("a"), 500_000, finished("a"), 999],
  "with two hooks at once": [
    started("a"),
    started("b", "Setup"),
    50_000,
    finished("a"),
    50_000,
    finished("b"),
    59_999,
  ],
  "with hooks one after the other": [
    ...["a", "b", "c"].flatMap((id) => [
      10_000,
      started(id),
      90_000,
      finished(id),
    ]),
    29_999,
  ],
  "with a hook that never ends": [started("a"), 600_000, 59_999],
};

/** Starts that are late, with their timeouts and errors. */
const LATE: Readonly<
  Record<string, readonly [steps: Steps, error: string, limitMs?: number]>
> = {
  "without hooks": [[60_000], `within 60000ms. ${NONE} ${CAUSES}`],
  "after a slow hook": [
    [59_000, started("a"), 500_000, finished("a"), 1_000],
    `within 60000ms. Not counted: 500 s of startup hooks. All startup hooks have finished. ${CAUSES}`,
  ],
  "with a hook that never ends": [
    [started("a"), 300_000, started("b"), finished("b"), 300_000, 60_000],
    "within 60000ms. Not counted: 600 s of startup hooks. Hooks that have not finished: SessionStart:a.",
  ],
  "with another hook": [
    [started("a", "PreToolUse"), 60_000],
    `within 60000ms. ${NONE} ${CAUSES}`,
  ],
  "after hooks one after the other": [
    [
      ...["a", "b"].flatMap((id) => [started(id), 90_000, finished(id)]),
      60_000,
    ],
    `within 60000ms. Not counted: 180 s of startup hooks. All startup hooks have finished. ${CAUSES}`,
  ],
  "with a hook that follows one that took too long": [
    [started("a"), 650_000, finished("a"), started("b"), 10_000],
    "within 60000ms. Not counted: 600 s of startup hooks. Hooks that have not finished: SessionStart:b.",
  ],
  "with a message of another type": [
    [{ ...started("a"), type: "user" }, 60_000],
    `within 60000ms. ${NONE} ${CAUSES}`,
  ],
  "with a hook that reports progress, and has no name": [
    [
      { ...started("a"), hook_name: undefined },
      { ...finished("a"), subtype: "hook_progress" },
      660_000,
    ],
    "within 60000ms. Not counted: 600 s of startup hooks. Hooks that have not finished: SessionStart.",
  ],
  "after two phases": [
    [phase("plugins"), 9_000, phase("servers"), phase(5), 51_000],
    `within 60000ms. The last phase of the start, for 51000 ms: servers. ${NONE} ${CAUSES}`,
  ],
  "with a slow hook and a timeout of the user": [
    [started("a"), 5_000],
    "within 5000ms. Hooks that have not finished: SessionStart:a.",
    5_000,
  ],
};

/** Plays the steps; resolves with the limit's error, if there is one. */
async function played(steps: Steps, limitMs?: number): Promise<string> {
  const clock = new FakeClock();
  const limit = new StartLimit(limitMs, clock);
  const start = new Deferred<string>();
  const outcome = limit.within(start.promise).catch(({ message }) => message);
  for (const step of steps) {
    if (typeof step === "number") await clock.advance(step);
    else limit.see(step as never);
  }
  start.resolve("started");
  return await outcome;
}

for (const [name, steps] of Object.entries(IN_TIME)) {
  test(`a start ${name} is in time`, async () => {
    assert.equal(await played(steps), "started");
  });
}

for (const [name, [steps, error, limitMs]] of Object.entries(LATE)) {
  test(`a start ${name} is late`, async () => {
    assert.equal(
      await played(steps, limitMs),
      `Subprocess initialization did not complete ${error}`,
    );
  });
}

test("a start that is over leaves no timer behind, whatever hooks report later", async () => {
  const clock = new FakeClock();
  const limit = new StartLimit(undefined, clock);
  const start = new Deferred<void>();
  const outcome = limit.within(start.promise);
  assert.equal(clock.pending, 1);
  start.resolve();
  await outcome;
  assert.equal(clock.pending, 0);
  limit.see(started("a"));
  assert.equal(clock.pending, 0);
});

test("a hook does not pause a timeout of the user", async () => {
  const clock = new FakeClock();
  const limit = new StartLimit(5_000, clock);
  const start = new Deferred<void>();
  const outcome = limit.within(start.promise);
  limit.see(started("a"));
  assert.equal(clock.pending, 1);
  start.resolve();
  await outcome;
});
