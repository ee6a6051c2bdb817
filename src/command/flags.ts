import type { PermissionMode } from "../protocol/permissions.ts";

/** What is wrong with the words of a command line, beyond what the parser sees. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Flags of every command that starts a CLI. */
export interface CliFlags {
  readonly cli?: string;
  readonly cwd?: string;
  readonly json?: true;
}

/** Flags of `chat`. */
export interface ChatFlags extends CliFlags {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly model?: string;
  readonly mcp?: string;
  readonly resume?: string;
  readonly continue?: true;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  /** What `record` writes; no flag. */
  readonly record?: Recording | undefined;
}

/** A cassette that is to be written. */
export interface Recording {
  readonly file: string;
  /** Whether a file that is there may be replaced. */
  readonly isForced: boolean;
  /** Whether anything was written. */
  hasBegun: boolean;
}

/** What `jobs` can do. */
export const JOBS_ACTIONS = [
  "list",
  "show",
  "follow",
  "cancel",
  "approve",
  "deny",
  "retry",
  "dead",
  "limit",
] as const;
export type JobsAction = typeof JOBS_ACTIONS[number];
