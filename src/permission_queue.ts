import { onAbort } from "./async/on_abort.ts";
import { approvedPlan } from "./callbacks/approved_plan.ts";
import { NotPendingError } from "./errors/base.ts";
import { frozenCopy } from "./errors/frozen_copy.ts";
import { textOfError } from "./errors/text.ts";
import type { JsonObject } from "./types/json.ts";
import type { CanUseTool, PermissionContext } from "./types/permissions.ts";
import type { PermissionDecision } from "./protocol/permissions.ts";

/** Most remembered ids of questions that are no longer open. */
const REMEMBERED = 1_000;

/** A tool call that is pending; plain data, frozen: `since` alone becomes a string in JSON. */
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
      const unfollow = onAbort(signal, () => {
        leave(id, "withdrawn");
        reject(signal.reason);
      });
      open.set(id, {
        permission,
        decide: (decision) => {
          // Lists and mode are checked by the conversation.
          const read = permissionAnswer(decision, asked, undefined, true);
          unfollow();
          leave(id, "answered");
          resolve(approvedPlan(
            tool,
            permission.input,
            read as unknown as PermissionDecision,
          ));
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
  const plain = { input, ...fields };
  return Object.freeze({
    id: crypto.randomUUID(),
    tool,
    since: new Date(),
    // Each reader gets this object.
    ...frozenCopy(plain as JsonObject) as typeof plain,
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
  let unfollow = () => {};
  let isOver = false;
  const leave = () => {
    isOver = true;
    unfollow();
    wake();
  };
  return new ReadableStream<T>({
    start(controller) {
      const end = () => {
        leave();
        controller.close();
      };
      if (signal?.aborted) end();
      else if (signal) unfollow = onAbort(signal, end);
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
