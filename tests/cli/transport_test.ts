import assert from "node:assert/strict";
import { CliError } from "@sluice/agent";
import { verdict } from "../../src/cli/verdict.ts";
import type { Host } from "../../src/ports/host.ts";
import { host as realHost } from "../../src/runtime/host.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { confinedHost, testPlaces } from "./_installations.ts";
import { CLOSED, failure, NOT_READY, open } from "./_open.ts";

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
