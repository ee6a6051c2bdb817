// Made from protocol/ by `npm run generate`; edit that.
import type { JsonInput } from "../types/json.ts";

/** How the CLI decides tool calls that no rule covers. */
export type PermissionMode =
  | "default"
  | "acceptEdits"
  | "bypassPermissions"
  | "plan"
  | "dontAsk"
  | "auto";

/** Where a permission change is kept. */
export type PermissionDestination =
  | "userSettings"
  | "projectSettings"
  | "localSettings"
  | "session"
  | "cliArg";

/** One rule: a tool, and perhaps what of it. */
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
  /** Where they are kept. */
  readonly destination: PermissionDestination;
} | {
  /** Sets the mode. */
  readonly type: "setMode";
  /** The mode. */
  readonly mode: PermissionMode;
  /** Where it is kept. */
  readonly destination: PermissionDestination;
} | {
  /** Adds or removes directories that tools may touch. */
  readonly type: "addDirectories" | "removeDirectories";
  /** The directories. */
  readonly directories: readonly string[];
  /** Where they are kept. */
  readonly destination: PermissionDestination;
};

/**
 * Result of a permission callback.
 *
 * `updatedInput` replaces the tool's input whole; an absent or empty one leaves it as it is.
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
  /** Why; the model reads it as the tool's result. */
  readonly message: string;
  /** Whether the turn ends as well; false. */
  readonly interrupt?: boolean | undefined;
};
