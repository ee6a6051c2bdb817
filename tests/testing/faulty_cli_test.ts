import assert from "node:assert/strict";
import { cwd, kill } from "node:process";
import { localTransport } from "@sluice/agent";
import type { FakeCli } from "@sluice/agent/testing";
import { host } from "../_children.ts";
import { type FaultScript, faultyCli } from "../_faulty_cli.ts";
import { test } from "../_harness.ts";
import { type CliDriver, withDriver } from "./_cli_driver.ts";

async function withFaulty(
  script: FaultScript,
  use: (cli: CliDriver, fake: FakeCli) => Promise<void>,
): Promise<void> {
  const fake = faultyCli(script);
  const transport = localTransport({ cliPath: fake.cliPath });
  await withDriver(transport, {}, (cli) => use(cli, fake));
  await fake.close();
}

test("faultyCli() sends odd lines exactly as given, repeats steps, runs them in parallel, and is killed", async () => {
  await withFaulty([
    [
      { line: "not json" },
      { line: [1, 2] },
      { line: { type: "new_kind" }, pieces: 4 },
      { message: { type: "tool_progress" } },
      { result: false },
    ],
    [
      { repeat: 3, steps: ["again"] },
      {
        parallel: [
          [{ request: { subtype: "elicitation" }, id: "a" }, "a done"],
          [{ request: { subtype: "elicitation" }, id: "b" }, "b done"],
        ],
      },
    ],
    ["begun", { kill: "SIGKILL" }],
  ], async (cli) => {
    cli.prompt("go");
    await cli.next(({ type }) => type === "tool_progress");
    const [init, raw, list, kind, progress] = cli.lines;
    assert.deepEqual(raw, { raw: "not json" });
    assert.deepEqual(list, [1, 2]);
    assert.deepEqual(kind, { type: "new_kind" });
    assert.equal(progress.session_id, init.session_id);
    assert.equal(progress.uuid.length, 36);
    cli.prompt("repeat");
    await cli.until(() => cli.ofType("control_request").length === 2);
    cli.answer("b", { behavior: "allow" });
    cli.answer("a", { behavior: "allow" });
    await cli.result();
    cli.prompt("die");
    const { code, signal } = await cli.exited;
    assert.deepEqual([code, signal], [null, "SIGKILL"]);
    const texts = cli.ofType("assistant")
      .flatMap(({ message }) => message.content[0].text ?? []);
    assert.deepEqual(texts, [
      ...["again", "again", "again", "b done", "a done"],
      "begun",
    ]);
    assert.equal(cli.ofType("result").length, 1);
  });
});

test("faultyCli() floods with as much as the reader takes, in order", async () => {
  await withFaulty(
    [{ flood: { messages: 20_000, bytes: 250 } }],
    async (cli) => {
      cli.prompt("go");
      await cli.result();
      const events = cli.ofType("stream_event");
      assert.equal(events.length, 20_000);
      assert.ok(
        events.every(({ event }, n) => event.delta.text.startsWith(`${n} `)),
      );
      const { length } = JSON.stringify(events[9_999]);
      assert.ok(Math.abs(length - 250) < 10, `${length} bytes`);
    },
  );
});

test("faultyCli() still ends by SIGTERM while nothing reads its flood", async () => {
  const fake = faultyCli({ start: [{ flood: { messages: 100_000 } }] });
  const transport = localTransport({ cliPath: fake.cliPath });
  const launch = { args: [], env: { PATH: "/usr/bin:/bin" }, cwd: "." };
  const channel = await transport.open(launch, new AbortController().signal);
  // By then it handles signals.
  await channel.write('{"type":"keep_alive"}\n');
  await fake.receivedLine(() => true);
  kill(channel.pid ?? 0, "SIGTERM");
  await fake.until(([run]) => run?.exitCode === 143);
  await channel.readable.cancel();
  assert.equal((await channel.exited).code, 143);
  await channel.stop({ reason: "closed", graceMs: 0, killMs: 0 });
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
    for (let n = 0; n < 2_000; n++) {
      await child.stdin.write('{"type":"keep_alive"}\n');
    }
  });
  child.kill("SIGKILL");
  await child.stdin.end();
  await child.stderr.cancel();
  assert.equal((await child.exited).signal, "SIGKILL");
  await fake.close();
});
