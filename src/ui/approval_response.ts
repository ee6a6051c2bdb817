import { attempt } from "../async/deferred.ts";
import { NotPendingError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import { type ApprovalStore, readDecision } from "../approvals/store.ts";
import { hasJson, readJson } from "./request_body.ts";

/** Bytes of the largest body. */
const MOST_BYTES = 1024 * 1024;
/** Characters of the longest id. */
const LONGEST_ID = 1_000;

/** Settings of {@link approvalResponse}. */
export interface ApprovalResponseOptions {
  /** Session whose questions may be answered; without this key any session. `undefined` is a session that has no questions yet. */
  readonly sessionId?: string | undefined;
  /** Called with an error of the store, which the response does not show. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Answers a question of an approval store by a request of a page.
 *
 * Shape: `POST` with JSON `{ "id": string, "decision": ApprovalDecision }`. Status: 204 done; 400 the body is malformed
 * or larger than 1 MiB; 404 the question does not exist or is of another session; 405 another method; 409 it was
 * answered before; 415 another type of content; 500 the store failed. Errors are JSON `{ "error": string }`. Check
 * before who sends the request: an answer lets tools run.
 *
 * @param store Store of the questions
 * @param request The request
 * @param options The session whose questions may be answered
 * @returns The response; never rejects
 *
 * @example Allow a call from a page
 * ```ts
 * import { memoryApprovals } from "@sluice/agent";
 * import { approvalResponse } from "@sluice/agent/ui";
 * import assert from "node:assert/strict";
 *
 * const store = memoryApprovals();
 * const askedAt = new Date().toISOString();
 * await store.park({ id: "q1", sessionId: "s1", toolUseId: "t1", tool: "Bash", input: {}, askedAt });
 * const request = () =>
 *   new Request("http://localhost/answer", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ id: "q1", decision: { behavior: "allow" } }),
 *   });
 * assert.equal((await approvalResponse(store, request(), { sessionId: "s2" })).status, 404);
 * assert.equal((await approvalResponse(store, request(), { sessionId: "s1" })).status, 204);
 * assert.equal((await approvalResponse(store, request())).status, 409);
 * ```
 */
export async function approvalResponse(
  store: ApprovalStore,
  request: Request,
  options: ApprovalResponseOptions = {},
): Promise<Response> {
  if (request.method !== "POST") {
    return refusal(405, "Send a POST request", { allow: "POST" });
  }
  if (!hasJson(request)) {
    return refusal(415, "Send the content type application/json");
  }
  let given: Given;
  try {
    given = readGiven(await readJson(request, MOST_BYTES));
  } catch (error) {
    return refusal(400, textOfError(error));
  }
  try {
    return await answer(store, given, options);
  } catch (error) {
    if (error instanceof NotPendingError) return unknown();
    // The response matters more than the log.
    attempt(() => options.onError?.(error));
    return refusal(500, "The approval store failed");
  }
}

interface Given {
  readonly id: string;
  readonly decision: ReturnType<typeof readDecision>;
}

async function answer(
  store: ApprovalStore,
  { id, decision }: Given,
  options: ApprovalResponseOptions,
): Promise<Response> {
  const found = await store.get(id);
  if (found === undefined) return unknown();
  const isOther = "sessionId" in options &&
    found.request.sessionId !== options.sessionId;
  if (isOther) return unknown();
  const isFirst = found.decision === undefined &&
    await store.answer(id, decision);
  return isFirst
    ? new Response(null, { status: 204 })
    : refusal(409, "The question was answered before");
}

/** Throws what is wrong with the body. */
function readGiven({ decision, id }: Readonly<Record<string, unknown>>): Given {
  const isId = typeof id === "string" && id !== "" && id.length <= LONGEST_ID;
  if (!isId) {
    throw new Error(`Body needs "id", a text of 1 to ${LONGEST_ID} characters`);
  }
  if (decision === undefined) throw new Error('Body needs "decision"');
  return { id, decision: readDecision(decision) };
}

/** The same for a question that does not exist and for one of another session. */
function unknown(): Response {
  return refusal(404, "The question is not known");
}

function refusal(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ error }, {
    status,
    headers: { "cache-control": "no-store", ...headers },
  });
}
