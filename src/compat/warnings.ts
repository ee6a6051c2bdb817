import { nearest } from "../errors/nearest.ts";
import { warnProcess } from "../runtime/host.ts";
import {
  OPTION_KINDS,
  type OptionKind,
  type Options,
} from "./generated/options.ts";

/** Lists, texts, paths and limits that restrict the agent or say what it may: none is not the same as a forgotten one. */
const NEVER_NULL: ReadonlySet<string> = new Set<keyof Options>([
  "additionalDirectories",
  "allowedTools",
  "disallowedTools",
  "executableArgs",
  "maxBudgetUsd",
  "maxThinkingTokens",
  "mcpServersDelivery",
  "pluginDelivery",
  "projectConfigRoot",
  "resumeDropsTurn",
  "settings",
  "settingSources",
  "skills",
  "supportedDialogKinds",
  "systemPrompt",
]);

/** Lists that the official SDK takes as empty if they have no length. */
const MAYBE_LIST: ReadonlySet<string> = new Set<keyof Options>([
  "allowedTools",
  "betas",
  "disallowedTools",
  "supportedDialogKinds",
]);

const told = new Set<string>();

/** Emits a process warning, once per text. */
export function warnOnce(text: string, code: string): void {
  if (told.has(text)) return;
  told.add(text);
  warnProcess(text, code);
}

/**
 * Returns the usable options; unknown ones and wrong types are warned about once.
 *
 * @throws {TypeError} For `null` where the official SDK does, and for anything but a list where a list belongs
 */
export function acceptedOptions(options: Options): Options {
  const accepted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === null && NEVER_NULL.has(key)) {
      throw new TypeError(`Option "${key}" is null; leave it out`);
    }
    if (value === undefined || value === null) continue;
    accepted[key] = value;
    const kinds = Object.hasOwn(OPTION_KINDS, key)
      ? OPTION_KINDS[key as keyof Options]
      : undefined;
    if (kinds === undefined) {
      // Wrappers keep notes of their own in the options, as `__braintrust_skip_local_tool_hooks`.
      if (key.startsWith("_")) continue;
      const meant = nearest(key, Object.keys(OPTION_KINDS));
      warnOnce(
        `Option "${key}" is unknown and has no effect${
          meant === undefined ? "" : `; did you mean "${meant}"?`
        }`,
        "SLUICE_UNKNOWN_OPTION",
      );
      continue;
    }
    const kind = kindOf(value);
    if (kinds.includes(kind)) continue;
    // Programs write `isAsked && callback`.
    const isNone = !value &&
      (kinds.includes("function") || key === "abortController");
    const isList = kinds.every((one) => one === "list");
    const isEmpty = MAYBE_LIST.has(key) &&
      !(value as ArrayLike<unknown>).length;
    if (isList && !isEmpty) {
      throw new TypeError(`Option "${key}" has to be a list, not ${kind}`);
    }
    warnOnce(
      `Option "${key}" should be ${kinds.join(" or ")}, not ${kind}`,
      "SLUICE_OPTION_TYPE",
    );
    if (isEmpty || isNone) delete accepted[key];
    // The official SDK takes a word as all tools.
    if (key === "tools" && kind === "string") accepted[key] = [value];
  }
  return accepted as Options;
}

/** Warns that `canUseTool` is not called for tools that run without prompting. */
export function warnOfShadow(options: Options): void {
  const { canUseTool, permissionMode, allowedTools = [] } = options;
  if (canUseTool === undefined) return;
  const code = "CLAUDE_SDK_CAN_USE_TOOL_SHADOWED";
  if (permissionMode === "bypassPermissions") {
    warnOnce(
      'canUseTool will not be invoked: permissionMode "bypassPermissions" allows every tool; a PreToolUse hook is asked always',
      code,
    );
    return;
  }
  const names = allowedTools.filter((one) =>
    typeof one === "string" && one !== "" && !one.includes("(")
  );
  if (names.length === 0) return;
  warnOnce(
    `canUseTool will not be invoked for: ${
      names.join(", ")
    }. allowedTools lets them run without a question; a PreToolUse hook is asked always`,
    code,
  );
}

function kindOf(value: unknown): OptionKind {
  if (Array.isArray(value)) return "list";
  const kind = typeof value;
  return kind === "string" || kind === "number" || kind === "boolean" ||
      kind === "function"
    ? kind
    : "object";
}
