import assert from "node:assert/strict";
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

test("denoFiles() takes every file on Windows for a program, whatever mode Deno makes up", async () => {
  // What Deno tells of an .exe: read and write for all.
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
}, { ids: ["D-06"] });
