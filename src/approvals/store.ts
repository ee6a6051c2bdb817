import { checkKept, readPlain } from "../callbacks/plain.ts";
import { APPROVAL_DECISION } from "../callbacks/shapes.ts";
import { canonicalText } from "../errors/canonical.ts";
import { hexDigest } from "../errors/digest.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

/** A tool call that is pending in an approval store; plain JSON. */
export interface ApprovalRequest {
  /** Id for `answer()`: made from session, tool call, tool, input and working directory, so that a changed input is another request. */
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
  /** The working directory of the call. */
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
  /** The input it runs with; absent or empty = the input of the request. */
  readonly updatedInput?: JsonObject | undefined;
} | {
  /** The tool may not run. */
  readonly behavior: "deny";
  /** Why; the model reads it as the tool's result. */
  readonly message: string;
  /** Whether the turn ends as well; false. */
  readonly interrupt?: boolean | undefined;
};

/** A request, and its decision when there is one; plain JSON. */
export interface Approval {
  /** The request. */
  readonly request: ApprovalRequest;
  /** The decision; absent = pending. */
  readonly decision?: ApprovalDecision;
  /** When it was decided, as `2026-01-31T12:00:00.000Z`. */
  readonly answeredAt?: string;
  /** Whether a conversation used the decision: its tool ran, or may have run. */
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
   * Stores a request; resolves when another process can see it. A request whose id exists changes nothing, so that
   * its decision is kept.
   *
   * @param request The request
   */
  park(request: ApprovalRequest): Promise<void>;
  /**
   * Stores the decision on a request, once: of two simultaneous calls one gets `true`.
   *
   * @param id The `id` of the request
   * @param decision The decision
   * @returns Whether this decision counts; `false` when there was one before
   * @throws {NotPendingError} If the store does not know the request
   * @throws {TypeError} If `decision` is no decision; the request stays open
   */
  answer(id: string, decision: ApprovalDecision): Promise<boolean>;
  /**
   * Returns one request with its decision.
   *
   * @param id The `id` of the request
   * @returns The request as it is now; `undefined` if it does not exist
   */
  get(id: string): Promise<Approval | undefined>;
  /**
   * Lists all requests, decided or not.
   *
   * @returns The requests as they are now, the oldest first
   */
  list(): Promise<readonly Approval[]>;
  /**
   * Streams the pending requests, then each request that is stored or decided from now on. Without this method a
   * conversation polls the store four times a second.
   *
   * @param signal Ends the stream, without an error
   * @param id Id of the only request to watch; others may be reported as well
   * @returns Requests without a `decision` and with one; the same may come twice
   */
  watch?(signal: AbortSignal, id?: string): AsyncIterable<Approval>;
  /**
   * Marks a decision as used, once: of two programs that resume the same session one gets `true` and runs the tool.
   * Without this method both may run it.
   *
   * @param id The `id` of a request that has a decision
   * @returns Whether the decision had not been used before
   */
  take?(id: string): Promise<boolean>;
  /**
   * Deletes a request and its decision.
   *
   * @param id The `id` of the request; an unknown one changes nothing
   */
  delete?(id: string): Promise<void>;
}

/**
 * Returns the id of a request: a hash of its session, tool call, tool, input and, if present, working
 * directory; the order of keys does not matter.
 *
 * @example The key of a request in a store
 * ```ts
 * import { approvalId } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const call = { sessionId: "s", toolUseId: "t", tool: "Bash", input: { command: "ls" } };
 * assert.match(await approvalId(call), /^[0-9a-f]{64}$/);
 * ```
 */
export async function approvalId(
  { sessionId, toolUseId, tool, input, cwd }: Pick<
    ApprovalRequest,
    "sessionId" | "toolUseId" | "tool" | "input" | "cwd"
  >,
): Promise<string> {
  const call = [sessionId, toolUseId, tool, input];
  return await hexDigest(
    canonicalText(cwd === undefined ? call : [...call, cwd]),
  );
}

/**
 * Checks a decision that a store returned, and copies it as plain JSON.
 *
 * @throws {TypeError} If it is no decision
 *
 * @example Check the decision of a person
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
    const read = readPlain(decision, APPROVAL_DECISION) as JsonObject;
    checkKept("", decision, read);
    return read as ApprovalDecision;
  } catch (error) {
    throw new TypeError(`Decision ${textOfError(error)}`, { cause: error });
  }
}

/**
 * Checks a request that a store returned for an id. The id must match the call that the request shows: otherwise
 * a person would decide about a call that is not the one that runs.
 *
 * @throws {Error} If it is no request, or one for another id or call
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
  if (request.id !== id) throw new Error("it is another request");
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
