import { unlessAborted } from "./async/on_abort.ts";
import { ConfigError, NotPendingError } from "./errors/base.ts";
import { show, textOfError } from "./errors/text.ts";
import type { JsonObject } from "./types/json.ts";
import type { CanUseTool, PermissionContext } from "./types/permissions.ts";
import type { PermissionDecision } from "./protocol/permissions.ts";
import type { ApprovalStore } from "./approvals/store.ts";
import type { Terminal } from "./ports/terminal.ts";

/** Settings of {@link promptPerson}. */
export interface PromptPersonOptions {
  /** The terminal to ask at; that of this program by default. */
  readonly terminal?: Terminal | undefined;
}

/**
 * Creates a `canUseTool` callback that asks the person at the terminal about each tool call, one after the other,
 * without a timeout.
 *
 * Shows the tool and its whole input, page by page, when the reader of the messages has caught up: edits as a
 * comparison, plans as text, hidden characters spelled out. Accepts `y` once everything was shown, `n`, a reason for
 * a denial, and `a` (always) if the CLI suggests rules, which are listed to choose from. Questions of
 * `AskUserQuestion` are answered by number or in words. Without a person at a terminal, or at the end of the input,
 * the call is denied with that reason. It asks on the screen above the keyboard; nothing else should read stdin
 * meanwhile.
 *
 * @param options Another terminal
 * @returns The callback
 *
 * @example Deny a call at the terminal
 * ```ts
 * import { promptPerson, query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli([[{ tool: "Bash", input: { command: "rm -rf /" } }, "Pity."]]);
 * // Left out, it is the terminal of this program.
 * const terminal = { isPerson: true, ask: () => Promise.resolve("never do that") };
 * const result = await query("Tidy up.", {
 *   cliPath,
 *   permissions: { canUseTool: promptPerson({ terminal }) },
 * }).result();
 * assert.equal(result.permission_denials[0]?.tool_name, "Bash");
 * ```
 */
export function promptPerson(options: PromptPersonOptions = {}): CanUseTool {
  const place = options.terminal ?? OF_PROGRAM;
  async function decide(
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): Promise<PermissionDecision> {
    await context.caughtUp;
    const terminal = options.terminal ??
      (await import("./runtime/terminal.ts")).terminal();
    const at: Terminal = {
      isPerson: terminal.isPerson,
      ...terminal.size &&
        { size: () => terminal.size?.() ?? { columns: 0, rows: 0 } },
      ...terminal.needsWord &&
        { needsWord: () => terminal.needsWord?.() === true },
      ...terminal.onChange &&
        { onChange: (listener) => terminal.onChange?.(listener) ?? (() => {}) },
      ...terminal.takeTurn &&
        {
          takeTurn: async (signal) =>
            await terminal.takeTurn?.(signal) ?? (() => {}),
        },
      // A custom terminal may know nothing of signals.
      ask: (text, signal) =>
        unlessAborted(Promise.resolve(terminal.ask(text, signal)), signal),
    };
    const { askPerson } = await import("./callbacks/ask_person.ts");
    const { shownFile } = await import("./runtime/shown_file.ts");
    return await askPerson(at, tool, input, context, shownFile);
  }
  const canUseTool = (
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): Promise<PermissionDecision> => {
    // One question at a time; one that was taken back meanwhile is not shown.
    const decision = (lastAt.get(place) ?? Promise.resolve()).then(() => {
      context.signal.throwIfAborted();
      return decide(tool, input, context);
    });
    lastAt.set(place, decision.catch(() => {}));
    return decision;
  };
  return Object.assign(canUseTool, { timeoutMs: Infinity });
}

/** The terminal of this program. */
const OF_PROGRAM = {};
/** The newest question at each terminal. */
const lastAt = new WeakMap<object, Promise<unknown>>();

/** Most remembered ids of questions that are no longer open. */
const REMEMBERED = 1_000;

/** A tool call that is pending; plain data: `since` alone becomes a string in JSON. */
export interface PendingPermission
  extends Omit<PermissionContext, "signal" | "caughtUp" | "requestId" | "raw"> {
  /** Id for `answer()`; unique, also across conversations. */
  readonly id: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Input of the call. */
  readonly input: JsonObject;
  /** When it was asked. */
  readonly since: Date;
}

/** A queue of pending tool calls that are decided elsewhere, at any time: on a web page, in a chat, by another program. */
export interface PermissionQueue {
  /** Callback for `permissions.canUseTool`; one queue may serve several conversations. It has no timeout. */
  readonly canUseTool: CanUseTool;
  /** Pending calls, the oldest first; a new list with each change. */
  readonly pending: readonly PendingPermission[];
  /**
   * Streams the current list, then the list after each change. A slow reader gets the newest list only; every call
   * returns a stream of its own.
   *
   * @param settings The signal ends the stream without an error
   * @returns A stream that ends with the signal, or when it is cancelled
   */
  watch(
    settings?: { readonly signal?: AbortSignal | undefined },
  ): ReadableStream<readonly PendingPermission[]>;
  /**
   * Decides a pending call; calls may be decided in any order.
   *
   * @param id The `id` of the pending call
   * @param decision The decision, as `canUseTool` would return it
   * @throws {NotPendingError} If nothing waits under this id: it was decided before, taken back, or never asked
   * @throws {TypeError} If the decision is invalid; the call stays pending
   */
  answer(id: string, decision: PermissionDecision): void;
}

