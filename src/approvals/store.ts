import { readPlain } from "../callbacks/plain.ts";
import { APPROVAL_DECISION } from "../callbacks/shapes.ts";
import { canonicalText } from "../errors/canonical.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

/** A tool call that waits for a decision, stored before anybody was asked; plain JSON. */
export interface ApprovalRequest {
  /** Id for `answer()`: made from session, tool call and input, so that a changed input is another question. */
  readonly id: string;
  /** The session that wants the tool; what `resume` takes. */
  readonly sessionId: string;
  /** Id of the tool call. */
  readonly toolUseId: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Its input. */
  readonly input: JsonObject;
  /** When it was asked first, as `2026-01-31T12:00:00.000Z`. */
  readonly askedAt: string;
  /** The working directory of the session. */
  readonly cwd?: string;
  /** The subagent that wants the tool. */
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
  /** Whether a conversation took the answer: its tool ran, or may have. */
  readonly isTaken?: boolean;
}

/**
 * Where questions about tool calls wait for their answers, for this process and others.
 *
 * Anyone who can write to a store decides for the agent: protect it as you protect the agent. `approvalStoreCases()` of
 * `./testing` says in tests what a store has to keep to.
 */
export interface ApprovalStore {
  /**
   * Stores a question; resolves when another process can see it. One with an id that is there changes nothing, so that
   * an answer stays.
   *
   * @param request What is asked
   */
  park(request: ApprovalRequest): Promise<void>;
  /**
   * Answers a question, once: of two that do so at the same time one gets `true`.
   *
   * @param id The `id` of the request
   * @param decision What was decided
   * @returns Whether this is the answer; `false` when it was answered before
   * @throws {NotPendingError} If it was never asked, as far as the store knows
   * @throws {TypeError} If that is no decision; the question stays open
   */
  answer(id: string, decision: ApprovalDecision): Promise<boolean>;
  /**
   * Looks for one question.
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
   * Gives the questions that are open, then each that is parked or answered from now on, as it is then; a conversation
   * asks a store without it four times a second instead.
   *
   * @param signal Ends it, without an error
   * @param id The only question that is of interest; more may come all the same
   * @returns Questions without a `decision` and with one; the same may come twice
   */
  watch?(signal: AbortSignal, id?: string): AsyncIterable<Approval>;
  /**
   * Notes that an answer is about to be used, once: of two hosts that resume the same session one gets `true`, and the
   * tool runs there. Without it both would run it.
   *
   * @param id The `id` of a request that was answered
   * @returns Whether it was not taken before
   */
  take?(id: string): Promise<boolean>;
  /**
   * Forgets a question that is of no use any more.
   *
   * @param id The `id` of the request; one that is not there changes nothing
   */
  delete?(id: string): Promise<void>;
}

/**
 * The id of a question: who asks, by which call, for what; the order of keys does not matter.
 *
 * @example A question in a store
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
  const text = canonicalText([sessionId, toolUseId, tool, input]);
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(text),
  );
  return Array.from(
    new Uint8Array(digest),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}

/**
 * A decision as it was given: a copy of plain JSON; throws `TypeError` for anything else.
 *
 * @example What a person answered
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
 * A question as a store holds it, under the id that was looked for; throws where it shows another call than the one that its id
 * stands for, since a person would decide something else than what runs.
 *
 * @example A row of a store
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
