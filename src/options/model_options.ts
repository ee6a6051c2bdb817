import { EFFORTS } from "../protocol/values.ts";
import type { Effort } from "../protocol/session.ts";
import type {
  SystemPromptOptions,
  SystemPromptText,
  ThinkingOptions,
} from "../types/option_values.ts";
import type { AgentOptions } from "../types/options.ts";
import type { Schema } from "../types/schema.ts";
import {
  fitting,
  integer,
  list,
  listed,
  object,
  oneOf,
  string,
  text,
} from "./fields.ts";
import { option, type OptionRows } from "./option.ts";
import { outputSchema, toJsonSchema } from "./output_schema.ts";
import {
  SYSTEM_PROMPT_FIELDS,
  systemPrompt,
  thinking,
  THINKING_FLAGS,
} from "./prompting.ts";

const size = integer({ min: 1 });

/** The model. */
export const MODEL_OPTIONS: OptionRows = {
  /** The model; default: that of the CLI. */
  model: option<string>({ check: text, flag: "model" }),
  /** Model to use if `model` is overloaded or does not exist. Must differ from `model`. Separate several models by commas. */
  fallbackModel: option<string>({
    check: text,
    flag: "fallback-model",
    conflict: ({ model, fallbackModel }) =>
      model !== undefined && fallbackModel?.split(",").includes(model) &&
      'must differ from "model", or be left out',
  }),
  /** Effort that the model spends on answers; default: that of the model. */
  effort: option<Effort>({ check: oneOf(...EFFORTS), flag: "effort" }),
  /** Whether the model thinks before it answers; default: that of the CLI. */
  thinking: option<ThinkingOptions>({
    check: thinking,
    flags: THINKING_FLAGS,
    travels: "`--thinking`",
    hints: { maxThinkingTokens: "thinking" },
  }),
  /** Maximum number of model answers per prompt, at least 1; default: no limit. */
  maxTurns: option<number>({ check: size, flag: "max-turns" }),
  /** Maximum cost in US dollars, above 0; default: no limit. */
  maxBudgetUsd: option<number>({
    check: fitting(
      "a positive number",
      (value) => Number.isFinite(value) && Number(value) > 0,
    ),
    flag: "max-budget-usd",
    hints: { maxUsd: "maxBudgetUsd" },
  }),
  /** Token budget shown to the model, so that it paces itself. */
  taskBudget: option<{
    /** Tokens; at least 1. */
    readonly total: number;
  }>({
    check: object<NonNullable<AgentOptions["taskBudget"]>>({ total: size }, [
      "total",
    ]),
    flags: { "task-budget": (budget) => budget?.total },
  }),
  /** Beta features of the API. */
  betas: option<readonly string[]>({
    check: list(listed),
    flags: { betas: (betas) => betas?.join(",") || undefined },
  }),
  /** A system prompt, or an addition to the CLI's default. Unset, `""` or `[]` = the CLI's default. */
  systemPrompt: option<SystemPromptText | SystemPromptOptions>({
    check: systemPrompt,
    fields: SYSTEM_PROMPT_FIELDS,
    replaces: ["append-system-prompt", "system-prompt"],
    hints: {
      appendSystemPrompt:
        'use "systemPrompt" with a preset: { preset: "claude_code", append }',
      system: "systemPrompt",
    },
  }),
  /** Schema of the structured output that `output()` returns. */
  outputSchema: option<Schema>({
    check: outputSchema,
    fields: { jsonSchema: (schema) => schema && toJsonSchema(schema) },
    replaces: ["json-schema"],
    hints: { outputFormat: "outputSchema" },
  }),
  /** Replaces the CLI's workflow instructions for plan mode. */
  planModeInstructions: option<string>({
    check: string,
    field: "planModeInstructions",
  }),
};
