import type { Deadlines } from "../async/deadline.ts";
import type {
  AgentOptions,
  Complete,
  TimeoutOptions,
} from "../types/options.ts";
import type { ControlHandler, Denial } from "../types/controls.ts";
import type { ToolGuard } from "../options/tool_guard.ts";
import type { JsonObject } from "../types/json.ts";
import type { Listeners } from "./failure.ts";
import { denial } from "./gate.ts";
import { hookTable, type Waiting } from "./hooks.ts";
import { permissionHandler, type Progress } from "./permissions.ts";
import { dialogHandler, elicitationHandler } from "./questions.ts";

/** The user's callbacks as answers to the CLI. */
export interface Handlers {
  /** Who answers which request, by subtype; MCP is added by others. */
  readonly handlers: Readonly<
    Record<
      | "hook_callback"
      | "can_use_tool"
      | "elicitation"
      | "request_user_dialog",
      ControlHandler
    >
  >;
  /** What is answered when such an answer cannot be made or sent, by subtype. */
  readonly denials: Map<string, Denial>;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
}

/** Makes the answers to all requests of the CLI that the user's code decides. */
export function makeHandlers(
  {
    settings,
    guard,
    waiting,
    wantsInput,
    asksAgain,
    deadlines,
    progress,
    ...listeners
  }:
    & Listeners
    & {
      readonly settings: {
        readonly options: AgentOptions;
        readonly timeouts: Complete<TimeoutOptions>;
      };
      /** Judges every tool call, in a hook of our own and where permissions are answered, if the options need it. */
      readonly guard: ToolGuard | undefined;
      /** Decides calls that wait, if the options say so. */
      readonly waiting?: Waiting | undefined;
      /** Whether an allowance has to say with which input. */
      readonly wantsInput?: () => boolean;
      /** Whether hooks are called again for a call that one of them put off. */
      readonly asksAgain?: () => boolean;
      readonly deadlines: Deadlines;
      readonly progress: Progress;
    },
): Handlers {
  const { options, timeouts } = settings;
  const shared = { deadlines, ...listeners };
  const { canUseTool, timeoutMs, allowBypass = false } = options.permissions ??
    {};
  const table = hookTable({
    ...shared,
    hooks: options.hooks,
    guard,
    waiting,
    asksAgain,
    allowBypass,
    hookMs: timeouts.hookMs,
  });
  // A person answers the last two, as a person may answer a permission.
  const asked = { ...shared, limitMs: timeouts.permissionMs };
  return {
    hooks: table.initializeFields,
    denials: new Map<string, Denial>([
      ["hook_callback", table.deny],
      ["can_use_tool", (_request, reason) => denial(reason)],
    ]),
    handlers: {
      hook_callback: table.handle,
      can_use_tool: permissionHandler({
        ...shared,
        guard,
        waiting,
        allowBypass,
        wantsInput,
        progress,
        limitMs: timeoutMs ?? canUseTool?.timeoutMs ??
          timeouts.permissionMs,
        canUseTool,
      }),
      elicitation: elicitationHandler(asked, options.onElicitation),
      request_user_dialog: dialogHandler(asked, options.onUserDialog),
    },
  };
}
