import assert from "node:assert/strict";
import {
  type ProcessSource,
  type ProcessTable,
  processTable,
} from "../../src/runtime/process_table.ts";
import { test } from "../_harness.ts";

interface Call {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A machine without /proc, whose programs say what is given. */
function machine(
  change: Partial<ProcessSource> & { readonly says?: string } = {},
): { readonly table: ProcessTable; readonly calls: readonly Call[] } {
  const calls: Call[] = [];
  const hidden = () => {
    throw new Error("There is no /proc");
  };
  const source: ProcessSource = {
    platform: "darwin",
    systemRoot: undefined,
    list: hidden,
    read: hidden,
    run(command, args, env) {
      calls.push({ command, args, env });
      if (change.says === undefined) throw new Error("May not be started");
      return change.says;
    },
    probe() {},
    ...change,
  };
  return { table: processTable(source), calls };
}

const THREE = `  100     1 Ss   Sat Nov 22 01:05:30 2026
  101   100 S+   Sat Nov  2 01:05:31 2026
  102   101 Z    Sat Nov 22 01:05:32 2026
`;

test("processes() asks ps once for all, by its path and in a language and zone of its own", () => {
  const { table, calls } = machine({ says: THREE });
  assert.deepEqual(table.processes(), [
    { pid: 100, parent: 1, began: "Sat-Nov-22-01:05:30-2026" },
    { pid: 101, parent: 100, began: "Sat-Nov-2-01:05:31-2026" },
  ]);
  assert.deepEqual(calls, [{
    command: "/bin/ps",
    args: ["-A", "-o", "pid=,ppid=,stat=,lstart="],
    env: { TZ: "UTC", LC_ALL: "C" },
  }]);
  table.processes([100, 101]);
  assert.equal(calls.length, 2);
  assert.deepEqual(calls[1]?.args.slice(0, 2), ["-p", "100,101"]);
});

test("Without /proc a process is known by its beginning in UTC, whatever zone this program is in", () => {
  const { table, calls } = machine({ says: THREE.split("\n")[0] + "\n" });
  assert.equal(table.isRunning(100), true);
  assert.equal(table.beginningOf(100), "Sat-Nov-22-01:05:30-2026");
  assert.deepEqual(
    new Set(calls.map(({ env }) => env["TZ"])),
    new Set(["UTC"]),
  );
  assert.deepEqual(table.processIds(), []);
  assert.equal(table.environmentOf(100), undefined);
});

test("Without /proc a process that ps does not list is over, and one that waits to be reaped too", () => {
  assert.equal(machine({ says: "" }).table.isRunning(7), false);
  const zombie = "  102   101 Z    Sat Nov 22 01:05:32 2026\n";
  assert.equal(machine({ says: zombie }).table.isRunning(102), false);
});

test("Without /proc and ps a process runs unless the system reports none", () => {
  const failing = (code: string | undefined) =>
    machine({
      probe() {
        throw Object.assign(new Error("kill"), { code });
      },
    }).table;
  assert.equal(failing("ESRCH").isRunning(7), false);
  assert.equal(failing("EPERM").isRunning(7), true, "of another user");
  assert.equal(failing(undefined).isRunning(7), true, "unknown");
  assert.equal(machine().table.isRunning(7), true);
  assert.equal(machine().table.beginningOf(7), undefined);
});

test("On Linux a beginning comes from /proc alone, since another program would compare it", () => {
  const { table } = machine({ platform: "linux", says: THREE });
  assert.equal(table.processes().length, 2);
  assert.equal(table.beginningOf(100), undefined);
});

test("Windows is asked for nothing by a bare name: no ps, and taskkill by its path", () => {
  const { table, calls } = machine({
    platform: "win32",
    systemRoot: "D:\\WINNT",
    says: "",
  });
  assert.equal(table.isRunning(7), true);
  assert.equal(table.beginningOf(7), undefined);
  assert.deepEqual(table.processes(), []);
  assert.deepEqual(calls, []);
  table.killTree(7);
  assert.deepEqual(calls, [{
    command: "D:\\WINNT\\System32\\taskkill.exe",
    args: ["/PID", "7", "/T", "/F"],
    env: { SystemRoot: "D:\\WINNT" },
  }]);
  machine({ platform: "win32" }).table.killTree(7);
  const elsewhere = machine({ says: "" });
  elsewhere.table.killTree(7);
  assert.deepEqual(elsewhere.calls, []);
});

test("A name with blanks and parentheses hides no field of /proc", () => {
  const rest = Array.from({ length: 18 }, (_, at) => `${at}`).join(" ");
  const files: Record<string, string> = {
    "/proc/self/stat": `9 (x) R 1 ${rest} 900 0`,
    "/proc/7/stat": `7 (a) b (c) S 6 ${rest} 4711 0`,
    "/proc/8/stat": `8 (gone) Z 6 ${rest} 4712 0`,
    "/proc/7/environ": "A=1\0B=2\0",
  };
  const { table } = machine({
    platform: "linux",
    list: () => ["7", "8", "self", "cpuinfo"],
    read(path) {
      const text = files[path];
      if (text === undefined) throw new Error("No such file");
      return text;
    },
  });
  assert.deepEqual(table.processIds(), [7, 8]);
  assert.equal(table.processes()[0]?.pid, 7);
  assert.equal(table.processes()[0]?.parent, 6);
  assert.equal(table.processes().length, 1);
  assert.equal(table.isRunning(8), false);
  assert.equal(table.isRunning(9), false);
  assert.equal(table.environmentOf(7), "A=1\0B=2\0");
  assert.equal(table.environmentOf(8), undefined);
});

test("An empty environment is that of a program which is just becoming another; one that was given none has none", () => {
  let reads = 0;
  const { table } = machine({
    platform: "linux",
    read(path) {
      if (path === "/proc/3/environ") return ++reads === 1 ? "" : "A=1\0";
      if (path.endsWith("/environ")) return "";
      return path === "/proc/1/cmdline" ? "" : "sleep\x0060\0";
    },
  });
  assert.equal(table.environmentOf(1), "");
  assert.equal(table.environmentOf(2), undefined);
  assert.equal(table.environmentOf(3), "A=1\0", "it is there by now");
});
