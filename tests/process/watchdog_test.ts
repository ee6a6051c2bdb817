import { safeLogger, systemClock } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { Host } from "../../src/ports/host.ts";
import type { ChildHandle, Helper } from "../../src/ports/process.ts";
import { type Child, startChild } from "../../src/process/child.ts";
import { hostWatch } from "../../src/process/host_watch.ts";
import {
  host,
  isGoneWithin,
  isRunning,
  Lines,
  needsProc,
  needsShell,
  program,
  release,
  script,
} from "../_children.ts";
import { test } from "../_harness.ts";

const current = await host();
const skip = needsShell ?? needsProc;
const log = safeLogger();

/** The host, with the helpers it started. */
function noting(
  change: Partial<Host> = {},
): { readonly host: Host; readonly helpers: Helper[] } {
  const helpers: Helper[] = [];
  return {
    helpers,
    host: {
      ...current,
      startHelper(request) {
        const helper = current.startHelper(request);
        helpers.push(helper);
        return helper;
      },
      ...change,
    },
  };
}

function start(on: Host, logged = log): Promise<Child> {
  return startChild(on, script("cat"), {
    stderr: { tailBytes: 1_000, linesPerSecond: 100, warnBytes: 1_000_000 },
    forwardSignals: false,
    watchdogMs: 500,
    clock: systemClock,
    log: logged,
  });
}

function stop(child: Child): Promise<void> {
  return child.stop({ reason: "closed", graceMs: 5_000, killMs: 9_000 });
}

test(
  "One watchdog serves all children, and is gone with the last of them",
  async () => {
    const { host, helpers } = noting();
    const children = await Promise.all([start(host), start(host)]);
    children.push(await start(host));
    assert.equal(helpers.length, 1);
    const pid = helpers[0]?.pid ?? 0;
    for (const child of children.slice(1)) await stop(child);
    assert.ok(isRunning(pid));
    await stop(children[0] as Child);
    assert.equal(isRunning(pid), false);
    const later = await start(host);
    assert.equal(helpers.length, 2);
    await stop(later);
    assert.equal(isRunning(helpers[1]?.pid ?? 0), false);
  },
  { skip },
);

test(
  "A killed watchdog is replaced at the next start",
  async () => {
    const { host, helpers } = noting();
    const first = await start(host);
    helpers[0]?.kill();
    await helpers[0]?.exited;
    const second = await start(host);
    assert.equal(helpers.length, 2);
    await stop(first);
    assert.ok(isRunning(helpers[1]?.pid ?? 0), "it sees to the other one");
    await stop(second);
  },
  { skip },
);

test(
  "A watchdog that may not be started is one warning, and the children work",
  async () => {
    const warnings: string[] = [];
    const { host } = noting({
      startHelper() {
        throw new Error("Deno needs --allow-run=/bin/sh");
      },
    });
    const logger = safeLogger({
      ...console,
      warn: (message, fields) =>
        void warnings.push(`${message} ${JSON.stringify(fields)}`),
    });
    for (let round = 0; round < 3; round++) {
      const child = await start(host, logger);
      await stop(child);
    }
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /shutdown\.guardProcess.*--allow-run=\/bin\/sh/,
    );
  },
  { skip },
);

test("On Windows there is no watchdog, and no warning", async () => {
  const warnings: string[] = [];
  const { host, helpers } = noting({ platform: "win32" });
  const logger = safeLogger({
    ...console,
    warn: (message) => void warnings.push(message),
  });
  const child = await start(host, logger);
  await stop(child);
  assert.deepEqual([warnings, helpers], [[], []]);
}, { skip });

test("A watchdog takes less than 2 MB of memory", async () => {
  const { host, helpers } = noting();
  const child = await start(host);
  const status = readFileSync(`/proc/${helpers[0]?.pid}/status`, "utf8");
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  assert.ok(Number(kilobytes) < 2_000, `${kilobytes} kB`);
  await stop(child);
}, {
  skip: skip ??
    (/dash$/.test(await current.files.realPath("/bin/sh").catch(() => ""))
      ? undefined
      : "needs dash"),
});

/** Script that a host runs beside a child. */
function watchdogScript(): string {
  let text = "";
  const host: Host = {
    ...current,
    platform: "linux",
    startHelper({ args }) {
      [, text = ""] = args;
      throw new Error("It is only looked at");
    },
    onExit: () => () => {},
  };
  const shutdown = { forward() {}, terminate() {}, kill() {} };
  hostWatch(host).add(
    { pid: current.pid, takesSignals: false, watchdogMs: 500, shutdown },
    log,
  );
  return text;
}

const WATCHDOG_SCRIPT = watchdogScript();

/** Runs the script in a shell with processes to watch; resolves when it is gone. */
async function watchOver(
  shell: string,
  text: string,
  pids: readonly number[],
  beforeEnd: () => Promise<void> = async () => {},
): Promise<void> {
  const child = await current.spawn(
    program(shell, "-c", text, "sh", "no-mark"),
  );
  await child.stdin.write(pids.map((pid) => `+ ${pid} 300\n`).join(""));
  await beforeEnd();
  await child.stdin.end();
  await child.exited;
  await release(child);
}

async function sleeper(): Promise<
  { child: Awaited<ReturnType<Host["spawn"]>>; tool: number }
