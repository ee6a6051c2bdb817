import assert from "node:assert/strict";
import { Client } from "@sluice/agent";
import { host } from "./_children.ts";
import { test } from "./_harness.ts";
import { turns } from "./conversation/_rig.ts";

/** Notes the name of each call of an object's methods while something runs. */
async function callsOf(
  targets: readonly object[],
  use: () => Promise<void>,
): Promise<readonly string[]> {
  const calls: string[] = [];
  const restores: (() => void)[] = [];
  for (const target of targets) {
    for (const [name, real] of Object.entries(target)) {
      if (typeof real !== "function") continue;
      Object.assign(target, {
        [name]: (...args: unknown[]) => {
          calls.push(name);
          return real.apply(target, args);
        },
      });
      restores.push(() => void Object.assign(target, { [name]: real }));
    }
  }
  try {
    await use();
  } finally {
    for (const restore of restores) restore();
  }
  return calls;
}

test(
  "new Client() asks nothing of the host: no process, no file, no environment",
  async () => {
    const current = await host();
    const targets = [current, current.files];
    const calls = await callsOf(targets, async () => {
      for (
        const options of [
          undefined,
          { cliPath: "/does/not/exist", cwd: "/not/there/either" },
          { mcpServers: { one: { command: "/nobody" } }, env: { A: "b" } },
        ]
      ) {
        const client = new Client(options);
        assert.equal(client.state, "disconnected");
      }
      // Work that it might have begun in the background.
      await turns(20);
    });
    assert.deepEqual(calls, []);
    const connecting = await callsOf(targets, async () => {
      await assert.rejects(
        new Client({ cliPath: "/does/not/exist" }).connect(),
      );
    });
    assert.ok(connecting.includes("status"), "the spy works");
  },
  { ids: ["C-01"] },
);
