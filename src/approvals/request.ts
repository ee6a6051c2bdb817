import { APPROVAL_DECISION } from "../callbacks/shapes.ts";
import { readPlain } from "../callbacks/plain.ts";
import { canonicalText } from "../errors/canonical.ts";
import { isObject } from "../errors/is_object.ts";
import { textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Approval, ApprovalDecision, ApprovalRequest } from "./store.ts";

const encoder = new TextEncoder();

/** The id of a question: who asks, by which call, for what; the order of keys does not matter. */
export async function approvalId(
  { sessionId, toolUseId, tool, input }: Pick<
    ApprovalRequest,
    "sessionId" | "toolUseId" | "tool" | "input"
  >,
): Promise<string> {
  const text = canonicalText([sessionId, toolUseId, tool, input]);
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return Array.from(
    new Uint8Array(digest),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** A decision as it was given: a copy of plain JSON; throws `TypeError` for what is none. */
export function readDecision(decision: unknown): ApprovalDecision {
  try {
    return readPlain(decision, APPROVAL_DECISION) as ApprovalDecision;
  } catch (error) {
    throw new TypeError(`Decision ${textOfError(error)}`, { cause: error });
  }
}

/** A question as a store holds it, under the id that was looked for; throws for anything else. */
export function readApproval(value: unknown, id: string): Approval {
  if (!isObject(value) || !isRequest(value.request)) {
    throw new Error("it is no approval");
  }
  const { request, decision, answeredAt, isTaken } = value;
  if (request.id !== id) throw new Error("it is another question");
  return {
    request,
    ...decision !== undefined && { decision: readDecision(decision) },
    ...typeof answeredAt === "string" && { answeredAt },
    ...isTaken === true && { isTaken },
  };
}

/** The same, where the question shows the very call that its id stands for; throws for any other. */
export async function readAsked(value: unknown, id: string): Promise<Approval> {
  const approval = readApproval(value, id);
  // Whoever decided was shown the call that is decided here.
  if (await approvalId(approval.request) === id) return approval;
  throw new Error("it shows another call");
}

/** The oldest first. */
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
