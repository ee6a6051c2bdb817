import assert from "node:assert/strict";
import { cliTransport } from "../../src/cli/transport.ts";
import { type Seen, verdict } from "../../src/cli/verdict.ts";
import {
  type AgentOptions,
  type Channel,
  CliError,
  CliNotFoundError,
  type Launch,
  type LogFields,
  type TransportMetrics,
} from "@sluice/agent";
import { safeLogger } from "../../src/observe/log.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { Host } from "../../src/ports/host.ts";
import { host as realHost } from "../../src/runtime/host.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import {
  confinedHost,
  type Installations,
  testPlaces,
} from "./_installations.ts";

const CLOSED = { reason: "closed", graceMs: 10_000, killMs: 15_000 } as const;
const PATH = "/usr/bin:/bin";
const NOT_READY: Seen = {
  ready: false,
  results: 0,
  lastIsError: false,
  hasSpoken: false,
  hasMore: false,
  unanswered: [],
};

testPlaces(
  "open() starts the CLI and joins its pipes until stop()",
  async (place) => {
    const cliPath = await place.script(
      "claude",
      'echo "$GREETING $1"; exec cat',
    );
    const { channel, host } = await openOn(place, { options: { cliPath } }, {
      args: ["--verbose"],
      env: { GREETING: "hello", PATH },
    });
    const lines = readLines(channel);
    assert.equal((await lines.next()).value, "hello --verbose");
    await channel.write('{"a":1}\n{"b":2}\n');
    assert.equal((await lines.next()).value, '{"a":1}');
    assert.equal((await lines.next()).value, '{"b":2}');
    const { pid } = channel;
    assert.ok(pid !== undefined && host.isRunning(pid));
    await channel.stop(CLOSED);
    assert.equal(host.isRunning(pid), false);
    assert.equal((await lines.next()).done, true);
    assert.equal((await channel.exited).reason, "closed");
  },
  { ids: ["P-07"] },
);

testPlaces("open() tells what was started, without secrets", async (place) => {
  const cliPath = await place.script("claude", "echo one >&2; echo two >&2");
  const { host, channel } = await openOn(place, { options: { cliPath } }, {
    args: ["--settings", '{"apiKeyHelper":"x"}', "--verbose"],
    env: { PATH, B_KEY: "hidden-value", A: "1" },
  });
  await channel.exited;
  const { origin, pid } = channel;
  assert.equal(typeof pid, "number");
  assert.equal(origin?.cliPath, cliPath);
  assert.deepEqual(origin.command, [
    cliPath,
    "--settings",
    "[redacted]",
    "--verbose",
  ]);
  assert.deepEqual(origin.environment, ["A", "B_KEY", "PATH"]);
  assert.equal(origin.runtime, `${host.name} ${host.version}`);
  assert.equal(origin.discovery?.source, "option");
  assert.equal(origin.stderrLines?.(), 2);
  assert.equal(origin.stderrTail?.(), "one\ntwo\n");
  await channel.stop(CLOSED);
}, { ids: ["E-07"] });

testPlaces(
  "open() hands arguments over as they are, behind the leading ones, in an absolute directory",
  async (place) => {
    const args = ["a b", "", '"', "'", "$HOME", "`id`", "a\nb", "\\", "ü→"];
    const script = await place.file(
      "work/a 'dir' with \"quotes\"/cli.js",
      `pwd; printf '%s\\0' "$@"`,
    );
    await place.script("bin/my-node", 'exec /bin/sh "$@"');
    await place.file("work/inner/file", "");
    const leading = [script.replace(place.at("work/"), ""), "first"];
    const channel = await open(place, {
      env: { PATH: place.at("bin") },
      options: { cliPath: ["my-node", ...leading] },
    }, { args, cwd: "inner" });
    assert.equal(
      await new Response(channel.readable).text(),
      `${place.at("work/inner")}\nfirst\0${args.join("\0")}\0`,
    );
    assert.deepEqual(channel.origin?.command?.slice(0, 3), [
      place.at("bin/my-node"),
      script,
      "first",
    ]);
    await channel.stop(CLOSED);
  },
  { ids: ["E-15", "E-16", "E-17"] },
);

testPlaces(
  "open() refuses a process group of its own on Windows by the option's name",
  async (place) => {
    const real = await confinedHost(place);
    const opening = open(place, {
      host: { ...real, platform: "win32" },
      options: { shutdown: { ownProcessGroup: true } },
    });
    assert.match(
      (await failure(opening)).message,
      /"shutdown\.ownProcessGroup" must be false on Windows: true/,
    );
  },
);

