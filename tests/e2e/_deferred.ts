import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type ApprovalRequest,
  type ApprovalStore,
  memoryApprovals,
  query,
} from "@sluice/agent";
import { approvalId } from "@sluice/agent/extend";
import type { ModelToolCall } from "@sluice/agent/testing";
import { type RealCli, withRealCli } from "../_real_cli.ts";

/** The call that waits in a deferred session, unless another one is given. */
export const CALL = {
  name: "Bash",
  input: { command: "echo x >> marker" },
  id: "toolu_a",
} as const;

/** A session whose call was deferred, as the CLI left it. */
interface Deferred {
  /** The folder of the test, which begins paths and is a part of their keys. */
  readonly folder: string;
  readonly request: ApprovalRequest;
  /** Files below the home directory, by their paths. */
  readonly files: Readonly<Record<string, string>>;
}

/** By the inputs of their calls. */
const sessions = new Map<string, Promise<Deferred>>();

/** Has the CLI defer a call. */
async function defer(call: ModelToolCall): Promise<Deferred> {
  let found: Deferred | undefined;
  await withRealCli([{ tools: [call] }], async ({ cwd, env, options }) => {
    const store = memoryApprovals();
    const permissions = { approvals: { store, waitMs: 0 } };
    const result = await query("Go.", { ...options, permissions }).result();
    assert.equal(result.stop_reason, "tool_deferred");
    const [{ request } = assert.fail("No request")] = await store.list();
    const home = env["HOME"] ?? "";
    const projects = join(".claude", "projects");
    const files: Record<string, string> = {};
    for (
      const name of await readdir(join(home, projects), { recursive: true })
    ) {
      if (!name.endsWith(".jsonl")) continue;
      const path = join(projects, name);
      files[path] = await readFile(join(home, path), "utf8");
    }
    found = { folder: folderOf(cwd), request, files };
  });
  assert.ok(found);
  return found;
}

function folderOf(cwd: string): string {
  return basename(dirname(cwd));
}

/** Puts a session with a deferred call there: one start of the CLI makes it for all tests of a file. */
export async function deferredSession(
  { cwd, env }: RealCli,
  store: ApprovalStore = memoryApprovals(),
  call: ModelToolCall = CALL,
): Promise<{ readonly id: string; readonly store: ApprovalStore }> {
  const key = JSON.stringify(call);
  const session = sessions.get(key) ?? defer(call);
  sessions.set(key, session);
  const { folder, request, files } = await session;
  const here = (text: string) => text.replaceAll(folder, folderOf(cwd));
  for (const [path, text] of Object.entries(files)) {
    const whole = join(env["HOME"] ?? "", here(path));
    await mkdir(dirname(whole), { recursive: true });
    await writeFile(whole, here(text));
  }
  const moved: ApprovalRequest = JSON.parse(here(JSON.stringify(request)));
  await store.park({ ...moved, id: await approvalId(moved) });
  return { id: request.sessionId, store };
}
