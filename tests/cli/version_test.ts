import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { FakeClock } from "@sluice/agent/testing";
import { discover } from "../../src/cli/discover.ts";
import { script } from "../_children.ts";
import { confinedHost, testPlaces } from "./_installations.ts";

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
  "discover() asks for the version without variables of an agent or a debugger around the program",
  async (place) => {
    await place.script(
      "a/claude",
      'echo "2.1.330 [$NODE_OPTIONS$DEBUG$CLAUDECODE$KEPT]"',
      'test "$NODE_OPTIONS$DEBUG$CLAUDECODE$KEPT" = kept',
    );
    const host = await confinedHost(place, {
      PATH: place.at("a"),
      NODE_OPTIONS: "--inspect-brk",
      DEBUG: "1",
      CLAUDECODE: "1",
      KEPT: "kept",
    });
    const { attempts, version } = await discover(host);
    assert.equal(version, "2.1.330", JSON.stringify(attempts[0]));
  },
);
