import { readPlain } from "../callbacks/plain.ts";
import { APPROVAL_DECISION } from "../callbacks/shapes.ts";
import { canonicalText } from "../errors/canonical.ts";
import { hexDigest } from "../errors/digest.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

/** A tool call that is pending in an approval store; plain JSON. */
export interface ApprovalRequest {
  /** Id for `answer()`: made from session, tool call and input, so that a changed input is another question. */
  readonly id: string;
  /** Id of the session that called the tool, for `resume`. */
  readonly sessionId: string;
  /** Id of the tool call. */
  readonly toolUseId: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Its input. */
  readonly input: JsonObject;
  /** Time of the first request, as `2026-01-31T12:00:00.000Z`. */
  readonly askedAt: string;
  /** The working directory of the session. */
  readonly cwd?: string;
  /** Id of the subagent that called the tool. */
  readonly agentId?: string;
  /** The MCP server behind the tool. */
  readonly mcpServer?: string;
}

/** Decision about one call, without rules for later calls. */
export type ApprovalDecision = {
  /** The tool may run. */
  readonly behavior: "allow";
  /** The input it runs with; absent or empty = as it was asked. */
  readonly updatedInput?: JsonObject | undefined;
} | {
  /** The tool may not run. */
  readonly behavior: "deny";
  /** Why; the model reads it as the tool's result. */
  readonly message: string;
  /** Whether the turn ends as well; false. */
  readonly interrupt?: boolean | undefined;
};

/** A question, and its answer when there is one; plain JSON. */
export interface Approval {
  /** The question. */
  readonly request: ApprovalRequest;
  /** The decision; absent = pending. */
  readonly decision?: ApprovalDecision;
  /** When it was decided, as `2026-01-31T12:00:00.000Z`. */
  readonly answeredAt?: string;
  /** Whether a conversation used the answer: its tool ran, or may have run. */
  readonly isTaken?: boolean;
}

/**
 * A store of pending tool calls and their decisions, shared by several processes.
 *
 * Anyone who can write to a store decides for the agent: protect it as you protect the agent. `approvalStoreCases()`
 * of `./testing` tests a store of your own.
 */
export interface ApprovalStore {
  /**
   * Stores a question; resolves when another process can see it. A question whose id exists changes nothing, so that
   * its answer is kept.
   *
   * @param request What is asked
   */
  park(request: ApprovalRequest): Promise<void>;
  /**
   * Answers a question, once: of two simultaneous answers one gets `true`.
   *
   * @param id The `id` of the request
   * @param decision What was decided
   * @returns Whether this is the answer; `false` when it was answered before
   * @throws {NotPendingError} If the store does not know the question
   * @throws {TypeError} If that is no decision; the question stays open
   */
  answer(id: string, decision: ApprovalDecision): Promise<boolean>;
  /**
   * Returns one question.
   *
   * @param id The `id` of the request
   * @returns The question as it is now; `undefined` if it does not exist
   */
  get(id: string): Promise<Approval | undefined>;
  /**
   * Lists all questions, answered or not.
   *
   * @returns The questions as they are now, the oldest first
   */
  list(): Promise<readonly Approval[]>;
  /**
   * Streams the pending questions, then each question that is stored or answered from now on. Without this method a
   * conversation polls the store four times a second.
   *
   * @param signal Ends the stream, without an error
   * @param id The only question to watch; others may be reported as well
   * @returns Questions without a `decision` and with one; the same may come twice
   */
  watch?(signal: AbortSignal, id?: string): AsyncIterable<Approval>;
  /**
   * Marks an answer as used, once: of two programs that resume the same session one gets `true` and runs the tool.
   * Without this method both would run it.
   *
   * @param id The `id` of a request that was answered
   * @returns Whether the answer had not been used before
   */
  take?(id: string): Promise<boolean>;
  /**
   * Deletes a question.
   *
   * @param id The `id` of the request; an unknown one changes nothing
   */
  delete?(id: string): Promise<void>;
}

/**
 * Returns the id of a question, a hash of the session, the tool call and its input; the order of keys does not matter.
 *
 * @example The key of a question in a store
 * ```ts
 * import { approvalId } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const call = { sessionId: "s", toolUseId: "t", tool: "Bash", input: { command: "ls" } };
 * assert.match(await approvalId(call), /^[0-9a-f]{64}$/);
 * ```
 */
export async function approvalId(
  { sessionId, toolUseId, tool, input }: Pick<
    ApprovalRequest,
    "sessionId" | "toolUseId" | "tool" | "input"
  >,
): Promise<string> {
  return await hexDigest(
    canonicalText([sessionId, toolUseId, tool, input]),
  );
}

/**
 * Checks a decision that a store returned, and copies it as plain JSON.
 *
 * @throws {TypeError} If it is no decision
 *
 * @example Check the answer of a person
 * ```ts
 * import { readDecision } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(readDecision({ behavior: "allow" }), { behavior: "allow" });
 * assert.throws(() => readDecision({ behavior: "maybe" }), TypeError);
 * ```
 */
export function readDecision(decision: unknown): ApprovalDecision {
  try {
    return readPlain(decision, APPROVAL_DECISION) as ApprovalDecision;
  } catch (error) {
    throw new TypeError(`Decision ${textOfError(error)}`, { cause: error });
  }
}

/**
 * Checks a question that a store returned for an id. The id must match the call that the question shows: otherwise
 * a person would decide about a call that is not the one that runs.
 *
 * @throws {Error} If it is no question, or one for another id or call
 * @throws {TypeError} If its decision is malformed
 *
 * @example Check a row of a store
 * ```ts
 * import { approvalId, readAsked } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const call = { sessionId: "s", toolUseId: "t", tool: "Bash", input: { command: "ls" } };
 * const id = await approvalId(call);
 * const row = { request: { ...call, id, askedAt: "2026-01-31T12:00:00.000Z" } };
 * assert.equal((await readAsked(row, id)).request.tool, "Bash");
 * await assert.rejects(readAsked(row, "another"));
 * ```
 */
export async function readAsked(value: unknown, id: string): Promise<Approval> {
  if (!isObject(value) || !isRequest(value.request)) {
    throw new Error("it is no approval");
  }
  const { request, decision, answeredAt, isTaken } = value;
  if (request.id !== id) throw new Error("it is another question");
  if (await approvalId(request) !== id) {
    throw new Error("it shows another call");
  }
  return {
    request,
    ...decision !== undefined && { decision: readDecision(decision) },
    ...typeof answeredAt === "string" && { answeredAt },
    ...isTaken === true && { isTaken },
  };
}

/**
 * The oldest first.
 */
export function byAge(approvals: readonly Approval[]): readonly Approval[] {
  return [...approvals].sort(({ request: one }, { request: other }) =>
    one.askedAt < other.askedAt ? -1 : one.askedAt > other.askedAt ? 1 : 0
  );
}

function isRequest(value: unknown): value is ApprovalRequest & JsonObject {
  if (!isObject(value) || !isObject(value.input)) return false;
  const texts = ["id", "sessionId", "toolUseId", "tool", "askedAt"] as const;
  return texts.every((key) => typeof value[key] === "string");
}
