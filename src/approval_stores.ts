import { ConfigError } from "./errors/base.ts";
import { show } from "./errors/text.ts";
import type { ApprovalStore } from "./approvals/store.ts";

/**
 * Creates an approval store in memory: for one process, and for tests.
 *
 * @returns A new, empty store
 *
 * @example Decide from somewhere else
 * ```ts
 * import { memoryApprovals } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const store = memoryApprovals();
 * await store.park({
 *   id: "q1",
 *   sessionId: "0b7c7a0e-9d0c-4f5b-8f39-5f3f9c1f2f11",
 *   toolUseId: "toolu_1",
 *   tool: "Bash",
 *   input: { command: "deploy" },
 *   askedAt: new Date().toISOString(),
 * });
 * assert.equal(await store.answer("q1", { behavior: "allow" }), true);
 * // Another decision was faster.
 * assert.equal(await store.answer("q1", { behavior: "deny", message: "No" }), false);
 * assert.equal((await store.get("q1"))?.decision?.behavior, "allow");
 * ```
 */
export function memoryApprovals(): Required<ApprovalStore> {
  return later(async () => {
    const { memoryStore } = await import("./approvals/memory.ts");
    return memoryStore();
  });
}

/**
 * Creates an approval store in a folder, for all processes that can access it.
 *
 * Shape: `<id>.asked.json` holds a request, `<id>.answered.json` its decision, `<id>.taken.json` marks the decision as
 * used. Each file is written atomically and synced before its call resolves; existing files are never replaced. The
 * folder is created on use, for this user only (mode 0700, files 0600). At each use a folder that other users could
 * change is refused, since they could approve calls: every user may write it or replace it, or another user owns it.
 * The file system needs hard links. `list()` skips unreadable requests with one warning of the process; `get()`
 * throws for them.
 *
 * @param directory A path, or a `file:` URL
 * @returns The store; its calls reject with the system's error where the folder cannot be used
 * @throws {ConfigError} If `directory` is not a path
 *
 * @example Request in one process, decide in another
 * ```ts
 * import { directoryApprovals } from "@sluice/agent";
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const folder = await mkdtemp(`${tmpdir()}/approvals-`);
 * const store = directoryApprovals(folder);
 * for (const { request, decision } of await store.list()) {
 *   if (decision === undefined) await store.answer(request.id, { behavior: "allow" });
 * }
 * assert.deepEqual(await store.list(), []);
 * await rm(folder, { recursive: true });
 * ```
 */
export function directoryApprovals(
  directory: string | URL,
): Required<ApprovalStore> {
  const isPath = directory instanceof URL ||
    typeof directory === "string" && directory !== "";
  if (!isPath) {
    throw new ConfigError({
      message: `Option "directory" must be a path or a URL: ${show(directory)}`,
      key: "directory",
      value: directory,
      fatal: false,
    });
  }
  return later(async () => {
    const { directoryStore } = await import("./approvals/directory.ts");
    return directoryStore(directory);
  });
}

/** A store whose code is loaded by its first call. */
function later(
  load: () => Promise<Required<ApprovalStore>>,
): Required<ApprovalStore> {
  let loading: Promise<Required<ApprovalStore>> | undefined;
  const store = () => loading ??= load();
  return {
    park: async (request) => await (await store()).park(request),
    answer: async (id, decision) => await (await store()).answer(id, decision),
    get: async (id) => await (await store()).get(id),
    list: async () => await (await store()).list(),
    take: async (id) => await (await store()).take(id),
    delete: async (id) => await (await store()).delete(id),
    async *watch(signal, id) {
      yield* (await store()).watch(signal, id);
    },
  };
}