/** A question, and who waits for its answer. */
interface Open {
  readonly permission: PendingPermission;
  /** Reads the decision at once; throws if it is invalid. */
  readonly decide: (decision: unknown) => void;
}

/**
 * Creates a queue that collects permission requests, to be decided later, without a timeout.
 *
 * A question leaves the queue when it is answered, when the CLI cancels it and when its conversation ends.
 *
 * @returns The queue: its callback, the pending calls, and `answer()`
 *
 * @example Decide from somewhere else
 * ```ts
 * import { permissionQueue, query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli([[{ tool: "Bash", input: { command: "ls" } }, "Done."]]);
 * const queue = permissionQueue();
 * const text = query("Look.", { cliPath, permissions: { canUseTool: queue.canUseTool } }).text();
 *
 * for await (const [first] of queue.watch()) {
 *   if (first === undefined) continue;
 *   assert.equal(first.input.command, "ls");
 *   queue.answer(first.id, { behavior: "allow" });
 *   break;
 * }
 * assert.equal(await text, "Done.");
 * ```
 */
export function permissionQueue(): PermissionQueue {
  const open = new Map<string, Open>();
  const gone = new Map<string, NotPendingError["reason"]>();
  const watchers = new Set<() => void>();
  let pending: readonly PendingPermission[] = Object.freeze([]);

  function changed(): void {
    pending = Object.freeze([...open.values()].map((one) => one.permission));
    for (const watcher of watchers) watcher();
  }

  function leave(id: string, reason: NotPendingError["reason"]): void {
    open.delete(id);
    gone.set(id, reason);
    for (const oldest of gone.keys()) {
      if (gone.size <= REMEMBERED) break;
      gone.delete(oldest);
    }
    changed();
  }

  async function ask(
    tool: string,
    input: JsonObject,
    context: PermissionContext,
  ): Promise<PermissionDecision> {
    const { signal, raw } = context;
    // The asking side has loaded it.
    const { permissionAnswer, suggestedIn } = await import(
      "./callbacks/decisions.ts"
    );
    const asked = { raw, suggested: suggestedIn(raw) };
    return await new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const permission = toPending(tool, input, context);
      const { id } = permission;
      const withdraw = () => {
        leave(id, "withdrawn");
        reject(signal.reason);
      };
      signal.addEventListener("abort", withdraw, { once: true });
      open.set(id, {
        permission,
        decide: (decision) => {
          // Lists and mode are checked by the conversation.
          const read = permissionAnswer(decision, asked, undefined, true);
          signal.removeEventListener("abort", withdraw);
          leave(id, "answered");
          resolve(read as unknown as PermissionDecision);
        },
      });
      changed();
    });
  }

  return {
    canUseTool: Object.assign(ask, { timeoutMs: Infinity }),
    get pending() {
      return pending;
    },
    watch: ({ signal } = {}) => watchValue(() => pending, watchers, signal),
    answer(id, decision) {
      const question = open.get(id);
      if (question === undefined) {
        throw new NotPendingError(id, gone.get(id) ?? "unknown");
      }
      try {
        question.decide(decision);
      } catch (error) {
        // It may come from far away: its sender learns that it is invalid, not the CLI.
        throw new TypeError(`Decision ${textOfError(error)}`, { cause: error });
      }
    },
  };
}

function toPending(
  tool: string,
  input: JsonObject,
  context: PermissionContext,
): PendingPermission {
  // For others: own fields, without the signal and the request as it came.
  const { raw: _raw, requestId: _requestId, ...told } = context;
  const { signal: _signal, caughtUp: _caughtUp, ...fields } = told;
  return Object.freeze({
    id: crypto.randomUUID(),
    tool,
    input,
    since: new Date(),
    ...fields,
  });
}

/** A value as it is now and after each change, at the reader's pace. */
function watchValue<T>(
  current: () => T,
  watchers: Set<() => void>,
  signal: AbortSignal | undefined,
): ReadableStream<T> {
  let given: { readonly value: T } | undefined;
  let wake = () => {};
  let end = () => {};
  let isOver = false;
  const leave = () => {
    isOver = true;
    signal?.removeEventListener("abort", end);
    wake();
  };
  return new ReadableStream<T>({
    start(controller) {
      end = () => {
        leave();
        controller.close();
      };
      if (signal?.aborted) end();
      else signal?.addEventListener("abort", end, { once: true });
    },
    async pull(controller) {
      while (!isOver && given?.value === current()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          watchers.add(resolve);
        });
        watchers.delete(wake);
      }
      if (isOver) return;
      given = { value: current() };
      controller.enqueue(given.value);
    },
    cancel: leave,
  }, { highWaterMark: 0 });
}

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
 * // Another answer was faster.
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
 * Shape: `<id>.asked.json` holds a question, `<id>.answered.json` its answer, `<id>.taken.json` marks the answer as
 * used. Each file is written atomically and synced before its call resolves; existing files are never replaced. The
 * folder is created on first use, for this user only (mode 0700, files 0600). A folder that every user of the machine
 * may write is refused: they could approve calls. The file system needs hard links. `list()` skips unreadable
 * questions with one warning of the process; `get()` throws for them.
 *
 * @param directory A path, or a `file:` URL
 * @returns The store; its calls reject with the system's error where the folder cannot be used
 * @throws {ConfigError} If `directory` is not a path
 *
 * @example Ask in one process, answer in another
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
