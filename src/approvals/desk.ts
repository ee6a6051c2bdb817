import { withTimeout } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { asObject, isObject, typeOf } from "../errors/text.ts";
import type { FullClock } from "../ports/clock.ts";
import type { ApprovalOptions } from "../types/permissions.ts";
import type { JsonObject } from "../types/json.ts";
import {
  type ApprovalDecision,
  approvalId,
  type ApprovalRequest,
} from "./store.ts";
import { PLAN_TOOL, planInput } from "../callbacks/approved_plan.ts";
import { approvedCalls } from "./approved.ts";
import { deferredCall } from "./deferred_call.ts";
import {
  changeOfQuestion,
  denyChange,
  denyQuestion,
  refuses,
  say,
  verdictOf,
} from "./hook_output.ts";
import { otherHooks } from "./other_hooks.ts";
import { STORE_MS, waitIn } from "./waiting.ts";
import type { ApprovalDesk } from "../callbacks/run_callback.ts";

/** Default time for a decision, in milliseconds; the least where a call cannot be deferred. */
const WAIT_MS = 60_000;

/**
 * Makes the desk of one conversation: where tool calls wait for a decision that may come from elsewhere, and later.
 *
 * A call is stored and waits for its decision. Then the CLI defers it, and requests it again when the session is resumed. Every
 * failure is thrown, and so a denial.
 */