> {
  const child = await current.spawn(
    script(
      "trap '' TERM; setsid sh -c 'echo $$; exec sleep 60' & while :; do sleep 0.02; done",
    ),
  );
  const lines = new Lines(child.stdout);
  const tool = Number(await lines.next());
  await lines.cancel();
  return { child, tool };
}

for (
  const [what, text] of [
    ["/proc", WATCHDOG_SCRIPT],
    [
      "ps where there is no /proc",
      WATCHDOG_SCRIPT.replaceAll("/proc", "/nowhere"),
    ],
  ] as const
) {
  for (const shell of ["/bin/sh", "/bin/bash"]) {
    const isThere = await current.files.isExecutable(shell).catch(() => false);
    const ps = await current.files.isExecutable("/bin/ps").catch(() => false);
    test(
      `The watchdog's script in ${shell} ends a child and its tool, by ${what}`,
      async () => {
        const { child, tool } = await sleeper();
        await watchOver(shell, text, [child.pid]);
        assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
        assert.ok(await isGoneWithin(10_000, tool));
        await release(child);
      },
      { skip: skip ?? (isThere && ps ? undefined : "needs bash and ps") },
    );
  }
}

test(
  "The watchdog's script lets those go that are over, and ends itself when nothing lives",
  async () => {
    const child = await current.spawn(program("sleep", "60"));
    const other = await current.spawn(script("exit 0"));
    await other.exited;
    const shell = await current.spawn(
      program("/bin/sh", "-c", WATCHDOG_SCRIPT, "sh", "no-mark"),
    );
    await shell.stdin.write(
      `+ ${other.pid} 300\n+ ${child.pid} 300\n- ${child.pid}\n- 99999999\n`,
    );
    await shell.stdin.end();
    assert.deepEqual(await shell.exited, { code: 0, signal: null });
    assert.ok(isRunning(child.pid));
    for (const one of [child, other, shell]) await release(one);
  },
  { skip },
);

test(
  "The watchdog's script signals no process that has the id of one that is over",
  async () => {
    const root = await mkdtemp(join(tmpdir(), "watchdog-proc-"));
    const child = await current.spawn(program("sleep", "60"));
    const write = async (pid: number | string, began: number) => {
      await mkdir(join(root, `${pid}`), { recursive: true });
      const rest = Array.from({ length: 17 }, () => "0").join(" ");
      const text = `${pid} (a) b) S 1 ${rest} ${began} 0\n`;
      await writeFile(join(root, `${pid}`, "stat"), text);
    };
    await write("self", 1);
    await write(child.pid, 100);
    // Higher than any id; the script waits until a writer opens it.
    const gate = 2 ** 23;
    await mkdir(join(root, `${gate}`));
    await promisify(execFile)("mkfifo", [join(root, `${gate}`, "stat")]);
    const text = WATCHDOG_SCRIPT.replaceAll("/proc", root);
    await watchOver("/bin/sh", text, [child.pid, gate], async () => {
      // It is read when the script has seen the first one.
      await write(gate, 100);
      await rm(join(root, `${gate}`), { recursive: true });
      await write(child.pid, 200);
    });
    assert.ok(isRunning(child.pid));
    await watchOver("/bin/sh", text, [child.pid]);
    assert.deepEqual(await child.exited, { code: null, signal: "SIGTERM" });
    await release(child);
    await rm(root, { recursive: true });
  },
  { skip },
);

/** Starts the script, up to where it reads. */
async function reading(
  ...args: readonly string[]
): Promise<{ shell: ChildHandle; lines: Lines }> {
  const loop = "while read -r sign pid ms; do";
  const text = WATCHDOG_SCRIPT.replace(loop, `echo up; ${loop}`);
  assert.notEqual(text, WATCHDOG_SCRIPT);
  const shell = await current.spawn(
    program("/bin/sh", "-c", text, "sh", ...args),
  );
  const lines = new Lines(shell.stdout);
  assert.equal(await lines.next(), "up");
  return { shell, lines };
}

test(
  "The watchdog's script outlives the signals that a terminal sends to all",
  async () => {
    const child = await current.spawn(program("sleep", "60"));
    const { shell, lines } = await reading("no-mark", `${child.pid}`, "60000");
    for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const) {
      process.kill(shell.pid, signal);
    }
    await shell.stdin.end();
    assert.deepEqual(await shell.exited, { code: 0, signal: null });
    assert.deepEqual(await child.exited, { code: null, signal: "SIGTERM" });
    await lines.cancel();
    for (const one of [child, shell]) await release(one);
  },
  { skip },
);

test(
  "The watchdog's script wakes a process that is stopped, which then ends tidily",
  async () => {
    const child = await current.spawn(
      script("trap 'exit 7' TERM; echo up; while :; do kill -STOP $$; done"),
    );
    const said = new Lines(child.stdout);
    assert.equal(await said.next(), "up");
    const { shell, lines } = await reading("no-mark", `${child.pid}`, "20000");
    await isStopped(child.pid);
    await shell.stdin.end();
    assert.deepEqual(await child.exited, { code: 7, signal: null });
    await shell.exited;
    await Promise.all([lines.cancel(), said.cancel()]);
    for (const one of [child, shell]) await release(one);
  },
  { skip },
);

/** Waits until a process does not run on. */
async function isStopped(pid: number): Promise<void> {
  while (!/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) {
    await new Promise<void>((resolve) => current.nextTurn(resolve));
  }
}
