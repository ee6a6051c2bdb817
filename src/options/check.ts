import { isObject } from "../errors/text.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import type { AgentDefinition, PluginConfig } from "../protocol/session.ts";
import {
  EFFORTS,
  HOOK_EVENTS as EVENTS,
  PERMISSION_MODES,
} from "../protocol/values.ts";
import type { TranscriptOptions } from "../transcripts/store.ts";
import type { HookMatcher } from "../types/hooks.ts";
import type {
  AgentOptions,
  HealthOptions,
  LimitOptions,
  ShutdownOptions,
  SystemPromptOptions,
  SystemPromptText,
  ThinkingOptions,
  TimeoutOptions,
  ToolConfig,
} from "../types/options.ts";
import type {
  ApprovalOptions,
  CanUseTool,
  PermissionOptions,
} from "../types/permissions.ts";
import {
  callback,
  type Check,
  checkKeys,
  clock,
  duration,
  either,
  type Fields,
  fitting,
  flag,
  integer,
  isText,
  limit,
  list,
  listed,
  object,
  oneOf,
  record,
  string,
  stringWithoutNul,
  text,
  withMethods,
} from "./fields.ts";
import { json, type PlainObject, plainObject } from "./plain_object.ts";
import { parseSettings } from "./settings_layer.ts";
import { refuse } from "./refuse.ts";
import { extraArgs } from "./flags.ts";
import { outputSchema } from "./output_schema.ts";
import { mcpServers, variableName } from "./server_fields.ts";
import { toolNames, toolSpecs } from "./tool_spec.ts";

/**
 * Names of all events that a hook can be set for, in the order of the protocol reference.
 *
 * Source: protocol reference, section Hooks. Callbacks for SessionStart run after `/clear` and `/compact` only, for
 * SessionEnd at `/clear` only, for Setup never.
 *
 * @example Watch everything
 * ```ts
 * import { HOOK_EVENTS } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const seen: string[] = [];
 * const watch = { hooks: [(input: { hook_event_name: string }) => {
 *   seen.push(input.hook_event_name);
 *   return {};
 * }] };
 * const hooks = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [watch]]));
 * assert.equal(Object.keys(hooks).length, 33);
 * ```
 */
export const HOOK_EVENTS: readonly HookEvent[] = EVENTS;

/** The form that errors show. */
const ITEM = '{ matcher: "Bash", hooks: [callback] }';

const matcher = fitting(
  `an object such as ${ITEM}`,
  isObject,
  object<HookMatcher>({
    matcher: string,
    hooks: fitting(
      "a list such as [callback]",
      Array.isArray,
      list(callback),
    ),
    timeoutMs: duration,
    onFailure: oneOf("continue", "block"),
  }, ["hooks"]),
);

const matchers = fitting(
  `a list such as [${ITEM}]`,
  Array.isArray,
  list(matcher),
);

/** The callbacks by event. */
const hooks: Check = fitting(
  `an object such as { PreToolUse: [${ITEM}] }`,
  // A matcher where the events belong is what programs for other packages have.
  (value) => isObject(value) && !("hooks" in value),
  object(Object.fromEntries(EVENTS.map((event) => [event, matchers]))),
);

const effortLevel = oneOf(...EFFORTS);
const size = integer({ min: 1 });
const anObject = fitting("an object", isObject);

const definition = object<AgentDefinition>({
  description: string,
  prompt: string,
  tools: list(text),
  disallowedTools: list(text),
  model: text,
  mcpServers: list(either(isText, text, json)),
  skills: list(text),
  initialPrompt: string,
  maxTurns: size,
  autoCompactWindow: size,
  background: flag,
  omitClaudeMd: flag,
  memory: oneOf("user", "project", "local"),
  effort: either(
    (value) => typeof value === "number",
    integer({ min: 0 }),
    effortLevel,
  ),
  permissionMode: oneOf(...PERMISSION_MODES),
  observer: text,
  observerMessage: string,
  criticalSystemReminder_EXPERIMENTAL: string,
}, ["description", "prompt"]);

const plugin = object<PluginConfig>(
  { type: oneOf("local"), path: text, skipMcpDiscovery: flag },
  ["type", "path"],
);

/** Names become rules of the CLI, where these characters mean something else. */
function skillName(name: unknown, key: string): void {
  text(name, key);
  if (/[(),*]|^\//.test(String(name))) {
    refuse(key, name, 'a name without "(", ")", ",", "*" and a leading "/"');
  }
}

