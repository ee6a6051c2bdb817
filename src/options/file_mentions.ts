import { asObject } from "../errors/text.ts";
import type { AgentOptions } from "../types/options.ts";
import { parseSettings } from "./settings_layer.ts";
import { namesTool, parseSpec, splitSpecs } from "./tool_spec.ts";

/** Makes the CLI name a file that a prompt, a command or a skill mentions (`@path`) instead of reading it past hooks and permissions. Source: named by CLI 2.1.299, tried on 2.1.330. */
const MENTIONS_VARIABLE = "CLAUDE_CODE_DISABLE_FILE_MENTIONS";

function readsIn(list: unknown): "all" | "some" | "none" | undefined {
  if (typeof list !== "string" && !Array.isArray(list)) return undefined;
  const specs = splitSpecs(list as string | readonly string[])
    .flatMap((text) => parseSpec(text) ?? [])
    .filter((spec) => namesTool(spec, "Read"));
  if (specs.some(({ pattern }) => pattern === undefined)) return "all";
  return specs.length > 0 ? "some" : "none";
}

/** The option that decides which files the model may read; `undefined` when nothing does. */
export function readPolicy(options: AgentOptions): string | undefined {
  const { tools, permissions = {}, hooks = {} } = options;
  const allowed = readsIn(options.allowedTools);
  if (allowed !== undefined && allowed !== "all") return "allowedTools";
  const denied = readsIn(options.deniedTools);
  if (denied !== undefined && denied !== "none") return "deniedTools";
  if (readsIn(tools) === "none") return "tools";
  const deciding = [hooks.PreToolUse, hooks.PermissionRequest];
  const isHooked = deciding.some((matchers) =>
    matchers?.some((one) => one.hooks.length > 0 && mayMatchRead(one.matcher))
  );
  if (isHooked) return "hooks";
  if (permissions.approvals !== undefined) return "permissions.approvals";
  return permissions.canUseTool && "permissions.canUseTool";
}

/** Plain names are compared whole; any other matcher is a pattern that the CLI reads. */
function mayMatchRead(matcher: string | undefined): boolean {
  return !matcher || !/^[\w|, -]+$/.test(matcher) ||
    matcher.split(/[|, ]+/).includes("Read");
}

/** Whether the lists leave no read at all, so that a rule against all reads says the same. */
export function deniesAllReads(
  { allowedTools, deniedTools, tools }: AgentOptions,
): boolean {
  return readsIn(allowedTools) === "none" || readsIn(tools) === "none" ||
    readsIn(deniedTools) === "all";
}

/** The allow-list, where it allows some reads, and mentions in prompts, commands or skills could name others. */
export function needsNoMentions(options: AgentOptions): string | undefined {
  if (deniesAllReads(options) || readsIn(options.allowedTools) !== "some") {
    return undefined;
  }
  return options.verbatimPrompts === true && isAlone(options) ||
      ownMentions(options) !== undefined
    ? undefined
    : "allowedTools";
}

/** Whether the user set himself what becomes of mentions, although an option decides about reads. */
export function letsMentionsRead(options: AgentOptions): boolean {
  return readPolicy(options) !== undefined &&
    /^(?!(?:1|true|yes|on)$)/i.test(String(ownMentions(options) ?? 1).trim());
}

/** The variable that keeps mentions from reading past the option that decides about reads, unless the user set it. */
export function mentionVariables(
  options: AgentOptions,
): Readonly<Record<string, string>> {
  const isNeeded = readPolicy(options) !== undefined &&
    ownMentions(options) === undefined;
  return isNeeded ? { [MENTIONS_VARIABLE]: "1" } : {};
}

/** The variable as the options set it; settings come before variables. */
function ownMentions({ env, settings }: AgentOptions): unknown {
  const parsed = parseSettings(settings);
  const own = asObject(asObject(parsed).env);
  return own[MENTIONS_VARIABLE] ?? env?.[MENTIONS_VARIABLE];
}

/** Whether no other source brings skills and commands. */
function isAlone(
  { settingSources, plugins = [], additionalDirectories = [] }: AgentOptions,
): boolean {
  return settingSources?.length === 0 && plugins.length === 0 &&
    additionalDirectories.length === 0;
}
