import type { Program } from "../../runtime/program.ts";

const MODEL = "claude-opus-5-5";

/** The process that a fake CLI runs in, or imitates. */
export interface CliProcess extends
  Omit<
    Program,
    "terminals" | "columns" | "outputClosed" | "outputFailure" | "limitWaits"
  > {
  /** Aborts at the end of an imitated process: no operating system stops what still runs. */
  readonly gone?: AbortSignal;
}

export interface HookRegistration {
  readonly matcher?: string;
  readonly hookCallbackIds: readonly string[];
  readonly onFailure?: string;
}

/** The session as arguments, environment and `initialize` define it. */
export interface FakeContext {
  readonly sessionId: string;
  readonly cwd: string;
  readonly pid: number;
  readonly isAsking: boolean;
  readonly isPartial: boolean;
  readonly isReplaying: boolean;
  readonly reportsState: boolean;
  readonly hooks: Map<string, readonly HookRegistration[]>;
  /** In-process MCP servers. */
  readonly servers: string[];
  model: string;
  permissionMode: string;
}

export function readContext(
  { args, env, cwd, pid }: CliProcess,
): FakeContext {
  const resumed = args.includes("--fork-session")
    ? undefined
    : optionOf(args, "resume");
  return {
    sessionId: optionOf(args, "session-id") ?? resumed ?? crypto.randomUUID(),
    cwd,
    pid,
    isAsking: optionOf(args, "permission-prompt-tool") === "stdio",
    isPartial: args.includes("--include-partial-messages"),
    isReplaying: args.includes("--replay-user-messages"),
    reportsState: env["CLAUDE_CODE_SDK_READS_SESSION_STATE"] === "1",
    hooks: new Map(),
    servers: [],
    model: modelOf(optionOf(args, "model")),
    permissionMode: optionOf(args, "permission-mode") ?? "default",
  };
}

export function modelOf(name: unknown): string {
  return typeof name === "string" && name !== "default" ? name : MODEL;
}

/** The value of `--name=value` or `--name value`. */
function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) =>
    arg === `--${name}` || arg.startsWith(`--${name}=`)
  );
  const arg = args[at];
  if (arg === undefined) return undefined;
  return arg.includes("=") ? arg.slice(name.length + 3) : args[at + 1];
}
