// Runs inside a project that has both packed packages installed, on Node and on Bun.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { AgentError } from "@sluice/agent";
import { Fleet, FleetError } from "@sluice/fleet";

test("errors of fleets are errors of the agent that is installed", async () => {
  const servers = "nats://127.0.0.1:1";
  const connecting = Fleet.connect({ servers, name: "none" });
  await assert.rejects(connecting, (error) => {
    assert.ok(error instanceof FleetError && error instanceof AgentError);
    assert.equal(error.fault, "unreachable");
    return true;
  });
});

test("sluice finds the package of fleets", () => {
  const program = "node_modules/@sluice/agent/sluice.js";
  const server = ["--fleet", "none", "--server", "nats://127.0.0.1:1"];
  const args = [program, "jobs", "list", ...server];
  const { status, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
  });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /Cannot reach/);
});
