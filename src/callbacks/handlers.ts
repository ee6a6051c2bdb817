import type { Deadlines } from "../async/deadline.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { TimeoutOptions } from "../types/limits.ts";
import type { AgentOptions } from "../types/options.ts";
import type { Listeners } from "./failure.ts";
import { HookTable, type ToolGuard } from "./hooks.ts";
import { permissionHandler } from "./permissions.ts";
import { dialogHandler, elicitationHandler } from "./questions.ts";

/** What the handlers of a conversation are made from. */
export interface HandlersInit extends Listeners {
  /** What the user wrote, with defaults. */
  readonly settings: {
    /** As it was written. */
    readonly options: AgentOptions;
    /** Limits. */
    readonly timeouts: Required<TimeoutOptions>;
  };
  /** Our own hook before every tool call, if the options need one. */
  readonly guard: ToolGuard | undefined;
  /** Limits that run. */
  readonly deadlines: Deadlines;
}

/** The user's callbacks as answers to the CLI. */
export interface Handlers {
  /** Who answers which request, by subtype; MCP is added by others. */
  readonly handlers: Map<string, ControlHandler>;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
}

/** Makes the answers to all requests of the CLI that the user's code decides. */
export function makeHandlers(
  { settings, guard, deadlines, ...listeners }: HandlersInit,
): Handlers {
  const { options, timeouts } = settings;
  const shared = { deadlines, ...listeners };
  const permissionMs = options.permissions?.timeoutMs ?? timeouts.permissionMs;
  const table = new HookTable({
    ...shared,
    hooks: options.hooks,
    guard,
    hookMs: timeouts.hookMs,
  });
  // A person answers the last two, as a person may answer a permission.
  const asked = { ...shared, limitMs: timeouts.permissionMs };
  return {
    hooks: table.initializeFields,
    handlers: new Map([
      ["hook_callback", table.handle],
      [
        "can_use_tool",
        permissionHandler({
          ...shared,
          permissionMs,
          canUseTool: options.permissions?.canUseTool,
        }),
      ],
      ["elicitation", elicitationHandler(asked, options.onElicitation)],
      ["request_user_dialog", dialogHandler(asked, options.onUserDialog)],
    ]),
  };
}
