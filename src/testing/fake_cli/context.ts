import type { Program } from "../../runtime/program.ts";
import type { SavedPlan } from "../fake_cli_script.ts";

const MODEL = "claude-opus-5-5";

/** Callbacks that the host registered for one event. */
export interface HookRegistration {
  readonly matcher?: string;
  readonly hookCallbackIds: readonly string[];
  readonly onFailure?: string;
}

/** What is known of the session, from the arguments, the environment, and `initialize`. */
export interface FakeContext {
  readonly sessionId: string;
  /** Working directory. */
  readonly cwd: string;
  /** Process id. */
  readonly pid: number;
  /** Whether permissions are asked of the host. */
  readonly isAsking: boolean;
  /** Whether the stream's events are sent. */
  readonly isPartial: boolean;
  /** Whether prompts are sent back. */
  readonly isReplaying: boolean;
  /** Whether the state of the session is told. */
  readonly reportsState: boolean;
  /** Callbacks by event. */
  readonly hooks: Map<string, readonly HookRegistration[]>;
  /** In-process MCP servers. */
  readonly servers: string[];
  model: string;
  permissionMode: string;
}

/** Reads what a CLI reads when it starts. */
export function readContext(
  { args, env, cwd, pid }: Program,
  plan: SavedPlan,
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
    reportsState: plan.sessionState ??
      env["CLAUDE_CODE_SDK_READS_SESSION_STATE"] === "1",
    hooks: new Map(),
    servers: [],
    model: modelOf(optionOf(args, "model")),
    permissionMode: optionOf(args, "permission-mode") ?? "default",
  };
}

/** The model of that name, or the usual one. */
export function modelOf(name: string | undefined): string {
  return name === undefined || name === "default" ? MODEL : name;
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
