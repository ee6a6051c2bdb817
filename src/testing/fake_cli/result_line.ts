import type { JsonObject } from "../../types/json.ts";
import { PARTS } from "../generated/replies.ts";
import { promptLink } from "./lines.ts";
import type { Turn } from "./turn.ts";

export interface Totals {
  readonly results: number;
  readonly messages: number;
  readonly usd: number;
  readonly isError: boolean;
}

/** The result line of a turn; `given` are fields of the script, whose `total_cost_usd` is the total by model as well. */
export function resultLine(
  { failure, messages, wire, startedAt, denials, prompts, text }: Turn,
  before: Totals,
  given: JsonObject,
): JsonObject {
  const { model } = wire.context;
  const durationMs = Math.max(1, Date.now() - startedAt);
  const usual = usageOf(messages);
  const { total_cost_usd: usd = before.usd + usual.costUSD } = given;
  const totalUsd = Number(usd);
  // A total below the last one started over, as after "/clear".
  const sinceUsd = totalUsd < before.usd ? 0 : before.usd;
  // Totals by model grow over the turns, as on the real wire; "usage" is of this turn.
  const all = { ...usageOf(before.messages + messages), costUSD: totalUsd };
  return {
    duration_ms: durationMs,
    duration_api_ms: durationMs,
    num_turns: Math.max(1, messages),
    total_cost_usd: totalUsd,
    usage: {
      ...PARTS.ResultUsage,
      input_tokens: usual.inputTokens,
      output_tokens: usual.outputTokens,
    },
    modelUsage: { [model]: all },
    model_usage_since_last_result: {
      [model]: { ...usual, costUSD: totalUsd - sinceUsd },
    },
    permission_denials: denials,
    fast_mode_state: "off",
    queued_turn_count: 0,
    result_index: before.results,
    ...promptLink(prompts),
    ...failure === undefined
      ? {
        subtype: "success",
        is_error: false,
        stop_reason: "end_turn",
        terminal_reason: "completed",
        api_error_status: null,
        result: text,
      }
      : {
        subtype: "error_during_execution",
        is_error: true,
        stop_reason: null,
        terminal_reason: failure,
        errors: [`Turn of the fake CLI ended: ${failure}`],
      },
    // Not the first key, as on the real wire.
    type: "result",
    ...given,
  };
}

function usageOf(messages: number) {
  const inputTokens = 100 * messages;
  const outputTokens = 20 * messages;
  return {
    ...PARTS.ModelUsage,
    inputTokens,
    outputTokens,
    costUSD: (inputTokens * 4 + outputTokens * 20) / 1_000_000,
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
  };
}
