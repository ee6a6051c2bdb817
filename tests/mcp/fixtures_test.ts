import assert from "node:assert/strict";
import { host } from "../_children.ts";
import { test } from "../_harness.ts";
import { callText, stdioFixture, withConnecting } from "./_connecting.ts";

test("close() of a connection waits for its server's end", async () => {
  const { isRunning } = await host();
  let pid = 0;
  await withConnecting(async (connecting) => {
    const connection = await connecting.open(stdioFixture("tools"));
    pid = Number(await callText(connection, "pid"));
    assert.ok(isRunning(pid));
  });
  assert.ok(!isRunning(pid));
}, { ids: ["REG-16"] });
