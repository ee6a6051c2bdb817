import assert from "node:assert/strict";
import { verdict } from "../../src/cli/verdict.ts";
import { testPlaces } from "./_installations.ts";
import { CLOSED, failure, NOT_READY, open } from "./_open.ts";

const PATH = "/usr/bin:/bin";

testPlaces(
  "open() logs and counts start and end, and tells what was started",
  async (place) => {
    const cliPath = await place.script("a b/claude", "echo one >&2", "exit 4");
    const { events, spies } = spy();
    const { channel, host } = await open(place, {
      options: { cliPath, ...spies },
    }, {
      args: ["--title", 'a "b"\nc', "--api-key", "hidden"],
      env: { PATH, B_KEY: "hidden-value", A: "1" },
    });
    await channel.exited;
    const { origin, pid } = channel;
    const runtime = `${host.name} ${host.version}`;
    const started = events.get("CLI started");
    assert.deepEqual(started, {
      path: cliPath,
      command: String
        .raw`"${cliPath}" --title "a \"b\"\nc" --api-key [redacted]`,
      pid,
      runtime,
    });
    const ended = events.get("CLI ended");
    assert.equal(ended?.["exitCode"], 4);
    assert.equal(typeof ended["runtimeMs"], "number");
    assert.ok(Array.isArray(events.get("CLI looked for")?.["attempts"]));
    assert.equal(events.get("processStart")?.["0"], pid);
    assert.equal(events.get("processExit")?.["0"], 4);
    assert.ok(events.has("cliDiscovery"));
    assert.deepEqual(origin?.environment, ["A", "B_KEY", "PATH"]);
    assert.deepEqual([origin.cliPath, origin.runtime], [cliPath, runtime]);
    assert.equal(origin.discovery?.source, "option");
    assert.deepEqual([origin.stderrLines?.(), origin.stderrTail?.()], [
      1,
      "one\n",
    ]);
    await channel.stop(CLOSED);
  },
  { ids: ["D-16", "E-07", "E-16"] },
);

testPlaces(
  "a secret is in no command, log, error or stderr tail",
  async (place) => {
    const secrets = ["key-of-the-model", "in-the-settings", "bearer-of-docs"];
    const [key = "", setting = "", bearer = ""] = secrets;
    const cliPath = await place.script(
      "claude",
      'echo "bad key $ANTHROPIC_API_KEY, $1, bearer-of-docs" >&2',
      "exit 1",
    );
    const { events, spies } = spy();
    const headers = { Authorization: `Bearer ${bearer}` };
    const docs = { type: "http", url: "https://docs", headers } as const;
    const env = { ANTHROPIC_API_KEY: key };
    const { channel } = await open(place, {
      options: { cliPath, ...spies, mcpServers: { docs } },
    }, {
      env,
      args: [`--settings={"env":{"DEPLOY_TOKEN":"${setting}"}}`],
    });
    const report = await channel.exited;
    assert.match(report.stderrTail, /^bad key \[redacted\], /);
    const { command = [], stderrTail } = channel.origin ?? {};
    const error = verdict(report, NOT_READY, () => ({ cliPath, command }));
    const missing = await failure(
      open(place, { options: { cliPath } }, {
        cwd: place.at("gone"),
        env,
        args: ["--my-token", setting],
      }),
    );
    const everything = JSON.stringify([
      ...[report, channel.origin, stderrTail?.(), [...events]],
      ...[{ ...error }, error?.message, error?.stack],
      ...[{ ...missing }, missing.message],
    ]);
    for (const secret of secrets) {
      assert.ok(!everything.includes(secret), secret);
    }
    await channel.stop(CLOSED);
  },
  { ids: ["E-07"] },
);

/** Options that keep log lines and metrics, by their names. */
function spy() {
  const events = new Map<string, Readonly<Record<string, unknown>>>();
  const log = (message: string, fields: object = {}) =>
    void events.set(message, fields as Record<string, unknown>);
  const note = (name: string) => (...args: unknown[]) =>
    void events.set(name, { ...args });
  const transport = {
    cliDiscovery: note("cliDiscovery"),
    processStart: note("processStart"),
    processExit: note("processExit"),
  };
  const logger = { debug: log, info: log, warn: log, error: log };
  return { events, spies: { logger, metrics: { transport } } };
}
