import assert from "node:assert/strict";
import { type AgentOptions, Client, CliError, query } from "@sluice/agent";
import { fakeCli, type FakeCliPlan, FakeClock } from "@sluice/agent/testing";
import { host } from "../_children.ts";
import { collect, rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { logSpy } from "./_rig.ts";

const { name, version } = await host();

/** The one CliError of a conversation, and what was logged of it; a clock passes the limit of the start when the CLI has been asked. */
async function errorOf(
  script: FakeCliPlan,
  options: AgentOptions = {},
  clock?: FakeClock,
) {
  const fake = fakeCli(script);
  const { logger, lines } = logSpy();
  const conversation = query("x", {
    cliPath: fake.cliPath,
    logger,
    ...options,
    ...clock && { clock },
  });
  if (clock !== undefined) {
    await fake.receivedLine(() => true);
    await clock.advance(30_000);
  }
  const [{ error }, errors] = await Promise.all([
    collect(conversation),
    collect(conversation.errors),
    conversation.ready.catch(() => {}),
  ]);
  await conversation.close();
  // A CLI that is given up early may not have told its own id.
  const { pid } = conversation;
  await fake.close();
  const found = error ?? errors.items.find((one) => one instanceof CliError);
  assert.ok(found instanceof CliError, String(found));
  const line = lines.find(({ level }) => level === "error");
  return { error: found, fields: line?.fields ?? {}, pid };
}

test(
  "a CliError of any stage says how long the process ran, how it was doing, who started it, and how it was found",
  async () => {
    const cases: Readonly<
      Record<string, [FakeCliPlan, string, AgentOptions?, FakeClock?]>
    > = {
      exit: [{ turns: [["a", { exit: 7 }]] }, "gone"],
      connect: [{ initialize: "silent" }, "starting", {}, new FakeClock()],
      read: [
        { turns: [[{ line: "x".repeat(50_000) }, "a"]] },
        // The line may come together with the answer to initialize.
        "starting running",
        { limits: { maxMessageBytes: 20_000 } },
      ],
    };
    for (
      const [stage, [script, state, options, clock]] of Object.entries(cases)
    ) {
      const { error, fields, pid } = await errorOf(script, options, clock);
      assert.equal(error.stage, stage);
      const { processInfo: info } = error;
      assert.equal(info.pid, pid);
      assert.ok(info.startedAt instanceof Date);
      assert.ok(Number(info.runtimeMs) > 0, stage);
      assert.ok(state.split(" ").includes(String(info.state)), info.state);
      assert.equal(typeof info.bytesRead, "number");
      assert.equal(info.host, `${name} ${version}`);
      assert.match(
        error.message,
        new RegExp(`pid: ${pid}, runtime: \\d+ ms, host: ${name} `),
      );
      assert.equal(error.discovery?.attempts[0]?.source, "option");
      assert.ok(error.command.length > 1);

      assert.equal(fields.stage, stage);
      assert.equal(fields.pid, pid);
      assert.equal(fields.runtimeMs, info.runtimeMs);
      assert.equal(fields.state, info.state);
      assert.match(String(fields.command), /--output-format stream-json/);
    }
  },
  { ids: ["E-05", "E-06", "E-12"] },
);

test(
  "a CliError before there is a process says who was to start it, and how it was looked for",
  async () => {
    const { error, fields } = await errorOf({}, { cliPath: "/nowhere/claude" });
    assert.equal(error.stage, "discovery");
    assert.deepEqual(error.processInfo, { host: `${name} ${version}` });
    assert.equal(error.discovery?.attempts[0]?.path, "/nowhere/claude");
    assert.equal(fields.pid, undefined);
    const other = await errorOf({}, { cwd: "/nowhere/at/all" });
    assert.equal(other.error.stage, "connect");
    assert.ok(other.error.discovery !== undefined);
  },
  { ids: ["E-05", "D-15"] },
);

/** Errors of text() and output() for an error result, with these options. */
async function toldOf(
  result: string,
  options: AgentOptions,
): Promise<readonly string[]> {
  const fake = fakeCli({
    initialize: { settings_applied: true },
    turns: [{ result: { is_error: true, result } }],
  });
  const all = { ...options, cliPath: fake.cliPath };
  const told = [
    await rejectionOf(query("x", all).text()),
    await rejectionOf(query("x", { ...all, outputSchema: {} }).output()),
  ];
  const client = new Client(all);
  await client.connect();
  told.push(await rejectionOf(client.text("x")));
  await client.close();
  await fake.close();
  return told.map(String);
}

test("an error result of a CLI without a login says how to log in, since /login cannot be typed into a program", async () => {
  for (
    const reason of [
      "Not logged in · Please run /login",
      "Invalid API key · Please run /login",
      "Please run /login · API Error: 401 Unauthorized",
    ]
  ) {
    for (const told of await toldOf(reason, {})) {
      assert.ok(
        told.includes(
          `${reason}; start claude and type /login, or set ANTHROPIC_API_KEY`,
        ),
        told,
      );
    }
  }
});

test("an error result for an unreachable model names the address and the variable, without secrets", async () => {
  const url = "http://ada:hunter2-secret@localhost:9/path?key=hunter2-secret";
  const variable = { ANTHROPIC_BASE_URL: url };
  const dead =
    "API Error: Connection refused — a firewall may be blocking it (ECONNREFUSED)";
  for (const options of [{ env: variable }, { settings: { env: variable } }]) {
    for (const told of await toldOf(dead, options)) {
      assert.ok(
        told.includes(`${dead}; ANTHROPIC_BASE_URL is http://localhost:9`),
        told,
      );
      assert.ok(!told.includes("hunter2"), told);
    }
  }
  const [other = ""] = await toldOf("API Error: 529 overloaded", {
    env: variable,
  });
  assert.ok(!other.includes("ANTHROPIC_BASE_URL"), other);
});
