import type { Settings } from "../options/resolve.ts";

/** A wait that has an end, whatever the other side does. */
export interface Bound {
  /** What is waited for. */
  readonly waitsFor: string;
  /** The option that sets the limit; absent for one that is fixed. */
  readonly option?: string;
  /** The limit, in milliseconds; fixed, or by the settings. */
  readonly limitMs: number | ((settings: Settings) => number);
  /** What becomes of it then. */
  readonly becomes: string;
}

/** Name of a row of {@link ENDINGS}. */
export type EndingName =
  | "start"
  | "write"
  | "control"
  | "hook"
  | "permission"
  | "mcp"
  | "silence"
  | "tool"
  | "tasks"
  | "followUp"
  | "exit"
  | "lastWords"
  | "linger"
  | "quietOutput"
  | "lateOutput"
  | "interrupt"
  | "terminate"
  | "kill"
  | "reap"
  | "servers";

/**
 * Every wait of a conversation, and its end. `docs/reliability.md` shows this table; a test walks it.
 *
 * Limits of this room are taken from here alone. Those that other rooms keep are set by the options named.
 */
export const ENDINGS: Readonly<Record<EndingName, Bound>> = {
  start: {
    waitsFor: "the CLI to start and to answer `initialize`",
    option: "timeouts.connectMs",
    limitMs: ({ timeouts }) => timeouts.connectMs,
    becomes: "`CliError` of stage `connect`",
  },
  write: {
    waitsFor: "the CLI to take a write",
    option: "timeouts.writeMs",
    limitMs: ({ timeouts }) => timeouts.writeMs,
    becomes: "`CliError` of stage `write`",
  },
  control: {
    waitsFor: "the answer to a control request",
    option: "timeouts.controlMs",
    limitMs: ({ timeouts }) => timeouts.controlMs,
    becomes: "`ProtocolError` of category `timeout`",
  },
  hook: {
    waitsFor: "a hook",
    option: "timeouts.hookMs",
    limitMs: ({ timeouts }) => timeouts.hookMs,
    becomes: "an answer by its `onFailure`, and a `ProtocolError` on `errors`",
  },
  permission: {
    waitsFor:
      "a decision of `canUseTool`, an answer of `onElicitation` or `onUserDialog`",
    option: "timeouts.permissionMs",
    limitMs: ({ timeouts }) => timeouts.permissionMs,
    becomes: "a denial, and a `ProtocolError` on `errors`",
  },
  mcp: {
    waitsFor: "an MCP server, or a tool of this program",
    option: "timeouts.mcpMs",
    limitMs: ({ timeouts }) => timeouts.mcpMs,
    becomes: "an error answer to the CLI, and a `ProtocolError` on `errors`",
  },
  silence: {
    waitsFor: "a sign of life in a turn",
    option: "health.idleMs",
    limitMs: ({ health }) => health.idleMs,
    becomes: "a stall",
  },
  tool: {
    waitsFor: "a sign of life while a tool of the CLI runs",
    option: "health.idleMs",
    limitMs: ({ health }) => 10 * health.idleMs,
    becomes: "a stall",
  },
  tasks: {
    waitsFor: "background tasks, after the last answer",
    limitMs: 600_000,
    becomes: "stdin is closed",
  },
  followUp: {
    waitsFor: "the turn that tells the model of the end of a task",
    limitMs: 5_000,
    becomes: "stdin is closed",
  },
  exit: {
    waitsFor: "the exit, after stdin was closed at the end of the work",
    option: "health.idleMs",
    limitMs: ({ health }) => health.idleMs,
    becomes: "a stall, and the CLI is stopped",
  },
  lastWords: {
    waitsFor: "the exit of a CLI that a prompt could not be written to",
    limitMs: 1_000,
    becomes: "`CliError` of stage `write`",
  },
  linger: {
    waitsFor: "the exit of a CLI that closed its output",
    limitMs: 1_000,
    becomes: "it is stopped",
  },
  quietOutput: {
    waitsFor: "more output after the exit, while none comes",
    limitMs: 200,
    becomes: "the end of the output",
  },
  lateOutput: {
    waitsFor:
      "the end of an output that others go on writing to after the exit",
    limitMs: 5_000,
    becomes: "the end of the output",
  },
  interrupt: {
    waitsFor: "a CLI that is closed to take the interrupt of its turn",
    limitMs: 100,
    becomes: "stdin is closed",
  },
  terminate: {
    waitsFor: "the exit of a CLI whose stdin was closed to stop it",
    option: "shutdown.graceMs",
    limitMs: ({ shutdown }) => shutdown.graceMs,
    becomes: "SIGTERM",
  },
  kill: {
    waitsFor: "the exit of a CLI that is stopped",
    option: "shutdown.killMs",
    limitMs: ({ shutdown }) => shutdown.killMs,
    becomes: "SIGKILL, also to all that it started",
  },
  reap: {
    waitsFor: "a transport to say that the CLI is gone, after SIGKILL",
    limitMs: 1_000,
    becomes: "it is given up",
  },
  servers: {
    waitsFor: "MCP servers to close",
    // Above the limit of each connection, which ends its program within 4 s.
    limitMs: 7_000,
    becomes: "they are given up, and `close()` rejects",
  },
};

/** The limit of a wait, in milliseconds. */
export function limitOf(name: EndingName, settings: Settings): number {
  const { limitMs } = ENDINGS[name];
  return typeof limitMs === "number" ? limitMs : limitMs(settings);
}