const wait = integer({ min: 0, max: 2 ** 31 - 1 });
/** A timer has to hold it, and what the store takes beside it. */
const MOST_WAIT_MS = 2 ** 31 - 1 - 3_600_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const permissions = object<PermissionOptions>({
  mode: oneOf(...PERMISSION_MODES),
  allowBypass: flag,
  approve: fitting("a list", Array.isArray, toolSpecs),
  canUseTool: (value, key) => {
    callback(value, key);
    const { timeoutMs } = value as CanUseTool;
    if (timeoutMs !== undefined) limit(timeoutMs, `${key}.timeoutMs`);
  },
  approvals: object<ApprovalOptions>({
    store: withMethods("park", "answer", "get", "list"),
    park: callback,
    waitMs: integer({ min: 0, max: MOST_WAIT_MS }),
  }, ["store"]),
  prompts: oneOf("host", "none"),
  timeoutMs: limit,
});

type Thinking<Type> = Extract<ThinkingOptions, { readonly type: Type }>;

const display = oneOf("summarized", "omitted");
const thinkingType = oneOf("adaptive", "enabled", "disabled");
const THINKING: Readonly<Record<ThinkingOptions["type"], Check>> = {
  adaptive: object<Thinking<"adaptive">>({ type: thinkingType, display }),
  enabled: object<Thinking<"enabled">>(
    { type: thinkingType, budgetTokens: size, display },
    ["budgetTokens"],
  ),
  disabled: object<Thinking<"disabled">>({ type: thinkingType }),
};

/** A prompt in one piece or in several. */
const promptText = either(Array.isArray, list(string), string);
const unset = fitting("left out", () => false);
const preset = object<
  Extract<SystemPromptOptions, { readonly preset: string }>
>(
  {
    preset: oneOf("claude_code"),
    append: string,
    excludeDynamicSections: flag,
    snapshot: flag,
    prompt: unset,
  },
  ["preset"],
);
const custom = object<
  Extract<SystemPromptOptions, { readonly prompt: SystemPromptText }>
>({ prompt: promptText, snapshot: flag, preset: unset });

const OPTIONS: Fields<AgentOptions> = {
  cliPath: cliPath,
  cwd: text,
  env: record(stringWithoutNul, variableName),
  envPolicy: oneOf("inherit", "allowlist", "replace"),
  projectConfigRoot: (value, key) => {
    text(value, key);
    // Of this system or of another: a transport may run the CLI elsewhere.
    if (!/^(?:[\\/]|[a-z]:[\\/])/i.test(String(value))) {
      refuse(key, value, "an absolute path");
    }
  },
  additionalDirectories: list(text),
  model: text,
  fallbackModel: text,
  effort: effortLevel,
  thinking: (value, key) => {
    plainObject(value, key);
    thinkingType(value.type, `${key}.type`);
    THINKING[value.type as ThinkingOptions["type"]](value, key);
  },
  maxTurns: size,
  maxBudgetUsd: fitting(
    "a number above 0",
    (value) => Number.isFinite(value) && Number(value) > 0,
  ),
  taskBudget: object<NonNullable<AgentOptions["taskBudget"]>>(
    { total: size },
    ["total"],
  ),
  betas: list(listed),
  agent: text,
  agents: record(definition, text),
  settings: (value, key) => {
    if (isText(value)) text(value, key);
    const settings = parseSettings(value as AgentOptions["settings"]);
    if (!isText(settings)) json(settings, key);
  },
  managedSettings: json,
  settingSources: list(oneOf("user", "project", "local")),
  plugins: list(plugin),
  skills: either(
    (value) => value === "all",
    string,
    fitting('"all" or a list of names', Array.isArray, list(skillName)),
  ),
  sandbox: json,
  resume: text,
  continue: flag,
  forkSession: flag,
  sessionId: fitting(
    "a UUID, as crypto.randomUUID() makes one",
    (value) => typeof value === "string" && UUID.test(value),
  ),
  resumeSessionAt: text,
  resumeDropsTurn: text,
  persistSession: flag,
  transcripts: object<TranscriptOptions>({
    store: withMethods("append", "load"),
    flush: oneOf("turn", "eager"),
    onFailure: oneOf("continue", "fail"),
    loadTimeoutMs: duration,
    projectKey: text,
  }, ["store"]),
  enableFileCheckpointing: flag,
  includePartialMessages: flag,
  includeHookEvents: flag,
  forwardSubagentText: flag,
  promptSuggestions: flag,
  agentProgressSummaries: flag,
  verbatimPrompts: flag,
  perTaskStopAffordance: flag,
  planModeInstructions: string,
  strictMcpConfig: flag,
  title: string,
  extraArgs,
  debug: either((value) => typeof value === "boolean", flag, text),
  debugFile: text,
  systemPrompt: either(
    (value) => isText(value) || Array.isArray(value),
    promptText,
    (value, key) => {
      plainObject(value, key);
      (value.prompt === undefined ? preset : custom)(value, key);
    },
  ),
  tools: toolNames,
  toolAliases: record(text, text),
  toolConfig: object<ToolConfig>({
    askUserQuestion: object<NonNullable<ToolConfig["askUserQuestion"]>>({
      previewFormat: oneOf("markdown", "html"),
    }),
  }),
  allowedTools: toolSpecs,
  deniedTools: toolSpecs,
  permissions,
  hooks,
  mcpServers,
  outputSchema,
  onElicitation: callback,
  supportedDialogKinds: list(text),
  onUserDialog: callback,
  onStderr: callback,
  signal: fitting(
    "an AbortSignal",
    (value) =>
      isObject<unknown>(value) && typeof value.aborted === "boolean" &&
      typeof value.addEventListener === "function" &&
      typeof value.removeEventListener === "function",
  ),
  timeouts: object<TimeoutOptions>({
    connectMs: duration,
    writeMs: duration,
    controlMs: duration,
    hookMs: duration,
    permissionMs: duration,
    mcpMs: duration,
    abandonedMs: duration,
  }),
  shutdown: object<ShutdownOptions>({
    graceMs: wait,
    killMs: wait,
    forwardSignals: flag,
    ownProcessGroup: flag,
    guardProcess: flag,
  }),
  limits: object<LimitOptions>({
    maxMessageBytes: size,
    readAheadBytes: size,
    maxBufferedBytes: size,
    stderrTailBytes: integer({ min: 0 }),
    stderrLinesPerSecond: size,
    stderrWarnBytes: size,
  }),
  health: object<HealthOptions>({
    checkMs: duration,
    idleMs: duration,
    onIdle: oneOf("warn", "fail"),
  }),
  validation: oneOf("envelope", "strict"),
  logger: withMethods("debug", "info", "warn", "error"),
  metrics: (value, key) => {
    anObject(value, key);
    for (const group of ["transport", "protocol", "parser"]) {
      const part = (value as PlainObject)[group];
      if (part !== undefined) anObject(part, `${key}.${group}`);
    }
  },
  clock,
  transport: withMethods("open"),
};

