import assert from "node:assert/strict";
import { cwd } from "node:process";
import { query } from "@sluice/agent";
import { host } from "../_children.ts";
import { faultyCli } from "../_faulty_cli.ts";
import { test } from "../_harness.ts";

test("faultyCli() is killed after everything that it has said", async () => {
  const fake = faultyCli([["a", { kill: "SIGKILL" }]]);
  const conversation = query("x", { cliPath: fake.cliPath });
  const texts: string[] = [];
  await assert.rejects(async () => {
    for await (const message of conversation) {
      if (message.type === "assistant") texts.push(message.type);
    }
  }, { code: "cli_exit", signal: "SIGKILL" });
  assert.deepEqual(texts, ["assistant"]);
  await fake.close();
});

test("faultyCli() closes stdin and lives on", async () => {
  const fake = faultyCli({ ready: [{ close: "stdin" }, "closed"] });
  const [command = "", ...args] = fake.cliPath;
  const { spawn } = await host();
  const child = await spawn({ command, args, cwd: cwd(), env: {} });
  await child.stdin.write(
    '{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}\n',
  );
  let output = "";
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (output.includes("closed")) break;
  }
  await assert.rejects(async () => {
    // Reads that were under way still take some.
    for (;;) await child.stdin.write('{"type":"keep_alive"}\n');
  });
  child.kill("SIGKILL");
  await child.stdin.end();
  await child.stderr.cancel();
  assert.equal((await child.exited).signal, "SIGKILL");
  await fake.close();
});
