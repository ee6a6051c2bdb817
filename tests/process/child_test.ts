import { safeLogger, systemClock } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "../../src/ports/host.ts";
import type { SpawnRequest } from "../../src/ports/process.ts";
import type { StopPlan } from "@sluice/agent";
import {
  type Child,
  type ChildOptions,
  SpawnError,
  startChild,
} from "../../src/process/child.ts";
import {
  host,
  isRunning,
  Lines,
  needsProc,
  needsShell,
  program,
  script,
  textOf,
} from "../_children.ts";
import { test } from "../_harness.ts";

const current = await host();
const skip = needsShell;
const SOON: StopPlan = { reason: "closed", graceMs: 1_000, killMs: 2_000 };

function start(
  request: SpawnRequest,
  options: Partial<ChildOptions> = {},
  on: Host = current,
): Promise<Child> {
  return startChild(on, request, {
    stderr: { tailBytes: 1_000, linesPerSecond: 100, warnBytes: 1_000_000 },
    forwardSignals: false,
    clock: systemClock,
    log: safeLogger(),
    ...options,
  });
}

async function failureOf(request: SpawnRequest): Promise<SpawnError> {
  try {
    await start(request);
  } catch (error) {
    assert.ok(error instanceof SpawnError);
    assert.ok(error.cause instanceof Error);
    return error;
  }
  assert.fail("It was started");
}

test(
  "startChild() gives output, diagnostics and exit of a program",
  async () => {
    const child = await start(script("cat; echo oops >&2; exit 3"));
    await child.stdin.write("hello\n");
    await child.stdin.end();
    assert.equal(await textOf(child.stdout), "hello\n");
    assert.deepEqual(await child.exited, { code: 3, signal: null });
    await child.stderr.ended;
    assert.equal(child.stderr.text(), "oops\n");
    assert.equal(child.stderr.lines, 1);
    await child.stop(SOON);
  },
  { skip },
);

test(
  "startChild() tells missing, forbidden and unusable programs apart",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "child-"));
    try {
      const plain = join(folder, "plain");
      await writeFile(plain, "#!/bin/sh\n");
      const orphan = join(folder, "orphan");
      await writeFile(orphan, "#!/no/such/interpreter\n");
      await chmod(orphan, 0o755);
      const cases = [
        ["missing", "/no/such", `Program does not exist: "/no/such"`],
        ["permission", plain, `Program may not be executed: "${plain}"`],
        [
          "other",
          orphan,
          `Interpreter or C library of the program is missing: "${orphan}"`,
        ],
      ] as const;
      for (const [failure, command, message] of cases) {
        const error = await failureOf(program(command));
        assert.equal(error.failure, failure);
        assert.ok(error.message.startsWith(message), error.message);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  { skip, ids: ["W-05"] },
);

test("startChild() says that the working directory is missing", async () => {
  const gone = await failureOf({ ...program("cat"), cwd: "/no/such/place" });
  assert.equal(gone.failure, "cwd");
  assert.equal(
    gone.message,
    `Working directory does not exist: "/no/such/place"`,
  );
  const file = await failureOf({ ...program("cat"), cwd: "/etc/passwd" });
  assert.equal(file.failure, "cwd");
  assert.equal(
    file.message,
    `Working directory is not a directory: "/etc/passwd"`,
  );
}, { skip });

test("startChild() logs what the runtime refused to pass on", async () => {
  const warned: string[] = [];
  const refusing: Host = {
    ...current,
    spawn: async (request) => ({
      ...await current.spawn(request),
      warnings: ["Left out"],
    }),
  };
  const log = safeLogger({
    ...console,
    warn: (message) => void warned.push(message),
  });
  const child = await start(script("exit 0"), { log }, refusing);
  await child.stop(SOON);
  assert.deepEqual(warned, ["Left out"]);
}, { skip });

test("stop() resolves only when the child is gone", async () => {
  const child = await start(script("trap '' TERM; echo up; cat; sleep 0.1"));
  const lines = new Lines(child.stdout);
  assert.equal(await lines.next(), "up");
  let isGone = false;
  child.exited.then(() => isGone = true);
  await child.stop({ ...SOON, graceMs: 0 });
  assert.equal(isGone, true);
  await lines.cancel();
}, { skip, ids: ["P-07"] });

test(
  "stdin rejects what is stuck when the child is gone, even if a grandchild holds it",
  async () => {
    const child = await start(
      script("exec 3<&0; sleep 60 <&3 & echo $!; exec sleep 60 0</dev/null"),
    );
    const lines = new Lines(child.stdout);
    const grandchild = Number(await lines.next());
    const writing = child.stdin.write("x".repeat(1_000_000));
    const rejection = assert.rejects(writing, { code: "EPIPE" });
    await child.stop({ ...SOON, reason: "aborted" });
    await rejection;
    await assert.rejects(child.stdin.write("late"), { code: "EPIPE" });
    await lines.cancel();
    current.killPid(grandchild, "SIGKILL");
    await child.stdin.end();
  },
  { skip },
);

test(
  "stdin rejects what is stuck as soon as the child is gone, while a grandchild lives that holds it",
  async () => {
    const child = await start(
      script("exec 3<&0; sleep 60 <&3 & echo $!; exec sleep 60 0</dev/null"),
    );
    const lines = new Lines(child.stdout);
    const grandchild = Number(await lines.next());
    let code: unknown;
    child.stdin.write("x".repeat(1_000_000)).catch((error) =>
      code = error.code
    );
    current.killPid(child.pid, "SIGKILL");
    await child.exited;
    await new Promise<void>((resolve) => current.nextTurn(resolve));
    assert.equal(code, "EPIPE");
    assert.equal(isRunning(grandchild), true);
    await lines.cancel();
    await child.stop(SOON);
  },
  { skip: skip ?? needsProc },
);

test("stdin rejects after its end", async () => {
  const child = await start(script("cat >/dev/null; sleep 0.05"));
  await child.stdin.end();
  await assert.rejects(child.stdin.write("late"), { code: "EPIPE" });
  await child.stdin.end();
  await child.stop(SOON);
}, { skip });

test(
  "A child that ended leaves no listener, even if it is never stopped",
  async () => {
    let listeners = 0;
    const watched: Host = {
      ...current,
      onExit(listener) {
        listeners++;
        const stop = current.onExit(listener);
        return () => {
          listeners--;
          stop();
        };
      },
    };
    const child = await start(script("exit 0"), {}, watched);
    assert.equal(listeners, 1);
    await child.exited;
    assert.equal(listeners, 0);
    await child.stop(SOON);
  },
  { skip, ids: ["P-05"] },
);
