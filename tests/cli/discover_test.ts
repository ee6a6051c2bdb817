import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { discover } from "../../src/cli/discover.ts";
import { firstCandidate } from "../../src/cli/search.ts";
import { notFound } from "../../src/cli/report.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import type { CliDiscovery } from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import {
  confinedHost,
  type Installations,
  testPlaces,
} from "./_installations.ts";

testPlaces(
  "discover() reports path, version, source and every attempt in order",
  async (place) => {
    const found = await place.cli("b/claude", "2.1.328");
    const host = await confinedHost(place, { PATH: path(place, "a", "b") });
    const discovery = await discover(host);
    assert.equal(discovery.path, found);
    assert.equal(discovery.version, "2.1.328");
    assert.equal(discovery.executable, true);
    assert.equal(discovery.source, "path");
    assert.deepEqual(discovery.warnings, []);
    assert.deepEqual(discovery.attempts.slice(0, 2), [
      { path: place.at("a/claude"), source: "path", outcome: "missing" },
      { path: found, source: "path", outcome: "found", version: "2.1.328" },
    ]);
    const sources = new Set(discovery.attempts.map(({ source }) => source));
    assert.deepEqual([...sources], ["path", "node_modules", "usual-place"]);
  },
  { ids: ["D-01", "D-14", "W-01"] },
);

testPlaces("discover() reports a search that found nothing", async (place) => {
  const host = await confinedHost(place, { PATH: path(place, "a") });
  const { attempts, ...rest } = await discover(host);
  assert.deepEqual(rest, { executable: false, warnings: [] });
  assert.ok(attempts.length > 10);
  const text = notFound({ attempts, ...rest }).message;
  for (const { outcome, path } of attempts) {
    assert.equal(outcome, "missing");
    assert.ok(text.includes(`"${path}"`), path);
  }
}, { ids: ["D-01", "D-14", "D-15"] });

testPlaces(
  "discover() shows no secret of a command line in the place of a path",
  async (place) => {
    const secret = "kEy9Secretvalue0042x";
    const host = await confinedHost(place);
    for (
      const cliPath of [
        `/nope/--api-key=${secret}`,
        `/nope/claude --token ${secret}`,
        `/nope/claude API_KEY=${secret}`,
      ]
    ) {
      const discovery = await discover(host, { cliPath });
      const all = JSON.stringify(discovery) + notFound(discovery).message;
      assert.ok(!all.includes(secret), all);
      assert.match(all, /nope/);
    }
  },
  { ids: ["E-07"] },
);

testPlaces(
  "discover() takes the usual places when PATH leads nowhere",
  async (place) => {
    const found = await place.cli("home/.local/bin/claude", "2.1.0");
    const host = await confinedHost(place);
    const { path, source } = await discover(host);
    assert.equal(path, found);
    assert.equal(source, "usual-place");
  },
  { ids: ["D-04", "D-11"] },
);

testPlaces(
  "discover() reads the prefix of the npm configuration",
  async (place) => {
    const found = await place.cli("npm root/bin/claude", "2.1.0");
    await place.file(
      "home/.npmrc",
      "# mine\nfund=false\nprefix = ${HOME}/../npm root\n",
    );
    const host = await confinedHost(place);
    assert.equal((await discover(host)).path, found);
  },
  { ids: ["D-09"] },
);

testPlaces(
  "discover() goes through node_modules upwards from cwd, then from the directory of the program",
  async (place) => {
    const near = await place.cli("repo/node_modules/.bin/claude", "2.1.1");
    const own = await place.cli("work/node_modules/.bin/claude", "2.1.2");
    const host = await confinedHost(place);
    const cwd = place.at("repo/packages/a");
    assert.equal((await discover(host, { cwd })).path, near);
    assert.equal((await discover(host, { cwd: "../repo" })).path, near);
    assert.equal((await discover(host)).path, own);
    assert.equal((await discover(host)).source, "node_modules");
  },
  { ids: ["D-04"] },
);