testPlaces(
  "open() rejects with the whole trace when there is no CLI",
  async (place) => {
    const closed = await place.file("bin/claude", "", 0o644);
    const error = await failure(
      open(place, { env: { PATH: place.at("bin") } }),
    );
    assert.ok(error instanceof CliNotFoundError);
    assert.equal(error.stage, "discovery");
    assert.equal(error.discovery.attempts[0]?.outcome, "not-executable");
    for (const { path } of error.discovery.attempts) {
      assert.ok(error.message.includes(`"${path}"`), path);
    }
    assert.ok(error.message.includes(`run chmod +x "${closed}"`));
  },
  { ids: ["D-07", "D-15", "W-05"] },
);

testPlaces(
  "open() names a missing working directory, and the reason why a program does not start",
  async (place) => {
    const cliPath = await place.script("claude", "pwd");
    const cwd = place.at("gone");
    const error = await failure(open(place, { options: { cliPath } }, { cwd }));
    assert.ok(error instanceof CliError && error.code === "cli_connect");
    assert.ok(error.message.startsWith(
      `Working directory does not exist: "${cwd}" (stage: connect, host: `,
    ));
    assert.equal(error.cliPath, cliPath);
    assert.ok(error.cause instanceof Error);
    const broken = await place.file("broken", "#!/no/such/sh\n", 0o755);
    const other = await failure(open(place, { options: { cliPath: broken } }));
    assert.ok(other instanceof CliError && other.code === "cli_connect");
    assert.match(other.message, /CLI could not be started: .*C library/);
    assert.deepEqual(other.command, [broken]);
  },
  { ids: ["E-05", "E-17"] },
);

testPlaces(
  "open() says before the start that an argument is too long",
  async (place) => {
    const cliPath = await place.script("claude");
    const { platform } = await confinedHost(place);
    const args = ["--title", "ü".repeat(70_000)];
    const opening = open(place, { options: { cliPath } }, { args });
    if (platform !== "linux") return await (await opening).stop(CLOSED);
    const error = await failure(opening);
    assert.ok(error instanceof CliError);
    assert.match(
      error.message,
      /Argument is too long for Linux: 140000 bytes, at most 131071; the longest part is "--title"/,
    );
  },
);

testPlaces(
  "exited has code, signal and stderr of a CLI that ends, and nothing can be written any more",
  async (place) => {
    const cliPath = await place.script(
      "claude",
      'echo "config is broken" >&2',
      "exit 3",
    );
    const channel = await open(place, { options: { cliPath } });
    const report = await channel.exited;
    const stderrTail = "config is broken\n";
    assert.deepEqual(report, { code: 3, signal: null, stderrTail });
    const error = verdict(report, NOT_READY, () => ({}));
    assert.equal(error?.exitCode, 3);
    assert.match(error.message, /exit code 3 .*stderr: "config is broken"/);
    await assert.rejects(channel.write('{"a":1}\n'), { code: "EPIPE" });
    await channel.end();
    await channel.stop(CLOSED);
    const killed = await open(place, {
      options: { cliPath: await place.script("killed", "kill -KILL $$") },
    });
    const { code, reason, signal } = await killed.exited;
    assert.deepEqual([code, signal, reason], [null, "SIGKILL", undefined]);
    await killed.stop(CLOSED);
  },
  { ids: ["P-01"] },
);

testPlaces(
  "open() rejects with the signal's reason and starts nothing when aborted before",
  async (place) => {
    const ran = place.at("ran");
    const cliPath = await place.script("claude", `touch "${ran}"`);
    const reason = new Error("enough");
    const opening = open(
      place,
      { options: { cliPath } },
      {},
      AbortSignal.abort(reason),
    );
    await assert.rejects(opening, reason);
    const host = await confinedHost(place);
    assert.equal(await host.files.status(ran), undefined);
  },
);

testPlaces(
  "open() leaves no process behind when aborted meanwhile",
  async (place) => {
    const cliPath = await place.script("claude", "exec cat");
    const controller = new AbortController();
    const reason = new Error("enough");
    let pid = 0;
    const real = await confinedHost(place);
    const host: Host = {
      ...real,
      spawn: async (request) => {
        const child = await real.spawn(request);
        pid = child.pid;
        controller.abort(reason);
        return child;
      },
    };
    const opening = open(
      place,
      { host, options: { cliPath } },
      {},
      controller.signal,
    );
    await assert.rejects(opening, reason);
    assert.ok(pid > 0);
    assert.equal(real.isRunning(pid), false);
  },
);

