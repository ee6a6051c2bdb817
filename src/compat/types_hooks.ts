import type { HookInput as OwnHookInput } from "../types/hooks.ts";
import type { Mutable } from "./types_shared.ts";
import type { HOOK_EVENTS } from "./constants.ts";

/** Events that hooks are called for. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** What a hook is told. */
export type HookInput = Mutable<OwnHookInput>;

/** A hook that answers later. */
export type AsyncHookJSONOutput = { async: true; asyncTimeout?: number };

/** What a hook wants. */
export type SyncHookJSONOutput = {
  continue?: boolean;
  suppressOutput?: boolean;
  stopReason?: string;
  decision?: "approve" | "block";
  systemMessage?: string;
  terminalSequence?: string;
  reason?: string;
  hookSpecificOutput?: { hookEventName: string; [key: string]: unknown };
};

/** What a hook gives back. */
export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;

/** A hook. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

/** Hooks for what fits. */
export interface HookCallbackMatcher {
  /** What it has to fit; unset = everything. */
  matcher?: string | undefined;
  /** The hooks. */
  hooks: HookCallback[];
  /** Limit, in seconds. */
  timeout?: number | undefined;
  /** What a hook that fails does; `"continue"`. */
  onFailure?: "continue" | "block" | undefined;
}