testPlaces(
  "discover() takes the native package when the npm package holds its placeholder",
  async (place) => {
    const scope = "work/node_modules/@anthropic-ai";
    await place.script(
      `${scope}/claude-code/bin/claude.exe`,
      'echo "Error: claude native binary not installed." >&2',
      "exit 1",
    );
    const launcher = await place.link(
      "work/node_modules/.bin/claude",
      "../@anthropic-ai/claude-code/bin/claude.exe",
    );
    const native = await place.cli(
      `${scope}/claude-code-linux-x64-musl/claude`,
      "2.1.328",
    );
    const host = await confinedHost(place, {}, {
      platform: "linux",
      arch: "x64",
    });
    // Only the loader of musl is on this machine.
    const { status } = host.files;
    const musl = {
      ...host,
      files: {
        ...host.files,
        status: (path: string) =>
          status(path === "/lib/ld-musl-x86_64.so.1" ? native : path),
      },
    };
    for (
      const discovery of [
        await discover(musl),
        (await firstCandidate(musl)).discovery,
      ]
    ) {
      assert.equal(discovery.path, native);
      const first = attemptAt(discovery, launcher);
      assert.equal(first?.outcome, "failed");
      assert.match(first.reason ?? "", /install\.cjs/);
    }
    assert.equal((await discover(host)).path, undefined);
  },
  { ids: ["D-04", "W-01"] },
);

testPlaces(
  "discover() takes the paths of one installation as one CLI",
  async (place) => {
    const scope = "work/node_modules/@anthropic-ai";
    const real = await place.cli(
      `${scope}/claude-code/bin/claude.exe`,
      "2.1.328",
    );
    await place.cli(`${scope}/claude-code-linux-x64/claude`, "2.1.328");
    const launcher = await place.link("work/node_modules/.bin/claude", real);
    await place.link("bin/claude", launcher);
    const host = await confinedHost(place, { PATH: path(place, "bin") }, {
      platform: "linux",
      arch: "x64",
    });
    const discovery = await discover(host);
    assert.equal(discovery.path, place.at("bin/claude"));
    assert.deepEqual(discovery.warnings, []);
    assert.equal(attemptAt(discovery, real)?.outcome, "skipped");
    assert.match(
      attemptAt(discovery, launcher)?.reason ?? "",
      /same installation/,
    );
  },
  { ids: ["D-05", "W-06"] },
);

testPlaces(
  "discover() takes the first of several CLIs and warns of all",
  async (place) => {
    const first = await place.cli("bin/claude", "2.1.328");
    const second = await place.cli("work/node_modules/.bin/claude", "2.0.1");
    const host = await confinedHost(place, { PATH: path(place, "bin") });
    const { path: found, warnings } = await discover(host);
    assert.equal(found, first);
    assert.deepEqual(warnings, [
      `Several CLIs were found, the first one is used: "${first}" (2.1.328), "${second}" (2.0.1)`,
    ]);
  },
  { ids: ["D-05"] },
);

testPlaces("discover() warns of a version that is too old", async (place) => {
  const cliPath = await place.cli("claude", "0.0.1");
  const host = await confinedHost(place);
  const { path, version, warnings } = await discover(host, { cliPath });
  assert.equal(path, cliPath);
  assert.equal(version, "0.0.1");
  assert.deepEqual(warnings, [
    `CLI 0.0.1 at "${cliPath}" is older than 2.1.261: run claude update`,
  ]);
}, { ids: ["D-03"] });

testPlaces(
  "discover() passes over a file that may not be executed, and says what helps",
  async (place) => {
    const closed = await place.file("a/claude", "#!/bin/sh\n", 0o644);
    const open = await place.cli("b/claude", "2.1.0");
    const host = await confinedHost(place, { PATH: path(place, "a", "b") });
    const discovery = await discover(host);
    assert.equal(discovery.path, open);
    assert.deepEqual(discovery.attempts[0], {
      path: closed,
      source: "path",
      outcome: "not-executable",
      reason: `permission denied: run chmod +x "${closed}"`,
    });
  },
  { ids: ["D-07", "W-05"] },
);

