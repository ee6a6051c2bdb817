import type { ProcessState } from "./health.ts";

/** Something that the CLI has asked this program, and that it waits for. */
export interface WaitingFor {
  /** What was asked: `tool` = a tool of this program. */
  readonly kind: "permission" | "hook" | "tool" | "elicitation" | "dialog";
  /** Id of the request; one permission has the same id in `PermissionContext.requestId`. */
  readonly requestId: string;
  /** The tool that it is about, as the model calls it. */
  readonly tool?: string;
  /** When it was asked. */
  readonly since: Date;
}

/** A task that the agent left running in the background: a shell command, another agent. */
export interface BackgroundTask {
  /** Id of the task, for `stopTask()` and `taskOutput()`. */
  readonly id: string;
  /** What it is, as the CLI calls it (`local_bash`, `local_agent`, ...); empty where it does not say. */
  readonly kind: string;
  /** What it does, in short. */
  readonly description?: string;
  /** The tool call that began it. */
  readonly toolUseId?: string;
  /** When it was first heard of. */
  readonly since: Date;
}

/** What an agent is doing: a snapshot, taken from what the CLI has said, be it read by anybody or not. */
export interface Activity {
  /** What it does; `background` = no turn runs, tasks of the agent do, or the turn that tells the model of their end is due. */
  readonly state: ProcessState;
  /** Since when that is the state. */
  readonly since: Date;
  /** Prompts that wait behind the turn that runs. */
  readonly queued: number;
  /** What the CLI waits for from this program, the oldest first. */
  readonly waitingFor: readonly WaitingFor[];
  /** What runs in the background, the oldest first. */
  readonly tasks: readonly BackgroundTask[];
}

/** Tokens, and calls of tools that the API runs. */
export interface TokenUse {
  /** Tokens read that no cache held. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
  /** Tokens read from the cache. */
  readonly cacheReadInputTokens: number;
  /** Tokens written to the cache. */
  readonly cacheCreationInputTokens: number;
  /** Searches of the web. */
  readonly webSearchRequests: number;
}

/** What one model has used. */
export interface ModelCost extends TokenUse {
  /** Estimated cost in US dollars. */
  readonly usd: number;
}

/**
 * What a conversation has cost, as the CLI estimates it from list prices: of turns that have ended.
 *
 * What the session had cost before it was resumed is in `sessionUsd` alone.
 */
export interface Cost {
  /** Estimated cost of this conversation, in US dollars. */
  readonly totalUsd: number;
  /** The same of the turn that ended last, with the work in the background since the one before. */
  readonly lastTurnUsd: number;
  /** What the CLI says that the session has cost so far, in US dollars: from before a resume on; after `/clear` from 0. */
  readonly sessionUsd: number;
  /** Results so far; prompts that were merged into one turn have one. */
  readonly turns: number;
  /** What this conversation has used. */
  readonly usage: TokenUse;
  /** The same by model. */
  readonly byModel: Readonly<Record<string, ModelCost>>;
}

/** Settings of `settled()`. */
export interface SettledOptions {
  /** Whether to wait for work in the background as well; `true` unless given. */
  readonly background?: boolean | undefined;
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What can be asked of an agent at any time, whoever reads its messages. */
export interface Observed {
  /** What the agent is doing. */
  activity(): Activity;
  /**
   * The activity now, then after each change; ends with the conversation.
   *
   * Every call gives a stream of its own. Who reads slowly gets the newest activity, not all of them.
   *
   * @param options `signal` ends the stream with its reason
   */
  watch(
    options?: { readonly signal?: AbortSignal | undefined },
  ): ReadableStream<Activity>;
  /**
   * Resolves when nothing goes on: no turn, no prompt that waits, and no task in the background.
   *
   * Somebody has to take the messages when they are more than `limits.readAheadBytes`: the CLI waits for that.
   *
   * @param options Whether work in the background counts, and what ends the waiting
   * @returns The activity then; of a CLI that ended by itself, with state `gone`
   * @throws The error that ended the conversation; `ClosedError` after `close()`
   */
  settled(options?: SettledOptions): Promise<Activity>;
  /** What it has cost; zeros before the first result. */
  cost(): Cost;
}