testPlaces("open() logs and counts start and end", async (place) => {
  const cliPath = await place.script("a b/claude", "exit 4");
  const { calls, metrics } = spyMetrics();
  const { logger, lines } = spyLogger();
  const channel = await open(place, {
    options: { cliPath, logger, metrics },
  }, { args: ["--title", 'a "b"\nc', "--api-key", "hidden"] });
  const { pid } = channel;
  await channel.exited;
  const started = lines.find(({ message }) => message === "CLI started");
  assert.equal(started?.level, "info");
  assert.equal(started.fields?.path, cliPath);
  assert.equal(started.fields?.pid, pid);
  assert.equal(
    started.fields?.command,
    String.raw`"${cliPath}" --title "a \"b\"\nc" --api-key [redacted]`,
  );
  const ended = lines.find(({ message }) => message === "CLI ended");
  assert.equal(ended?.fields?.exitCode, 4);
  assert.equal(typeof ended.fields?.runtimeMs, "number");
  const looked = lines.find(({ message }) => message === "CLI looked for");
  assert.ok(Array.isArray(looked?.fields?.attempts));
  assert.deepEqual(calls.map(([name]) => name), [
    "cliDiscovery",
    "processStart",
    "processExit",
  ]);
  assert.deepEqual(calls[1], ["processStart", pid]);
  assert.equal(calls[2]?.[1], 4);
  await channel.stop(CLOSED);
}, { ids: ["D-16", "E-16"] });

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
    const { logger, lines } = spyLogger();
    const { calls, metrics } = spyMetrics();
    const channel = await open(place, {
      options: {
        cliPath,
        logger,
        metrics,
        mcpServers: {
          docs: {
            type: "http",
            url: "https://docs",
            headers: { Authorization: `Bearer ${bearer}` },
          },
        },
      },
    }, {
      env: { ANTHROPIC_API_KEY: key },
      args: [`--settings={"env":{"DEPLOY_TOKEN":"${setting}"}}`],
    });
    const report = await channel.exited;
    assert.match(report.stderrTail, /^bad key \[redacted\], /);
    const { cliPath: path = "", command = [] } = channel.origin ?? {};
    const error = verdict(
      report,
      NOT_READY,
      () => ({ cliPath: path, command }),
    );
    const missing = await failure(
      open(place, { options: { cliPath, cwd: "/gone" } }, {
        cwd: place.at("gone"),
        env: { ANTHROPIC_API_KEY: key },
        args: ["--my-token", setting],
      }),
    );
    const everything = JSON.stringify([
      report,
      channel.origin,
      channel.origin?.stderrTail?.(),
      { ...error },
      error?.message,
      error?.stack,
      { ...missing },
      missing.message,
      lines,
      calls,
    ]);
    for (const secret of secrets) {
      assert.ok(
        !everything.includes(secret),
        secret,
      );
    }
    await channel.stop(CLOSED);
  },
  { ids: ["E-07"] },
);

testPlaces(
  "the real CLI that refuses a flag says so in the error",
  async (place) => {
    await withRealCli([], async ({ cliPath, env }) => {
      const { channel, host } = await openOn(place, {
        host: await realHost(),
        options: { cliPath },
      }, {
        args: ["--print", "--no-such-flag"],
        env,
      });
      const error = verdict(await channel.exited, NOT_READY, () => ({
        cliPath: channel.origin?.cliPath ?? "",
      }));
      assert.equal(error?.exitCode, 1);
      assert.match(
        error.message,
        /before initialize was answered: exit code 1/,
      );
      assert.match(error.stderrTail, /unknown option/);
      await channel.stop(CLOSED);
      assert.equal(host.isRunning(channel.pid ?? 0), false);
    });
  },
  { skip: reasonWithoutCli, ids: ["P-01", "P-07"] },
);

interface OpenInit {
  /** Instead of the confined host. */
  readonly host?: Host;
  /** Of the host. */
  readonly env?: Record<string, string>;
  readonly options?: AgentOptions;
}

async function openOn(
  place: Installations,
  { env, host: own, options = {} }: OpenInit = {},
  launch: Partial<Launch> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly channel: Channel; readonly host: Host }> {
  const host = own ?? await confinedHost(place, env);
  const settings = resolveOptions(options);
  const transport = cliTransport({
    host,
    settings,
    log: safeLogger(options.logger),
    metrics: safeMetrics(options.metrics),
  });
  const whole = { args: [], env: {}, cwd: place.at("work"), ...launch };
  return { host, channel: await transport.open(whole, signal) };
}

async function open(...args: Parameters<typeof openOn>): Promise<Channel> {
  return (await openOn(...args)).channel;
}

async function failure(opening: Promise<Channel>): Promise<Error> {
  const error = await opening.then(() => undefined, (thrown) => thrown);
  assert.ok(error instanceof Error);
  return error;
}

async function* readLines({ readable }: Channel): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of readable) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}

function spyMetrics() {
  const calls: unknown[][] = [];
  const note = (name: string) => (...args: unknown[]) =>
    void calls.push([name, ...args]);
  const transport: TransportMetrics = {
    cliDiscovery: note("cliDiscovery"),
    processStart: note("processStart"),
    processExit: note("processExit"),
  };
  return { calls, metrics: { transport } };
}

function spyLogger() {
  const lines: {
    readonly level: string;
    readonly message: string;
    readonly fields?: LogFields | undefined;
  }[] = [];
  const note = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push({ level, message, fields });
  const logger = {
    debug: note("debug"),
    info: note("info"),
    warn: note("warn"),
    error: note("error"),
  };
  return { lines, logger };
}
