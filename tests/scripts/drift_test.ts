import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "../_harness.ts";

// Scripts run on Deno alone.
const ONLY = { only: "deno" } as const;

async function drift(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string }> {
  const { DENO, ROOT_PATH, run } = await import("../../scripts/project.ts");
  const script = `${ROOT_PATH}scripts/drift.ts`;
  return await run(DENO, ["run", "-A", "--no-check", script, ...args]);
}

test(
  "drift exits with 1 when a run has a kind or a value that is not described, and names the line",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "drift-"));
    try {
      const ask = (id: string, request: unknown) => ({
        dir: "in",
        msg: { type: "control_request", request_id: id, request },
      });
      const answer = (id: string, response: unknown) => ({
        dir: "out",
        msg: {
          type: "control_response",
          response: { subtype: "success", request_id: id, response },
        },
      });
      const lines = [
        { dir: "meta" },
        { dir: "out", msg: { type: "keep_alive" } },
        { dir: "out", msg: { type: "system", subtype: "no_such_kind" } },
        { dir: "out", msg: { type: "keep_alive", more: true } },
        { dir: "out", msg: { type: "control_cancel_request", request_id: 1 } },
        { dir: "in", msg: { type: "user" } },
        ask("1", { subtype: "set_model", model: 1 }),
        ask("2", { subtype: "rename_session", title: "new" }),
        answer("2", { bye: true }),
        ask("3", { subtype: "no_such_request" }),
      ];
      await writeFile(
        join(folder, "run.ndjson"),
        lines.map((line) => JSON.stringify(line)).join("\n"),
      );
      const { code, stdout } = await drift(`--runs=${folder}`, "--json");
      const { open, notes, stale } = JSON.parse(stdout);
      const shown = (rows: readonly Record<string, string>[]) =>
        rows.map(({ path, what, where }) => `${path}: ${what} (${where})`);
      assert.deepEqual(shown(open), [
        "line system/no_such_kind: kind (run.ndjson:3)",
        "line control_cancel_request.request_id: must be string (run.ndjson:5)",
        "stdin user: must have required property 'message' (run.ndjson:6)",
        "request set_model.model: must match a schema in anyOf (run.ndjson:7)",
        "reply rename_session: has a body (run.ndjson:9)",
        "request no_such_request: kind (run.ndjson:10)",
      ]);
      assert.ok(
        shown(notes).includes("line keep_alive.more: field (run.ndjson:4)"),
      );
      assert.deepEqual(stale, []);
      assert.equal(code, 1);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  ONLY,
);

test(
  "drift finds nothing in the recorded runs, and refuses unknown flags",
  async () => {
    const { code, stdout } = await drift();
    assert.match(stdout, /^Runs: \d+, differences: 0, /m);
    assert.equal(code, 0);
    assert.match((await drift("--help")).stdout, /--official=VERSION/);
    assert.equal((await drift("--offical=1")).code, 1);
  },
  ONLY,
);
