import assert from "node:assert/strict";
import process from "node:process";
import {
  type ChildHandle,
  fixture,
  host,
  isGoneWithin,
  Lines,
  needsProc,
  release,
  textOf,
} from "../_children.ts";
import { test } from "../_harness.ts";

const current = await host();
const DRIVER = new URL("../fixtures/mcp_driver.ts", import.meta.url);

/** SIGKILL comes 2 s after the end of the program; the machine of a test is busy. */
const BOUND_MS = 30_000;

/** Runs a program with a server that ends by SIGKILL alone, and lets it end; the server has to go with it. */
async function leavesNothing(
  how: string,
  end: (program: ChildHandle, pid: number, lines: Lines) => unknown = () => {},
): Promise<void> {
  // With a process group of its own, as a shell starts it.
  const program = await current.spawn({
    ...fixture(DRIVER, how),
    isDetached: true,
  });
  const problems = textOf(program.stderr);
  const lines = new Lines(program.stdout);
  const pid = Number(await lines.next());
  if (Number.isNaN(pid)) assert.fail(await problems);
  try {
    await end(program, pid, lines);
    await program.exited;
    assert.ok(await isGoneWithin(BOUND_MS, pid), `process ${pid} is gone`);
  } finally {
    current.killPid(pid, "SIGKILL");
    await lines.cancel();
    await release(program);
    await problems;
  }
}

for (const how of ["exit", "throw"]) {
  test(`A program that ends by ${how} leaves no server behind`, async () => {
    await leavesNothing(how);
  }, { skip: needsProc });
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const) {
  for (const whom of ["program", "process group"]) {
    test(`A ${whom} that ${signal} ends leaves no server behind`, async () => {
      await leavesNothing("wait", ({ pid }) => {
        process.kill(whom === "program" ? pid : -pid, signal);
      });
    }, { skip: needsProc });
  }
}

test(
  "A program that Ctrl-C ends as soon as it has a server leaves none",
  async () => {
    await leavesNothing("early");
  },
  { skip: needsProc },
);

test("Ctrl-C reaches the program, and not the server", async () => {
  await leavesNothing("handle", async ({ pid }, server, lines) => {
    process.kill(-pid, "SIGINT");
    assert.equal(Number(await lines.next()), server);
  });
}, { skip: needsProc });
