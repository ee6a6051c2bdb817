// Made from protocol/ by `npm run generate`; edit that.
import type { JsonInput } from "../types/json.ts";

/** Handling of tool calls that no rule covers. */
export type PermissionMode =
  | "default"
  | "acceptEdits"
  | "bypassPermissions"
  | "plan"
  | "dontAsk"
  | "auto";

/** Destination of a permission change. */
export type PermissionDestination =
  | "userSettings"
  | "projectSettings"
  | "localSettings"
  | "session"
  | "cliArg";

/** One rule: a tool, and perhaps a scope. */
export interface PermissionRule {
  /** Name of the tool. */
  readonly toolName: string;
  /** Scope of the rule; absent = the whole tool. */
  readonly ruleContent?: string;
}

/** A change to the permissions, suggested by the CLI or made by a decision. */
export type PermissionUpdate = {
  /** Adds, replaces or removes rules. */
  readonly type: "addRules" | "replaceRules" | "removeRules";
  /** The rules. */
  readonly rules: readonly PermissionRule[];
  /** Effect of the rules. */
  readonly behavior: "allow" | "deny" | "ask";
  /** Destination of the change. */
  readonly destination: PermissionDestination;
} | {
  /** Sets the mode. */
  readonly type: "setMode";
  /** The mode. */
  readonly mode: PermissionMode;
  /** Destination of the change. */
  readonly destination: PermissionDestination;
} | {
  /** Adds or removes directories that tools may touch. */
  readonly type: "addDirectories" | "removeDirectories";
  /** The directories. */
  readonly directories: readonly string[];
  /** Destination of the change. */
  readonly destination: PermissionDestination;
};

/**
 * Result of a permission callback.
 *
 * `updatedInput` replaces the whole tool input; an absent or empty one leaves it unchanged.
 */
export type PermissionDecision = {
  /** The tool may run. */
  readonly behavior: "allow";
  /** The input it runs with. */
  readonly updatedInput?: JsonInput | undefined;
  /** Rules and modes that hold from now on. */
  readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
} | {
  /** The tool may not run. */
  readonly behavior: "deny";
  /** Reason; the model reads it as the tool's result. */
  readonly message: string;
  /** Whether the turn ends as well; default: false. */
  readonly interrupt?: boolean | undefined;
};
