import type { Cost } from "../types/activity.ts";
import type { Attributes } from "./api.ts";
import { ATTRIBUTE as A } from "./names.ts";
import type { Setting } from "./setting.ts";

/** The provider of all models. Source: semantic conventions for generative AI. */
export const PROVIDER = "anthropic";

/** Counts of tokens; those from caches are input as well. */
export function tokensOf(usage: {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cache_read_input_tokens?: number | null | undefined;
  readonly cache_creation_input_tokens?: number | null | undefined;
}): Attributes {
  const { input_tokens: fresh, output_tokens: output } = usage;
  const read = usage.cache_read_input_tokens ?? undefined;
  const created = usage.cache_creation_input_tokens ?? undefined;
  return {
    ...fresh !== undefined && {
      [A.inputTokens]: fresh + (read ?? 0) + (created ?? 0),
    },
    ...output !== undefined && { [A.outputTokens]: output },
    ...read !== undefined && { [A.cacheReadTokens]: read },
    ...created !== undefined && { [A.cacheCreationTokens]: created },
  };
}

/** Counts tokens and cost of a turn, by model. */
export function recordUse(
  { record }: Setting,
  before: Cost | undefined,
  after: Cost | undefined,
): void {
  for (const [model, now] of Object.entries(after?.byModel ?? {})) {
    const earlier = before?.byModel[model];
    const facts = {
      [A.operation]: "chat",
      [A.provider]: PROVIDER,
      [A.requestModel]: model,
    };
    const input = inputOf(now) - (earlier ? inputOf(earlier) : 0);
    const output = now.outputTokens - (earlier?.outputTokens ?? 0);
    const usd = now.usd - (earlier?.usd ?? 0);
    if (input + output > 0) {
      record("tokens", input, { ...facts, [A.tokenType]: "input" });
      record("tokens", output, { ...facts, [A.tokenType]: "output" });
    }
    if (usd > 0) record("cost", usd, { [A.requestModel]: model });
  }
}

function inputOf(use: Cost["usage"]): number {
  const { inputTokens, cacheReadInputTokens, cacheCreationInputTokens } = use;
  return inputTokens + cacheReadInputTokens + cacheCreationInputTokens;
}

/** Counts of tokens in all. */
export function totals(use: Cost["usage"]): Attributes {
  return tokensOf({
    input_tokens: use.inputTokens,
    output_tokens: use.outputTokens,
    cache_read_input_tokens: use.cacheReadInputTokens,
    cache_creation_input_tokens: use.cacheCreationInputTokens,
  });
}