testPlaces("discover() passes over a directory", async (place) => {
  await place.file("a/claude/x", "");
  const host = await confinedHost(place, { PATH: path(place, "a") });
  const { outcome, reason } = (await discover(host)).attempts[0] ?? {};
  assert.equal(outcome, "not-executable");
  assert.equal(reason, "it is a directory");
});

testPlaces(
  "discover() follows links and names the target of a broken one",
  async (place) => {
    const broken = await place.link("a/claude", "../gone/claude");
    const circle = await place.link("c/claude", "claude");
    await place.cli("real/claude", "2.1.0");
    const good = await place.link("b/claude", "../real/claude");
    const host = await confinedHost(place, {
      PATH: path(place, "a", "c", "b"),
    });
    const discovery = await discover(host);
    assert.equal(discovery.path, good);
    assert.deepEqual(discovery.attempts.slice(0, 2), [
      {
        path: broken,
        source: "path",
        outcome: "broken-link",
        reason: 'points to "../gone/claude"',
      },
      {
        path: circle,
        source: "path",
        outcome: "broken-link",
        reason: "its links go in a circle",
      },
    ]);
  },
  { ids: ["D-08", "W-06"] },
);

testPlaces(
  "discover() stops a program that hangs at --version, and skips it",
  async (place) => {
    const pidPipe = await place.pipe("pid");
    const hanging = await place.script(
      "work/node_modules/.bin/claude",
      "/bin/sleep 600 &",
      `echo $$ $! > "${pidPipe}"`,
      "wait",
    );
    // Of the same installation, so that it is asked only afterwards.
    const good = await place.cli(
      "work/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
      "2.1.0",
    );
    const host = await confinedHost(place);
    const clock = new FakeClock();
    const running = discover(host, { clock });
    const pids = (await readFile(pidPipe, "utf8")).trim().split(" ");
    await clock.untilPending();
    await clock.advance(5_000);
    const discovery = await running;
    assert.equal(discovery.path, good);
    assert.equal(discovery.attempts[0]?.path, hanging);
    assert.equal(discovery.attempts[0]?.outcome, "timeout");
    assert.match(discovery.attempts[0]?.reason ?? "", /5000 ms/);
    assert.equal(pids.length, 2);
    for (const pid of pids) assert.equal(host.isRunning(Number(pid)), false);
  },
  { ids: ["D-02"] },
);

testPlaces(
  "discover() rejects with the signal's reason and stops what it started",
  async (place) => {
    const pidPipe = await place.pipe("pid");
    const cliPath = await place.script(
      "claude",
      `echo $$ > "${pidPipe}"`,
      "exec /bin/sleep 600",
    );
    const controller = new AbortController();
    const { signal } = controller;
    const host = await confinedHost(place);
    const running = discover(host, { cliPath, signal });
    const pid = Number(await readFile(pidPipe, "utf8"));
    const reason = new Error("enough");
    controller.abort(reason);
    await assert.rejects(running, reason);
    assert.equal(host.isRunning(pid), false);
  },
  { ids: ["D-02"] },
);

testPlaces(
  "discover() says what a program did instead of telling its version",
  async (place) => {
    const cases = [
      {
        lines: ['echo "broken config" >&2', "exit 3"],
        reason: '--version failed: exit code 3, stderr "broken config"',
      },
      {
        lines: ["kill -KILL $$"],
        reason: "--version failed: killed by SIGKILL",
      },
      {
        lines: ["echo hello world"],
        reason: 'no Claude CLI: its --version says "hello world"',
      },
    ];
    const host = await confinedHost(place);
    for (const [index, { lines, reason }] of cases.entries()) {
      const cliPath = await place.script(`${index}/claude`, ...lines);
      const discovery = await discover(host, { cliPath });
      assert.equal(discovery.path, undefined);
      assert.deepEqual(discovery.attempts, [
        { path: cliPath, source: "option", outcome: "failed", reason },
      ]);
    }
  },
  { ids: ["D-01"] },
);

testPlaces(
  "discover() keeps a printed secret out of the trace",
  async (place) => {
    const cliPath = await place.script(
      "claude",
      'echo "no $API_KEY" >&2; exit 1',
    );
    const host = await confinedHost(place, { API_KEY: "secret-of-mine" });
    const [attempt] = (await discover(host, { cliPath })).attempts;
    assert.match(attempt?.reason ?? "", /stderr "no \[redacted\]"/);
  },
  { ids: ["E-07"] },
);

