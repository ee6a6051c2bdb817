import type { ApprovalRequest } from "../approvals/store.ts";
import { textOf, wasInterrupted } from "../parse/read.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type {
  AgUiInterrupt,
  AgUiOutcome,
  AgUiRunEvent,
  AgUiUsage,
} from "./ag_ui_types.ts";
import type { StreamFailure } from "./failure.ts";
import { tokensOf, type TurnTokens } from "./usage.ts";

/** Ids of a run, from the `RunAgentInput` of the request. */
export interface AgUiRunIds {
  /** Id of the conversation; by default the session's. */
  readonly threadId?: string | undefined;
  /** Id of the run; by default that of its first message. */
  readonly runId?: string | undefined;
}

/** The first and the last event of a run. */
export interface Run {
  started(
    start: { readonly id: string; readonly sessionId?: string | undefined },
  ): AgUiRunEvent;
  /** Notes a question, which may still be open at the end. */
  asked(request: ApprovalRequest): void;
  /** Notes the result of a turn. */
  turn(result: ResultMessage): void;
  ended(failure: StreamFailure | undefined): AgUiRunEvent;
}

/** Keeps the facts of a run. */
export function runOf(ids: AgUiRunIds): Run {
  let threadId = ids.threadId ?? "";
  let runId = ids.runId ?? "";
  let last: ResultMessage | undefined;
  let tokens: TurnTokens | undefined;
  /** Ids of questions by call. */
  const questions = new Map<string, string>();

  function outcomeOf(result: ResultMessage | undefined): AgUiOutcome {
    if (result !== undefined && wasInterrupted(result)) {
      return { type: "cancelled" };
    }
    const deferred = result?.subtype === "success"
      ? result.deferred_tool_use
      : undefined;
    if (deferred === undefined) return { type: "success" };
    const interrupt: AgUiInterrupt = {
      id: questions.get(deferred.id) ?? deferred.id,
      reason: "tool_call",
      message: deferred.name,
      toolCallId: deferred.id,
    };
    return { type: "interrupt", interrupts: [interrupt] };
  }

  /** Usage, cost and session. */
  function facts() {
    if (last === undefined || tokens === undefined) return {};
    const usage: readonly AgUiUsage[] = [{ provider: "anthropic", ...tokens }];
    return {
      usage,
      metadata: {
        sessionId: last.session_id,
        costUsd: last.total_cost_usd,
        durationMs: last.duration_ms,
      },
    };
  }

  return {
    started({ id, sessionId }) {
      threadId ||= sessionId ?? id;
      runId ||= id;
      return { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
    },
    asked({ id, toolUseId }) {
      questions.set(toolUseId, id);
    },
    turn(result) {
      last = result;
      const more = tokensOf(result);
      tokens = tokens === undefined ? more : sumOf(tokens, more);
    },
    ended(failure) {
      if (failure !== undefined) {
        return { type: "RUN_ERROR", ...failure, ...facts() };
      }
      if (last?.is_error && !wasInterrupted(last)) {
        const message = textOf(last) || "The agent failed";
        return { type: "RUN_ERROR", message, code: last.subtype, ...facts() };
      }
      return {
        type: "RUN_FINISHED",
        threadId,
        runId,
        ...last?.subtype === "success" && {
          result: last.structured_output ?? last.result,
        },
        outcome: outcomeOf(last),
        ...facts(),
      };
    },
  };
}

function sumOf(one: TurnTokens, other: TurnTokens): TurnTokens {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteInputTokens: one.cacheWriteInputTokens +
      other.cacheWriteInputTokens,
  };
}