/** What an agent can be told, for those who check what stands around it. */
export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

const IN_INITIALIZE = "leave it out, they always travel in initialize";
const LIST_COMMAND = 'use "cliPath" with a list: command, then arguments';

/** Keys that are given outside of their group. */
const GROUPED = {
  limits: ["maxMessageBytes"],
  permissions: ["allowBypass", "approvals", "approve", "canUseTool", "mode"],
  shutdown: ["graceMs", "guardProcess", "killMs"],
  timeouts: ["connectMs", "controlMs"],
  transcripts: ["flush", "loadTimeoutMs", "onFailure", "projectKey"],
};

/** What to use in the place of options of other SDKs, or what to do about them in a sentence. */
const HINTS = {
  abortController: 'give its "signal"',
  allowDangerouslySkipPermissions: "permissions.allowBypass",
  appendSystemPrompt:
    'use "systemPrompt" with a preset: { preset: "claude_code", append }',
  disallowedTools: "deniedTools",
  executable: LIST_COMMAND,
  executableArgs: LIST_COMMAND,
  maxThinkingTokens: "thinking",
  maxUsd: "maxBudgetUsd",
  mcpServersDelivery: IN_INITIALIZE,
  outputFormat: "outputSchema",
  pathToClaudeCodeExecutable: "cliPath",
  permissionMode: "permissions.mode",
  permissionPrompts: "permissions.prompts",
  permissionPromptToolName:
    'use "permissions.canUseTool", which may call that tool',
  pluginDelivery: IN_INITIALIZE,
  sessionStore: "transcripts.store",
  sessionStoreFlush: "transcripts.flush",
  spawnClaudeCodeProcess:
    'use "transport", or "cliPath" with a command that starts it',
  stderr: "onStderr",
  system: "systemPrompt",
  timeoutMs: 'use the keys of "timeouts"',
  toolsets: "tools",
};

const HELP: ReadonlyMap<string, string> = new Map([
  ...Object.entries(HINTS),
  ...Object.entries(GROUPED).flatMap(([group, names]) =>
    names.map((name) => [name, `${group}.${name}`] as const)
  ),
].map(([name, hint]) => [name, hint.includes(" ") ? hint : `use "${hint}"`]));

/** Checks every option by itself. */
export function checkEach(options: unknown): asserts options is PlainObject {
  plainObject(options, "options");
  checkKeys(options, OPTIONS, "", HELP);
}

/** A path, or a command with leading arguments; the empty text counts as unset. */
function cliPath(value: unknown, key: string): void {
  if (!Array.isArray(value)) return stringWithoutNul(value, key);
  if (value.length === 0) refuse(key, value, "left out or a list with a path");
  text(value[0], `${key}[0]`);
  list(stringWithoutNul)(value, key);
}
