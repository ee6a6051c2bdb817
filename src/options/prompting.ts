import type { JsonValue } from "../types/json.ts";
import type {
  SystemPromptOptions,
  SystemPromptText,
  ThinkingOptions,
} from "../types/option_values.ts";
import {
  type Check,
  either,
  flag,
  integer,
  isText,
  list,
  object,
  oneOf,
  string,
  variants,
} from "./fields.ts";
import type { FlagValue, Writer } from "./option.ts";
import { plainObject } from "./plain_object.ts";

type Thinking<Type> = Extract<ThinkingOptions, { readonly type: Type }>;

const display = oneOf("summarized", "omitted");

export const thinking: Check = variants({
  adaptive: object<Thinking<"adaptive">>({ type: string, display }),
  enabled: object<Thinking<"enabled">>(
    { type: string, budgetTokens: integer({ min: 1 }), display },
    ["budgetTokens"],
  ),
  disabled: object<Thinking<"disabled">>({ type: string }),
});

export const THINKING_FLAGS: Readonly<
  Record<string, Writer<ThinkingOptions, FlagValue>>
> = {
  "max-thinking-tokens": budget,
  "thinking": (thinking) =>
    budget(thinking) === undefined ? thinking?.type : undefined,
  "thinking-display": (thinking) =>
    thinking && "display" in thinking ? thinking.display : undefined,
};

function budget(thinking: ThinkingOptions | undefined): number | undefined {
  return thinking?.type === "enabled" ? thinking.budgetTokens : undefined;
}

type SystemPrompt = SystemPromptText | SystemPromptOptions;

const promptText = either(Array.isArray, list(string), string);
const preset = object<
  Omit<Extract<SystemPromptOptions, { readonly preset: string }>, "prompt">
>({
  preset: oneOf("claude_code"),
  append: string,
  excludeDynamicSections: flag,
  snapshot: flag,
}, ["preset"]);
const custom = object<Pick<SystemPromptOptions, "prompt" | "snapshot">>({
  prompt: promptText,
  snapshot: flag,
});

export const systemPrompt: Check = either(
  (value) => isText(value) || Array.isArray(value),
  promptText,
  (value, key) => {
    plainObject(value, key);
    (value.prompt === undefined ? preset : custom)(value, key);
  },
);

export const SYSTEM_PROMPT_FIELDS: Readonly<
  Record<string, Writer<SystemPrompt, JsonValue | undefined>>
> = {
  systemPrompt(value) {
    const { prompt = [] } = partsOf(value);
    const blocks = isText(prompt) ? [prompt] : prompt;
    return blocks.length > 0 ? blocks : undefined;
  },
  appendSystemPrompt: (value) => partsOf(value).append || undefined,
  excludeDynamicSections: (value) =>
    partsOf(value).excludeDynamicSections || undefined,
  systemPromptSnapshot: (value) => partsOf(value).snapshot,
};

/** An empty text would replace the default prompt by next to nothing. */
function partsOf(value: SystemPrompt = ""): {
  readonly prompt?: SystemPromptText | undefined;
  readonly append?: string | undefined;
  readonly excludeDynamicSections?: boolean | undefined;
  readonly snapshot?: boolean | undefined;
} {
  if (value === "") return {};
  return isText(value) || isList(value) ? { prompt: value } : value;
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}
