import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type AgentOptions, Client, type Launch, query } from "@sluice/agent";
import { test } from "../_harness.ts";

/** Options of a conversation that fails when it is opened, and with what it would have been opened. */
function noted(
  options: AgentOptions,
): { readonly options: AgentOptions; readonly launch: () => Launch } {
  let launch: Launch | undefined;
  return {
    options: {
      ...options,
      transport: {
        open(given) {
          launch = given;
          return Promise.reject(new Error("Seen enough"));
        },
      },
    },
    launch: () => launch as Launch,
  };
}

for (
  const [name, start] of [
    ["query()", (options: AgentOptions) => query("Hi", options).result()],
    [
      "a client",
      (options: AgentOptions) => new Client(options).connect(),
    ],
  ] as const
) {
  test(`${name} runs with the variables and in the directory of the moment of the call`, async () => {
    const env: Record<string, string | undefined> = { OWN: "1" };
    const { options, launch } = noted({ env, cwd: "below" });
    const { env: { TENANT_KEY }, cwd } = process;
    const before = cwd();
    process.chdir(tmpdir());
    const there = process.cwd();
    process.env["TENANT_KEY"] = "1";
    const started = start(options);
    process.chdir(before);
    if (TENANT_KEY === undefined) delete process.env["TENANT_KEY"];
    else process.env["TENANT_KEY"] = TENANT_KEY;
    env["OWN"] = "2";
    await assert.rejects(started, /Seen enough/);
    const { env: given, cwd: directory } = launch();
    assert.equal(given["OWN"], "1");
    assert.equal(given["TENANT_KEY"], "1");
    assert.equal(directory, join(there, "below"));
  });
}