export function makeDesk(
  { store, park, waitMs = WAIT_MS }: ApprovalOptions,
  { clock, isResumed }: {
    readonly clock: FullClock;
    /** Whether the conversation continues a session, or a fork of one. */
    readonly isResumed: boolean;
  },
): ApprovalDesk {
  /** Answers of the hook that decides, by call, for the other. */
  const outcomes = new Map<string, Deferred<JsonObject>>();
  const deferred = deferredCall();
  /** Hooks that are being answered. */
  const open = new Set<Promise<JsonObject>>();
  const leaving = new Deferred<void>();
  const waiting = waitIn(store, clock, leaving);
  const others = otherHooks();
  const approved = approvedCalls();
  let interrupts = 0;
  /** A resumed session requests its deferred call before all others. */
  let isFirst = true;

  return {
    hooks: { approval: tracked(approval), deferral: tracked(deferral) },
    // Selected, searched, parked, looked at, taken or decided by ourselves, each once at its slowest.
    limitMs: Math.max(waitMs, WAIT_MS) + 7 * STORE_MS,
    beside: others.add,
    async permits(tool, input, answer) {
      const change = changeOfQuestion(answer);
      if (change === undefined) return answer;
      const isKnown = typeof tool === "string" && isObject(input);
      const isSelected = !isKnown || await isParked(tool, input) ||
        await isParked(tool, change);
      return isSelected ? denyQuestion() : answer;
    },
    refusal: (toolUseId) =>
      deferred.requestOf(toolUseId) && "This call waits for an approval",
    approved: approved.take,
    async drop(toolUseId) {
      const id = deferred.requestOf(toolUseId);
      if (id === undefined) return false;
      await waiting.deny(id, "A prompt dropped this deferred call");
      return true;
    },
    interrupt: () => void interrupts++,
    async leave() {
      leaving.resolve();
      const outputs = await Promise.allSettled(open);
      return outputs.some((one) =>
        one.status === "fulfilled" && verdictOf(one.value) === "defer"
      );
    },
  };

  /** Keeps track of hooks without an answer, for the end. */
  function tracked(
    hook: ApprovalDesk["hooks"]["approval"],
  ): ApprovalDesk["hooks"]["approval"] {
    return async (input, context) => {
      const deciding = hook(input, context);
      open.add(deciding);
      try {
        return await deciding;
      } finally {
        open.delete(deciding);
      }
    };
  }

  async function approval(
    input: JsonObject,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<JsonObject> {
    const call = String(input.tool_use_id);
    let outcome = outcomes.get(call);
    if (outcome === undefined || outcome.isSettled) {
      outcomes.set(call, outcome = new Deferred());
    }
    let output: JsonObject = {};
    try {
      return output = await decide(input, signal);
    } finally {
      outcome.resolve(output);
    }
  }

  /** A CLI that cannot defer a call asks about it, instead of running what its rules allow. */
  async function deferral(input: JsonObject): Promise<JsonObject> {
    const call = String(input.tool_use_id);
    let outcome = outcomes.get(call);
    if (outcome === undefined) outcomes.set(call, outcome = new Deferred());
    const output = await outcome.promise;
    outcomes.delete(call);
    return verdictOf(output) === "defer" ? say("ask") : {};
  }

  async function decide(
    input: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { answers, changes } = others.of(input);
    const { tool_name: tool, tool_input: given } = input;
    const { session_id: sessionId, tool_use_id: toolUseId } = input;
    const isCall = typeof tool === "string" && isObject(given) &&
      typeof sessionId === "string" && typeof toolUseId === "string";
    if (!isCall) throw new Error("the CLI names no session or no tool call");
    approved.drop(toolUseId);
    const before = interrupts;
    const mayBeKnown = isFirst;
    isFirst = false;
    const outputs = await unlessAborted(
      Promise.race([Promise.all(answers), leaving.promise]),
      signal,
    ).finally(() => others.close(input));
    if (outputs?.some(refuses)) return {};
    let isSelected = await isParked(tool, given);
    for (const change of changes) isSelected ||= await isParked(tool, change);
    const details = detailsOf(input);
    const call = { sessionId, toolUseId, tool, input: given, ...details };
    const id = await approvalId(call);
    // Deferred by a program that selected it.
    if (mayBeKnown) isSelected ||= await waiting.has(id, signal);
    if (mayBeKnown && isResumed) {
      isSelected ||= await waiting.hasCall(call, signal);
    }
    if (!isSelected) return {};
    // The CLI would run the changed input, whatever is approved.
    if (changes.length > 0) return denyChange();
    // A deferred call ends a subagent, and is never asked again.
    const isSubagent = input.agent_id !== undefined;
    const isDeferred = outputs?.some((one) => verdictOf(one) === "defer");
    const longMs = isSubagent ? Math.max(waitMs, WAIT_MS) : waitMs;
    const mostMs = isDeferred ? 0 : longMs;
    try {
      await waiting.park({
        id,
        ...call,
        askedAt: new Date(clock.now()).toISOString(),
      }, signal);
      const decision = await waiting.decision(id, mostMs, signal) ??
        await deferOrDeny(id, input, mostMs, signal);
      if (decision === undefined) return say("defer");
      if (interrupts !== before) throw new Error("the turn is interrupted");
      // The tool would not run any more: the decision is for the next resume.
      if (leaving.isSettled) {
        return deferAgain(id, input, "The conversation ends");
      }
      // The CLI follows the hook.
      return isDeferred && decision.behavior === "allow"
        ? deferAgain(id, input, "A hook defers this call")
        : await outputOf(decision, call, id, signal);
    } catch (error) {
      // A decision would have no effect any more.
      const message = "This call is no longer pending";
      waiting.deny(id, message).catch(() => {});
      throw error;
    }
  }

  async function isParked(tool: string, input: JsonObject): Promise<boolean> {
    if (park === undefined) return true;
    const name = "permissions.approvals.park";
    const answer: unknown = await withTimeout(
      async () => await park(tool, structuredClone(input)),
      {
        clock,
        ms: STORE_MS,
        onTimeout: () =>
          new Error(`${name} did not answer within ${STORE_MS} ms`),
      },
    );
    if (typeof answer === "boolean") return answer;
    throw new TypeError(
      `${name} must return true or false, returned ${typeOf(answer)}`,
    );
  }

  /** Defers a call; one that cannot be deferred is denied, unless it was decided just now. */
  async function deferOrDeny(
    id: string,
    input: JsonObject,
    mostMs: number,
    signal: AbortSignal,
  ): Promise<ApprovalDecision | undefined> {
    const why = deferred.defer(input, id);
    if (why === undefined) return undefined;
    const limit = leaving.isSettled
      ? "before the end of the conversation"
      : `within ${mostMs} ms`;
    const message = `No decision ${limit}, and ${why}`;
    await waiting.deny(id, message, signal);
    return (await waiting.look(id, signal)).decision;
  }

  /** Defers a decided call; its decision is not used. */
  function deferAgain(
    id: string,
    input: JsonObject,
    reason: string,
  ): JsonObject {
    const why = deferred.defer(input, id);
    return why === undefined
      ? say("defer")
      : say("deny", `${reason}, and ${why}`);
  }

  async function outputOf(
    decision: ApprovalDecision,
    { toolUseId, tool, input }: Pick<
      ApprovalRequest,
      "toolUseId" | "tool" | "input"
    >,
    id: string,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    if (decision.behavior === "deny") {
      const { message, interrupt = false } = decision;
      return {
        ...say("deny", message),
        ...interrupt && { continue: false, stopReason: message },
      };
    }
    if (!await waiting.take(id, signal)) {
      return say(
        "deny",
        "The approval of this call was used before: it may have run already",
      );
    }
    const { updatedInput: given } = decision;
    const updatedInput = tool === PLAN_TOOL
      ? planInput(input, given)
      : given ?? {};
    const isAsAsked = Object.keys(updatedInput).length === 0;
    approved.add(toolUseId, tool, input, isAsAsked ? input : updatedInput);
    // The CLI takes a plan only from the answer to its question, which it asks if the hook gives no input.
    const isAnswer = isAsAsked || tool === PLAN_TOOL;
    return say("allow", undefined, isAnswer ? undefined : updatedInput);
  }
}

/** Facts beside the call, for the decision. */
function detailsOf(
  { cwd, agent_id: agentId, mcp_server: server }: JsonObject,
): Pick<ApprovalRequest, "cwd" | "agentId" | "mcpServer"> {
  const mcpServer = asObject(server).name;
  return {
    ...typeof cwd === "string" && { cwd },
    ...typeof agentId === "string" && { agentId },
    ...typeof mcpServer === "string" && { mcpServer },
  };
}
