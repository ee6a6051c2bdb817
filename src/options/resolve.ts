import { fullClock, systemClock } from "../async/system_clock.ts";
import type { FullClock } from "../ports/clock.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type {
  AgentOptions,
  Complete,
  HealthOptions,
  LimitOptions,
  ShutdownOptions,
  TimeoutOptions,
} from "../types/options.ts";
import { checkEach } from "./check.ts";
import { contradict, refuse } from "./refuse.ts";
import { filled, valueAt } from "./fields.ts";
import { parseSettings } from "./settings_layer.ts";
import { checkBare } from "./guarded.ts";
import { refuseUnknownTools } from "./known_tools.ts";
import { serverConfigs } from "./server_fields.ts";
import { parseSpec, splitSpecs } from "./tool_spec.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Options that were checked: each MCP server has a configuration. */
type CheckedOptions = Omit<AgentOptions, "mcpServers"> & {
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
};

/** Options that were checked, with the defaults filled in. */
export interface Settings {
  /** The options as given, but for servers that were given as they are. */
  readonly options: CheckedOptions;
  readonly timeouts: Complete<TimeoutOptions>;
  /** How the CLI is ended. */
  readonly shutdown: Complete<ShutdownOptions>;
  readonly limits: Complete<LimitOptions>;
  /** The watch over silent turns. */
  readonly health: Complete<HealthOptions>;
  /** How closely messages are checked. */
  readonly validation: "envelope" | "strict";
  readonly clock: FullClock;
  /** The only tools that may be used, one entry a spec; `undefined` = all. */
  readonly allowedTools: readonly string[] | undefined;
  /** Tools that may not be used, one entry a spec. */
  readonly deniedTools: readonly string[];
  /** Entries of `permissions.approve`, one a spec. */
  readonly approvedTools: readonly string[];
}

/** Source of the numbers: specification, sections Timeout Strategy and Process Lifecycle; decisions on its open questions. */
const TIMEOUTS: Complete<TimeoutOptions> = {
  connectMs: 30_000,
  writeMs: 5_000,
  controlMs: 60_000,
  hookMs: 30_000,
  permissionMs: 120_000,
  mcpMs: 45_000,
  abandonedMs: 300_000,
};

const SHUTDOWN: Complete<ShutdownOptions> = {
  graceMs: 10_000,
  killMs: 15_000,
  forwardSignals: true,
  ownProcessGroup: false,
  guardProcess: true,
};

const LIMITS: Complete<LimitOptions> = {
  maxMessageBytes: 32 * MIB,
  readAheadBytes: 8 * MIB,
  maxBufferedBytes: 64 * MIB,
  stderrTailBytes: 256 * KIB,
  stderrLinesPerSecond: 100,
  stderrWarnBytes: 10 * MIB,
};

const HEALTH: Complete<HealthOptions> = {
  checkMs: 30_000,
  idleMs: 120_000,
  onIdle: "warn",
};

/**
 * Checks options and fills in the defaults.
 *
 * @throws {ConfigError} If a key is unknown, a value wrong or out of range, or two options contradict each other
 */
export function resolveOptions(options: AgentOptions = {}): Settings {
  checkOptions(options);
  const { mcpServers, allowedTools, deniedTools } = options;
  const settings: Settings = {
    options: mcpServers === undefined
      ? options as CheckedOptions
      : { ...options, mcpServers: serverConfigs(mcpServers) },
    timeouts: filled(TIMEOUTS, options.timeouts),
    shutdown: inOrder(filled(SHUTDOWN, options.shutdown), options.shutdown),
    limits: filled(LIMITS, options.limits),
    health: filled(HEALTH, options.health),
    validation: options.validation ?? "envelope",
    clock: fullClock(options.clock ?? systemClock),
    allowedTools: allowedTools === undefined
      ? undefined
      : splitSpecs(allowedTools),
    deniedTools: splitSpecs(deniedTools ?? []),
    approvedTools: splitSpecs(options.permissions?.approve ?? []),
  };
  checkOrder(settings);
  return settings;
}

/** Whoever asks for a sooner kill alone means that nothing takes longer. */
function inOrder(
  filled: Complete<ShutdownOptions>,
  given: ShutdownOptions | undefined,
): Complete<ShutdownOptions> {
  if (given?.graceMs !== undefined) return filled;
  return { ...filled, graceMs: Math.min(filled.graceMs, filled.killMs) };
}

/** Refuses limits that stand in the wrong order, defaults included. */
function checkOrder({ shutdown, limits }: Settings): void {
  const { graceMs, killMs } = shutdown;
  if (killMs < graceMs) {
    const why = `must not be less than "graceMs", which is ${graceMs}`;
    contradict("shutdown.killMs", killMs, why);
  }
  const { readAheadBytes, maxBufferedBytes } = limits;
  if (readAheadBytes > maxBufferedBytes) {
    const why =
      `must not be more than "maxBufferedBytes", which is ${maxBufferedBytes}`;
    contradict("limits.readAheadBytes", readAheadBytes, why);
  }
}

