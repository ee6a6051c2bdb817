import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { CliDiscovery } from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { discover } from "../../src/cli/discover.ts";
import { notFound } from "../../src/cli/report.ts";
import { firstCandidate } from "../../src/cli/search.ts";
import { safeMetrics } from "../../src/observe/metrics.ts";
import { script } from "../_children.ts";
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
    const { attempts, ...rest } = await discover(host);
    assert.deepEqual(rest, {
      path: found,
      version: "2.1.328",
      executable: true,
      source: "path",
      warnings: [],
    });
    assert.deepEqual(attempts.slice(0, 2), [
      { path: place.at("a/claude"), source: "path", outcome: "missing" },
      { path: found, source: "path", outcome: "found", version: "2.1.328" },
    ]);
    const sources = new Set(attempts.map(({ source }) => source));
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
  "discover() shows no secret of a path or of what a program printed",
  async (place) => {
    const secret = "kEy9Secretvalue0042x";
    const host = await confinedHost(place, { API_KEY: secret });
    for (
      const cliPath of [
        `/nope/--api-key=${secret}`,
        `/nope/claude --token ${secret}`,
        `/nope/claude API_KEY=${secret}`,
        await place.script("nope", 'echo "no $API_KEY" >&2; exit 1'),
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
  "discover() takes the usual places when PATH leads nowhere, and the prefix of npm's configuration",
  async (place) => {
    const host = await confinedHost(place);
    const npm = await place.cli("npm root/bin/claude", "2.1.0");
    await place.file(
      "home/.npmrc",
      "# mine\nfund=false\nprefix = ${HOME}/../npm root\n",
    );
    assert.equal((await discover(host)).path, npm);
    const found = await place.cli("home/.local/bin/claude", "2.1.0");
    const { path, source } = await discover(host);
    assert.deepEqual([path, source], [found, "usual-place"]);
  },
  { ids: ["D-04", "D-09", "D-11"] },
);

testPlaces(
  "discover() goes through node_modules upwards from cwd, then from the directory of the program",
  async (place) => {
    const near = await place.cli("repo/node_modules/.bin/claude", "2.1.1");
    const own = await place.cli("work/node_modules/.bin/claude", "2.1.2");
    const host = await confinedHost(place);
    const cwd = place.at("repo/packages/app");
    const found = await discover(host, { cwd });
    assert.deepEqual([found.path, found.source], [near, "node_modules"]);
    assert.equal((await discover(host)).path, own);
  },
  { ids: ["D-04", "D-05"] },
);

testPlaces(
  "discover() takes the native package where the npm package is only a launcher",
  async (place) => {
    const scope = "work/node_modules/@anthropic-ai";
    const launcher = await place.script(
      `${scope}/claude-code/bin/claude.exe`,
      'echo "Error: claude native binary not installed." >&2',
      "exit 1",
    );
    const native = await place.cli(
      `${scope}/claude-code-linux-arm64-musl/claude`,
      "2.1.5",
    );
    const host = await confinedHost(place, {}, {
      platform: "linux",
      arch: "arm64",
    });
    const musl = {
      ...host,
      files: {
        ...host.files,
        status: (path: string) =>
          path === "/lib/ld-musl-aarch64.so.1"
            ? host.files.status(native)
            : host.files.status(path),
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
  "discover() takes the first of several CLIs and warns of all, unless one was named",
  async (place) => {
    const first = await place.cli("a/claude", "2.1.328");
    await place.cli("b/claude", "2.1.330");
    const other = await place.cli("work/node_modules/.bin/claude", "2.0.1");
    const host = await confinedHost(place, { PATH: path(place, "a", "b") });
    const { path: found, warnings } = await discover(host);
    assert.equal(found, first);
    assert.deepEqual(warnings, [
      `Several CLIs were found, the first one is used: "${first}" (2.1.328), "${
        place.at("b/claude")
      }" (2.1.330), "${other}" (2.0.1)`,
    ]);
    const named = await discover(host, { cliPath: "claude" });
    assert.deepEqual([named.version, named.warnings], ["2.1.328", []]);
    const old = await place.cli("old/claude", "0.0.1");
    const tooOld = await discover(host, { cliPath: old });
    assert.deepEqual(tooOld.warnings, [
      `CLI 0.0.1 at "${old}" is older than 2.1.261: run claude update`,
    ]);
  },
  { ids: ["D-03", "D-05"] },
);

testPlaces(
  "discover() passes over what cannot be started, with the reason and what helps",
  async (place) => {
    const closed = await place.file("a/claude", "#!/bin/sh\n", 0o644);
    await place.file("b/claude/x", "");
    await place.link("c/claude", "../gone/claude");
    await place.link("d/claude", "claude");
    await place.cli("real/claude", "2.1.0");
    const good = await place.link("e/claude", "../real/claude");
    const folders = path(place, "a", "b", "c", "d", "e");
    const host = await confinedHost(place, { PATH: folders });
    const discovery = await discover(host);
    assert.equal(discovery.path, good);
    const facts = discovery.attempts.slice(0, 4)
      .map(({ outcome, reason }) => [outcome, reason]);
    assert.deepEqual(facts, [
      ["not-executable", `permission denied: run chmod +x "${closed}"`],
      ["not-executable", "it is a directory"],
      ["broken-link", 'points to "../gone/claude"'],
      ["broken-link", "its links go in a circle"],
    ]);
  },
  { ids: ["D-07", "D-08", "W-05", "W-06"] },
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
    const { attempts: [first], path } = await running;
    assert.equal(path, good);
    assert.deepEqual([first?.path, first?.outcome], [hanging, "timeout"]);
    assert.match(first?.reason ?? "", /5000 ms/);
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
  "discover() gives the reason why a program has no version, with its last words",
  async (place) => {
    const host = await confinedHost(place);
    const late = script(
      `(sleep 0.05; echo "no model today" >&2) >&- & exit 3`,
    );
    const cases = [
      [
        await place.script("a/claude", 'echo "broken config" >&2', "exit 3"),
        '--version failed: exit code 3, stderr "broken config"',
      ],
      [
        await place.script("b/claude", "kill -KILL $$"),
        "--version failed: killed by SIGKILL",
      ],
      [
        await place.script("c/claude", "echo hello world"),
        'no Claude CLI: its --version says "hello world"',
      ],
      [
        await place.file("d/claude", "#!/no/such/sh\n", 0o755),
        /interpreter or C library is missing/,
      ],
      [
        [await place.link("sh", late.command), ...late.args],
        '--version failed: exit code 3, stderr "no model today"',
      ],
    ] as const;
    for (const [cliPath, expected] of cases) {
      const { attempts, path } = await discover(host, { cliPath });
      const [{ outcome, reason = "" } = {}] = attempts;
      assert.deepEqual([path, attempts.length], [undefined, 1]);
      assert.equal(outcome, "failed");
      if (typeof expected === "string") assert.equal(reason, expected);
      else assert.match(reason, expected);
    }
  },
  { ids: ["D-01", "D-14"] },
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
  "discover() reads a version although another process keeps the pipe open",
  async (place) => {
    const pidFile = place.at("pid");
    const cliPath = await place.script(
      "claude",
      "sleep 600 2> /dev/null &",
      `echo $! > "${pidFile}"`,
      'echo "2.1.0 (Claude Code)"',
    );
    const host = await confinedHost(place);
    assert.equal((await discover(host, { cliPath })).version, "2.1.0");
    host.killPid(Number(await readFile(pidFile, "utf8")), "SIGKILL");
  },
);

testPlaces(
  "discover() takes cliPath before CLAUDE_CLI_PATH before PATH, and ends with a broken one",
  async (place) => {
    const option = await place.cli("option/claude", "2.1.1");
    const variable = await place.cli("variable/claude", "2.1.2");
    await place.cli("bin/claude", "2.1.3");
    const host = await confinedHost(place, {
      PATH: path(place, "bin"),
      CLAUDE_CLI_PATH: variable,
    });
    const found = async (options: object) => {
      const { attempts, path, source } = await discover(host, options);
      return [path, source, attempts.length];
    };
    assert.deepEqual(await found({ cliPath: option }), [option, "option", 1]);
    for (const options of [{}, { cliPath: "" }]) {
      assert.deepEqual(await found(options), [variable, "environment", 1]);
    }
    for (const value of [undefined, ""]) {
      const [, source] = await found({ env: { CLAUDE_CLI_PATH: value } });
      assert.equal(source, "path");
    }
    const gone = place.at("gone");
    const missing = { path: gone, outcome: "missing" };
    assert.deepEqual((await discover(host, { cliPath: gone })).attempts, [
      { ...missing, source: "option" },
    ]);
    const env = { CLAUDE_CLI_PATH: gone };
    assert.deepEqual((await discover(host, { env })).attempts, [
      { ...missing, source: "environment" },
    ]);
  },
  { ids: ["D-13"] },
);

testPlaces(
  "discover() resolves a relative cliPath, looks a name up in PATH, and runs leading arguments",
  async (place) => {
    const relative = await place.cli("work/tools/claude", "2.1.0");
    const named = await place.cli("bin/my-claude", "2.1.0");
    await place.script("bin/sh", 'exec /bin/sh "$@"');
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
    const program = await place.file("cli", 'echo "2.$#.0 $1"');
    const leading = await discover(host, { cliPath: ["sh", program] });
    assert.equal(leading.path, place.at("bin/sh"));
    assert.equal(leading.version, "2.1.0");
  },
);

testPlaces("discover() reports its end to the metrics", async (place) => {
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

testPlaces(
  "firstCandidate() runs nothing, and makes a leading script absolute",
  async (place) => {
    const ran = place.at("ran");
    const cliPath = await place.script("bin/claude", `touch "${ran}"`);
    const host = await confinedHost(place, { PATH: path(place, "bin") });
    const { discovery, program } = await firstCandidate(host);
    assert.deepEqual(program, { cliPath, command: cliPath, args: [] });
    assert.equal(discovery.path, cliPath);
    assert.equal(discovery.attempts.length, 1);
    await assert.rejects(readFile(ran), { code: "ENOENT" });
    const script = await place.file("work/cli.js", "");
    await place.script("bin/node");
    const leading = await firstCandidate(host, {
      cliPath: ["node", "--no-warnings", "cli.js", "other.js"],
    });
    assert.deepEqual(leading.program?.args, [
      "--no-warnings",
      script,
      "other.js",
    ]);
  },
  { ids: ["D-02"] },
);

testPlaces(
  "discover() asks for the version without variables of an agent or a debugger around the program",
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

function path(place: Installations, ...directories: string[]): string {
  return directories.map(place.at).join(":");
}

function attemptAt(discovery: CliDiscovery, path: string) {
  return discovery.attempts.find((attempt) => attempt.path === path);
}
