import assert from "node:assert/strict";
import { type Channel, CliError } from "@sluice/agent";
import { verdict } from "../../src/cli/verdict.ts";
import type { Host } from "../../src/ports/host.ts";
import { host as realHost } from "../../src/runtime/host.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { confinedHost, testPlaces } from "./_installations.ts";
import { CLOSED, failure, NOT_READY, open } from "./_open.ts";

const PATH = "/usr/bin:/bin";

testPlaces(
  "open() starts the CLI and joins its pipes until stop()",
  async (place) => {
    const cliPath = await place.script(
      "claude",
      'echo "$GREETING $1"; exec cat',
    );
    const { channel, host } = await open(place, { options: { cliPath } }, {
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

testPlaces(
  "open() hands arguments over as they are, behind the leading ones, in an absolute directory",
  async (place) => {
    const args = ["a b", "", '"', "'", "$HOME", "`id`", "a\nb", "\\", "ü→"];
    const path = `work/a 'dir' with "quotes"/cli.js`;
    const script = await place.file(path, `pwd; printf '%s\\0' "$@"`);
    await place.script("bin/my-node", 'exec /bin/sh "$@"');
    await place.file("work/inner/file", "");
    const leading = [script.replace(place.at("work/"), ""), "first"];
    const { channel } = await open(place, {
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
  "open() refuses a process group of its own on Windows, and a long argument on Linux, before the start",
  async (place) => {
    const cliPath = await place.script("claude");
    const host = await confinedHost(place);
    const refused = await failure(open(place, {
      host: { ...host, platform: "win32" },
      options: { shutdown: { ownProcessGroup: true } },
    }));
    assert.match(
      refused.message,
      /"shutdown\.ownProcessGroup" must be false on Windows: true/,
    );
    const long = await failure(open(place, {
      host: { ...host, platform: "linux" },
      options: { cliPath },
    }, { args: ["--title", "ü".repeat(70_000)] }));
    assert.ok(long instanceof CliError);
    assert.match(
      long.message,
      /Argument is too long for Linux: 140000 bytes, at most 131071; the longest part is "--title"/,
    );
  },
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
  "exited has code, signal and stderr of a CLI that ends, and nothing can be written any more",
  async (place) => {
    const cliPath = await place.script(
      "claude",
      'echo "config is broken" >&2',
      "exit 3",
    );
    const { channel } = await open(place, { options: { cliPath } });
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
    const { code, reason, signal } = await killed.channel.exited;
    assert.deepEqual([code, signal, reason], [null, "SIGKILL", undefined]);
    await killed.channel.stop(CLOSED);
  },
  { ids: ["P-01"] },
);

testPlaces(
  "open() rejects with the signal's reason, and leaves no process behind",
  async (place) => {
    const ran = place.at("ran");
    const cliPath = await place.script("claude", `touch "${ran}"; exec cat`);
    const reason = new Error("enough");
    const options = { cliPath };
    await assert.rejects(
      open(place, { options }, {}, AbortSignal.abort(reason)),
      reason,
    );
    const real = await confinedHost(place);
    assert.equal(await real.files.status(ran), undefined);
    const controller = new AbortController();
    let pid = 0;
    const host: Host = {
      ...real,
      spawn: async (request) => {
        const child = await real.spawn(request);
        pid = child.pid;
        controller.abort(reason);
        return child;
      },
    };
    await assert.rejects(
      open(place, { host, options }, {}, controller.signal),
      reason,
    );
    assert.ok(pid > 0);
    assert.equal(real.isRunning(pid), false);
  },
);

testPlaces(
  "the real CLI that refuses a flag says so in the error",
  async (place) => {
    await withRealCli([], async ({ cliPath, env }) => {
      const { channel, host } = await open(place, {
        host: await realHost(),
        options: { cliPath },
      }, { args: ["--print", "--no-such-flag"], env });
      const report = await channel.exited;
      const error = verdict(report, NOT_READY, () => ({ cliPath }));
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
