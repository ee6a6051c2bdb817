import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isGoneWithin, needsShell } from "../_children.ts";
import { shellEnvironment, type StandIn, testStandIn } from "./_program.ts";

const FULL = "/dev/full";
const skip = needsShell ??
  (existsSync(FULL) ? undefined : "needs /dev/full");

/** Files of this program may have 1024 bytes at most; the rest of a write fails, as on a full disk. */
const SMALL_DISK = "trap '' XFSZ; ulimit -S -f 2;";

/** Runs a line of a shell to its end. */
async function shell(
  standIn: StandIn,
  line: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = await shellEnvironment(standIn);
  const child = spawn("/bin/sh", ["-c", line], { cwd: standIn.folder, env });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (bytes: Uint8Array) => {
      texts[name] += new TextDecoder().decode(bytes);
    });
  }
  child.stdin.end();
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...texts }));
  });
}

for (
  const line of [
    "sluice run go",
    "sluice run --json go",
    "printf 'one\\ntwo\\n' | sluice chat",
    "sluice doctor --json",
    "sluice jobs --help",
    "sluice web --no-open",
  ]
) {
  testStandIn(
    `${line} fails with the reason when stdout is a full disk`,
    [["Some answer.", { wait: "forever" }]],
    async (standIn) => {
      const { code, stderr } = await shell(standIn, `${line} >${FULL}`);
      assert.match(stderr, /^error: Cannot write to stdout: .*space left/m);
      assert.equal(code, 1);
      for (const { pid } of standIn.fake.runs) {
        assert.equal(await isGoneWithin(10_000, pid), true);
      }
    },
    { skip },
  );
}

testStandIn(
  "sluice run with stderr on a full disk prints the whole answer, and fails at the end",
  [[{ tool: "Bash", input: { command: "ls" } }, "Some answer."]],
  async (standIn) => {
    const { code, stdout } = await shell(
      standIn,
      `sluice run --allow Bash go 2>${FULL}`,
    );
    assert.deepEqual([code, stdout], [1, "Some answer.\n"]);
  },
  { skip },
);

testStandIn(
  "sluice inspect fails when only the beginning of its page fits on the disk",
  "Some answer.",
  async (standIn) => {
    const { code, stderr, stdout } = await shell(
      standIn,
      `sluice record run.jsonl -- go >record.txt; ${SMALL_DISK}
      sluice inspect run.jsonl -o other.html; echo $?
      sluice inspect run.jsonl -o - >page.html`,
    );
    assert.match(stderr, /^error: Cannot write .*other\.html: /m);
    assert.match(stderr, /^error: Cannot write to stdout: /m);
    assert.deepEqual([code, stdout], [1, "1\n"]);
    const { size } = await stat(join(standIn.folder, "page.html"));
    assert.ok(size > 0 && size <= 1024, `${size}`);
  },
  { skip: needsShell },
);

testStandIn(
  "sluice record prints the answer, fails, and leaves no empty file when the disk of its recording is full",
  "Some answer.",
  async (standIn) => {
    const { folder, path } = standIn;
    const roomy = join(folder, "claude");
    await writeFile(
      roomy,
      `#!/bin/sh\nulimit -S -f unlimited\nexec ${path} "$@"\n`,
    );
    await chmod(roomy, 0o755);
    await symlink(FULL, join(folder, "full.jsonl"));
    const { code, stdout, stderr } = await shell(
      standIn,
      `sluice record --force full.jsonl -- go; echo $?; trap '' XFSZ; ulimit -S -f 0
      sluice record new.jsonl -- --cli ./claude go`,
    );
    assert.deepEqual([code, stdout], [1, "Some answer.\n1\nSome answer.\n"]);
    assert.match(stderr, /^error: Cannot write full\.jsonl: .*space left/m);
    assert.match(stderr, /^error: Cannot write new\.jsonl: /m);
    assert.doesNotMatch(stderr, /recorded in/);
    assert.equal(existsSync(join(folder, "new.jsonl")), false);
    assert.equal(existsSync(join(folder, "full.jsonl")), true);
  },
  { skip },
);