testPlaces(
  "discover() rejects with ConfigError when an option is wrong",
  async (place) => {
    const host = await confinedHost(place);
    const wrong: readonly (readonly [object, string])[] = [
      [{ cliPath: 5 }, "cliPath"],
      [{ cliPth: "claude" }, "cliPth"],
      [{ env: { PATH: 1 } }, "env.PATH"],
    ];
    for (const [options, key] of wrong) {
      await assert.rejects(discover(host, options), { code: "config", key });
    }
  },
);

testPlaces(
  "discover() says that what runs a program is missing",
  async (place) => {
    const cliPath = await place.file("claude", "#!/no/such/sh\n", 0o755);
    const host = await confinedHost(place);
    const [attempt] = (await discover(host, { cliPath })).attempts;
    assert.equal(attempt?.outcome, "failed");
    assert.match(attempt?.reason ?? "", /interpreter or C library is missing/);
  },
  { ids: ["D-01"] },
);

testPlaces(
  "discover() reads a version although somebody keeps the pipe open",
  async (place) => {
    const pidFile = place.at("pid");
    const cliPath = await place.script(
      "claude",
      "sleep 600 2> /dev/null &",
      `echo $! > "${pidFile}"`,
      'echo "2.1.0 (Claude Code)"',
    );
    const host = await confinedHost(place);
    const { version } = await discover(host, { cliPath });
    assert.equal(version, "2.1.0");
    host.killPid(Number(await readFile(pidFile, "utf8")), "SIGKILL");
  },
);

testPlaces(
  "discover() takes cliPath before CLAUDE_CLI_PATH before PATH",
  async (place) => {
    const option = await place.cli("option/claude", "2.1.1");
    const variable = await place.cli("variable/claude", "2.1.2");
    await place.cli("bin/claude", "2.1.3");
    const host = await confinedHost(place, {
      PATH: path(place, "bin"),
      CLAUDE_CLI_PATH: variable,
    });
    const byOption = await discover(host, { cliPath: option });
    assert.equal(byOption.path, option);
    assert.equal(byOption.source, "option");
    const byVariable = await discover(host);
    assert.equal(byVariable.path, variable);
    assert.equal(byVariable.source, "environment");
    assert.equal(byVariable.attempts.length, 1);
    const env = { CLAUDE_CLI_PATH: undefined };
    assert.equal((await discover(host, { env })).source, "path");
    assert.equal((await discover(host, { cliPath: "" })).path, variable);
    const empty = { CLAUDE_CLI_PATH: "" };
    assert.equal((await discover(host, { env: empty })).source, "path");
  },
  { ids: ["D-13"] },
);

testPlaces(
  "discover() ends with a broken cliPath or CLAUDE_CLI_PATH",
  async (place) => {
    await place.cli("bin/claude", "2.1.0");
    const gone = place.at("gone");
    const host = await confinedHost(place, { PATH: path(place, "bin") });
    const attempt = { path: gone, outcome: "missing" };
    assert.deepEqual((await discover(host, { cliPath: gone })).attempts, [
      { ...attempt, source: "option" },
    ]);
    const env = { CLAUDE_CLI_PATH: gone };
    assert.deepEqual((await discover(host, { env })).attempts, [
      { ...attempt, source: "environment" },
    ]);
  },
  { ids: ["D-13"] },
);

testPlaces(
  "discover() resolves a relative cliPath and looks a name up in PATH",
  async (place) => {
    const relative = await place.cli("work/tools/claude", "2.1.0");
    const named = await place.cli("bin/my-claude", "2.1.0");
    const host = await confinedHost(place, { PATH: path(place, "a", "bin") });
    const tools = await discover(host, { cliPath: "tools/claude" });
    assert.equal(tools.path, relative);
    const name = await discover(host, { cliPath: "my-claude" });
    assert.equal(name.path, named);
    assert.deepEqual(
      name.attempts.map(({ outcome, source }) => `${source} ${outcome}`),
      ["option missing", "option found"],
    );
    const home = await discover(host, { cliPath: "~/claude" });
    assert.match(home.attempts[0]?.reason ?? "", /only a shell expands ~/);
  },
);

