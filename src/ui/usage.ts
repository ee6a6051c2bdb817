import type { ResultMessage } from "../protocol/messages_turn.ts";

/** Tokens of a turn as totals, with their parts. */
export interface TurnTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
}

/** Counts the tokens of a turn. A result of the CLI itself may lack numbers. */
export function tokensOf({ usage }: Pick<ResultMessage, "usage">): TurnTokens {
  const cached = usage?.cache_read_input_tokens ?? 0;
  const written = usage?.cache_creation_input_tokens ?? 0;
  const inputTokens = (usage?.input_tokens ?? 0) + cached + written;
  const outputTokens = usage?.output_tokens ?? 0;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
  };
}
