import assert from "node:assert/strict";
import process from "node:process";
import { denoProcesses } from "../../src/runtime/deno_processes.ts";
import { denoFiles } from "../../src/runtime/deno_files.ts";
import type { DenoFileInfo, DenoGlobal } from "../../src/runtime/globals.ts";
import { test } from "../_harness.ts";

/** A Deno of the given system on which every file has the given status. */
function denoOf(os: string, status: Partial<DenoFileInfo>): DenoGlobal {
  const found = { isFile: true, isDirectory: false, ...status };
  return {
    build: { os, arch: "x86_64" },
    stat: () => Promise.resolve(found),
  } as unknown as DenoGlobal;
}

test(
  "denoFiles() takes every file on Windows for a program, whatever mode Deno makes up",
  async () => {
    // Deno reports for an .exe: read and write for all.
    for (const mode of [0o100666, 0o100444, 0, null]) {
      const files = denoFiles(denoOf("windows", { mode }));
      assert.equal(await files.isExecutable("C:\\claude.exe"), true);
    }
    const folder = denoOf("windows", { isFile: false, mode: 0o40777 });
    assert.equal(await denoFiles(folder).isExecutable("C:\\claude.exe"), false);
    for (const [mode, expected] of [[0o100666, false], [0o100755, true]]) {
      const files = denoFiles(denoOf("linux", { mode: Number(mode) }));
      assert.equal(await files.isExecutable("/claude"), expected);
    }
  },
  { ids: ["D-06"] },
);

test("denoFiles() names the files of other users, except root, where Deno reports the user without a question", async () => {
  for (
    const [os, state, owner, expected] of [
      ["linux", "granted", 1000, false],
      ["linux", "granted", 0, false],
      ["linux", "granted", 1001, true],
      ["linux", "prompt", 1001, false],
      ["linux", "denied", 1001, false],
      ["windows", "granted", null, false],
    ] as const
  ) {
    const runtime = {
      ...denoOf(os, { mode: 0o100600, mtime: null, uid: owner }),
      permissions: { querySync: () => ({ state }) },
      uid() {
        assert.equal(state, "granted");
        return os === "windows" ? null : 1000;
      },
    };
    const status = await denoFiles(runtime).status("/file");
    assert.equal(status?.isForeign ?? false, expected, `${os} ${state}`);
  }
});

/** Calls of `process.kill()` while a Deno of the given system checks whether process 7 runs. */
function probesOf(
  os: string,
  permission: { readonly state: string; readonly partial?: boolean },
  answer: () => void,
): { readonly isRunning: boolean; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const real = process.kill;
  const runtime = {
    build: { os, arch: "x86_64" },
    env: { get: () => "C:\\Windows" },
    permissions: { querySync: () => permission },
    readTextFileSync: () => {
      throw new Error("There is no /proc");
    },
    Command: class {
      constructor() {
        throw new Error("There is no ps");
      }
    },
  } as unknown as DenoGlobal;
  process.kill = (...words: unknown[]) => {
    asked.push(words);
    answer();
    return true;
  };
  try {
    const platform = os === "windows" ? "win32" : os;
    const isRunning = denoProcesses(runtime, platform).isRunning(7);
    return { isRunning, asked };
  } finally {
    process.kill = real;
  }
}

test("Deno probes a process on Windows as elsewhere, with signal 0", () => {
  const gone = () => {
    throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
  };
  for (const os of ["windows", "darwin"]) {
    const granted = { state: "granted" };
    const dead = probesOf(os, granted, gone);
    assert.deepEqual(dead, { isRunning: false, asked: [[7, 0]] });
    assert.equal(probesOf(os, granted, () => {}).isRunning, true);
  }
});

test("Deno asks for no process where that would be a question to the user: it counts as running", () => {
  for (const os of ["windows", "darwin"]) {
    for (
      const permission of [
        { state: "prompt" },
        { state: "denied" },
        { state: "granted", partial: true },
      ]
    ) {
      const seen = probesOf(os, permission, () => assert.fail("asked"));
      assert.deepEqual(seen, { isRunning: true, asked: [] });
    }
  }
});