/**
 * Says whether options can be used at all; throws `ConfigError` with the first thing that is wrong.
 *
 * @example Options that come from elsewhere
 * ```ts
 * import { checkOptions } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * checkOptions({ maxTurns: 3 });
 * assert.throws(() => checkOptions({ maxTurns: -1 }), { key: "maxTurns" });
 * ```
 */
export function checkOptions(
  options: unknown,
): asserts options is AgentOptions {
  checkEach(options);
  checkTogether(options as AgentOptions);
}

/** Refuses options that are right one by one and wrong together. */
function checkTogether(options: AgentOptions): void {
  checkLists(options);
  const { resume, forkSession, sessionId, resumeSessionAt } = options;
  const { transcripts, permissions, model, fallbackModel } = options;
  const isContinued = options.continue === true;
  const goesOn = resume !== undefined || isContinued;
  refuseFirst(options, {
    continue: resume !== undefined && isContinued &&
      'must be left out when "resume" is set',
    forkSession: forkSession === true && !goesOn &&
      'needs "resume" or "continue" beside it',
    resumeSessionAt: resumeSessionAt !== undefined && resume === undefined &&
      'needs "resume" beside it',
    resumeDropsTurn: options.resumeDropsTurn !== undefined &&
      resumeSessionAt === undefined && 'needs "resumeSessionAt" beside it',
    sessionId: sessionId !== undefined && goesOn && forkSession !== true &&
      'needs "forkSession" beside "resume" or "continue"',
    persistSession: transcripts !== undefined &&
      options.persistSession === false &&
      'must be left out when "transcripts" is set: the store gets a copy of what the CLI writes',
  });
  refuseFirst(options, {
    continue: isContinued && transcripts !== undefined &&
      transcripts.store.listSessions === undefined &&
      'needs a "transcripts.store" that has listSessions()',
    sandbox: options.sandbox !== undefined &&
      typeof parseSettings(options.settings) === "string" &&
      'cannot be joined with "settings" in a file, write it into that file',
  });
  checkBare(options);
  refuseFirst(options, {
    "permissions.mode": permissions?.mode === "bypassPermissions" &&
      permissions.allowBypass !== true &&
      "needs permissions.allowBypass: true beside it",
    "permissions.prompts": permissions?.prompts === "none" &&
      permissions.canUseTool !== undefined &&
      'must be left out beside "permissions.canUseTool"',
    supportedDialogKinds: options.onUserDialog === undefined &&
      (options.supportedDialogKinds?.length ?? 0) > 0 &&
      'needs "onUserDialog" beside it, to show them',
    debug: options.debug === false && options.debugFile !== undefined &&
      'must be left out when "debugFile" is set',
    fallbackModel: model !== undefined &&
      fallbackModel?.split(",").includes(model) &&
      'must differ from "model", or be left out',
  });
}

/** Refuses the first option with something to say against it. */
function refuseFirst(
  options: AgentOptions,
  reasons: Readonly<Record<string, string | false | undefined>>,
): void {
  for (const [key, why] of Object.entries(reasons)) {
    if (!why) continue;
    const value = valueAt(options, key);
    contradict(key, Array.isArray(value) ? value.join(",") : value, why);
  }
}

function checkLists(
  { allowedTools = [], deniedTools = [], permissions, ...options }:
    AgentOptions,
): void {
  const allowed = splitSpecs(allowedTools);
  if (allowed.length > 0 && splitSpecs(deniedTools).length > 0) {
    const why =
      'must be left out when "deniedTools" is set: an allow-list already denies the rest';
    contradict("allowedTools", allowed.join(","), why);
  }
  refuseWide("allowedTools", allowed, "left out to allow every tool");
  const approved = splitSpecs(permissions?.approve ?? []);
  const mode =
    'a name: for everything use mode "bypassPermissions" with "allowBypass"';
  refuseWide("permissions.approve", approved, mode);
  const { agents = {}, toolAliases = {} } = options;
  const own = Object.entries(toolAliases).flat();
  refuseUnknownTools("allowedTools", allowed, own);
  refuseUnknownTools("deniedTools", splitSpecs(deniedTools), own);
  refuseUnknownTools("permissions.approve", approved, own);
  for (const [name, { disallowedTools = [] }] of Object.entries(agents)) {
    const key = `agents.${name}.disallowedTools`;
    refuseUnknownTools(key, disallowedTools, own);
  }
}

/** Only names of MCP tools may hold a wildcard: the CLI does not expand others. */
function refuseWide(
  key: string,
  specs: readonly string[],
  must: string,
): void {
  for (const text of specs) {
    const tool = parseSpec(text)?.tool ?? "";
    if (tool === "*") refuse(key, text, must);
    if (tool.includes("*") && !tool.startsWith("mcp__")) {
      refuse(key, text, "the name of a tool, without a wildcard");
    }
  }
}