testPlaces(
  "discover() runs a command with leading arguments",
  async (place) => {
    const cliPath = ["sh", await place.file("cli", 'echo "2.$#.0 $1"')];
    await place.script("bin/sh", 'exec /bin/sh "$@"');
    const host = await confinedHost(place, { PATH: path(place, "bin") });
    const { path: found, version } = await discover(host, { cliPath });
    assert.equal(found, place.at("bin/sh"));
    assert.equal(version, "2.1.0");
  },
);

testPlaces("discover() tells its metrics how it ended", async (place) => {
  const cliPath = await place.cli("claude", "2.1.0");
  const calls: unknown[][] = [];
  const metrics = safeMetrics({
    transport: { cliDiscovery: (...args) => void calls.push(args) },
  });
  const host = await confinedHost(place);
  await discover(host, { cliPath, metrics });
  await discover(host, { cliPath: place.at("gone"), metrics });
  await firstCandidate(host, { cliPath, metrics });
  assert.deepEqual(calls.map(([path, , success]) => [path, success]), [
    [cliPath, true],
    [place.at("gone"), false],
    [cliPath, true],
  ]);
  assert.ok(calls.every(([, ms]) => typeof ms === "number" && ms >= 0));
}, { ids: ["D-16"] });

testPlaces("firstCandidate() runs nothing", async (place) => {
  const ran = place.at("ran");
  const cliPath = await place.script("bin/claude", `touch "${ran}"`);
  const host = await confinedHost(place, { PATH: path(place, "bin") });
  const { discovery, program } = await firstCandidate(host);
  assert.deepEqual(program, { cliPath, command: cliPath, args: [] });
  assert.equal(discovery.path, cliPath);
  assert.equal(discovery.attempts.length, 1);
  await assert.rejects(readFile(ran), { code: "ENOENT" });
}, { ids: ["D-02"] });

testPlaces(
  "firstCandidate() makes a script among the leading arguments absolute",
  async (place) => {
    const script = await place.file("work/cli.js", "");
    await place.script("bin/node");
    const host = await confinedHost(place, { PATH: path(place, "bin") });
    const { program } = await firstCandidate(host, {
      cliPath: ["node", "--no-warnings", "cli.js", "other.js"],
    });
    assert.deepEqual(program?.args, ["--no-warnings", script, "other.js"]);
  },
);

function path(place: Installations, ...directories: string[]): string {
  return directories.map(place.at).join(":");
}

function attemptAt(discovery: CliDiscovery, path: string) {
  return discovery.attempts.find((attempt) => attempt.path === path);
}

testPlaces(
  "discover() warns of no other CLIs where one was named, though the name leads to two",
  async (place) => {
    await place.cli("a/claude", "2.1.328");
    await place.cli("b/claude", "2.1.330");
    const host = await confinedHost(place, { PATH: path(place, "a", "b") });
    assert.equal((await discover(host)).warnings.length, 1);
    const named = await discover(host, { cliPath: "claude" });
    assert.equal(named.version, "2.1.328");
    assert.deepEqual(named.warnings, []);
  },
);

testPlaces(
  "discover() asks for the version without what an agent or a debugger around the program has set",
  async (place) => {
    await place.script(
      "a/claude",
      'echo "2.1.330 [$NODE_OPTIONS$DEBUG$CLAUDECODE$KEPT]"',
      'test "$NODE_OPTIONS$DEBUG$CLAUDECODE$KEPT" = kept',
    );
    const host = await confinedHost(place, {
      PATH: path(place, "a"),
      NODE_OPTIONS: "--inspect-brk",
      DEBUG: "1",
      CLAUDECODE: "1",
      KEPT: "kept",
    });
    const { attempts, version } = await discover(host);
    assert.equal(version, "2.1.330", JSON.stringify(attempts[0]));
  },
);
