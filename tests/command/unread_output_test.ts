import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@sluice/agent";
import type { FakeCli } from "@sluice/agent/testing";
import { isGoneWithin, needsShell } from "../_children.ts";
import { type Running, start, testStandIn } from "./_program.ts";

const skip = needsShell ??
  (spawnSync("mkfifo", ["--version"]).error ? "needs mkfifo" : undefined);

/** More than a pipe takes at once. */
const ANSWER = "x".repeat(200_000);
const SCRIPT = [[ANSWER, { wait: "forever" }]] as const;

function raise(name: NodeJS.Signals): (running: Running) => void {
  return ({ pid }) => void process.kill(pid, name);
}

/** Sends the first SIGINT, and waits until the CLI has it. */
async function interrupt(running: Running, fake: FakeCli): Promise<void> {
  running.interrupt();
  const isInterrupt = (one: JsonObject) =>
    (one["request"] as JsonObject | undefined)?.["subtype"] === "interrupt";
  while (!fake.received.some(isInterrupt)) await sleep(5);
}

/** Runs the program, with a pipe as its stdout, until the pipe is full; then does what is given. */
function testUnread(
  name: string,
  args: readonly string[],
  use: (on: {
    readonly fake: FakeCli;
    readonly running: Running;
    readonly pipe: string;
    /** Lets a reader see the end. */
    readonly close: () => void;
  }) => Promise<void>,
): void {
  testStandIn(name, SCRIPT, async ({ env, fake, folder }) => {
    const pipe = join(folder, "pipe");
    assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
    // Open for both, so that opening waits for no other end.
    const fd = openSync(pipe, "r+");
    let isOpen = true;
    const close = () => {
      if (isOpen) closeSync(fd);
      isOpen = false;
    };
    const running = start(args, {
      env,
      cwd: folder,
      input: "go\n",
      stdout: pipe,
    });
    try {
      const first = spawn("dd", [`if=${pipe}`, "bs=1", "count=1"]);
      assert.equal(await text(first.stdout), "x");
      await use({ fake, running, pipe, close });
    } finally {
      running.child.kill("SIGKILL");
      close();
    }
  }, { skip });
}

for (
  const [name, args, signals, expected] of [
    ["a second Ctrl-C", ["run"], [interrupt, raise("SIGINT")], 130],
    ["SIGTERM", ["run"], [raise("SIGTERM")], 143],
    ["SIGHUP", ["run"], [raise("SIGHUP")], 129],
    ["a second Ctrl-C", ["chat"], [interrupt, raise("SIGINT")], 130],
  ] as const
) {
  testUnread(
    `sluice ${args.join(" ")} ends by ${name} though nothing reads its output`,
    args,
    async ({ fake, running }) => {
      for (const send of signals) await send(running, fake);
      assert.equal(await isGoneWithin(10_000, running.pid), true);
      const { code } = await running.ended;
      assert.equal(code, expected);
    },
  );
}

testUnread(
  "sluice run that SIGTERM ends writes the rest of its output for a reader that reads",
  ["run"],
  async ({ running, pipe, close }) => {
    raise("SIGTERM")(running);
    const reader = spawn("cat", [pipe]);
    const rest = text(reader.stdout);
    const { code } = await running.ended;
    close();
    assert.equal(code, 143);
    assert.equal((await rest).trim().length, ANSWER.length - 1);
  },
);
