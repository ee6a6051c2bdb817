import type {
  HookJSONOutput,
  PostToolBatchHookInput,
} from "../protocol/official.ts";
import type * as hooks from "../types/hooks.ts";
import type { Mutable } from "../types/mutable.ts";
import type { EXIT_REASONS } from "./constants.ts";

/** What a hook is told. */
export type HookInput = Mutable<hooks.HookInput>;

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

/** One tool call of several. */
export type PostToolBatchToolCall =
  PostToolBatchHookInput["tool_calls"][number];

/** What a hook may decide of a tool call. */
export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

/** Why a session ended. */
export type ExitReason = (typeof EXIT_REASONS)[number];
