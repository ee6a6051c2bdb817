export type StepKind =
  | "prompt"
  | "text"
  | "thinking"
  | "tool"
  | "permission"
  | "hook"
  | "mcp"
  | "control"
  | "system"
  | "result"
  | "error";

export interface Step {
  /** Its place in the story, from 0. */
  readonly id: number;
  readonly kind: StepKind;
  /** Number of its turn, from 1; 0 before the first. */
  readonly turn: number;
  /** Milliseconds since the start; absent where the recording has no times. */
  readonly t?: number | undefined;
  /** Title in one line. */
  title: string;
  /** The tool call of the subagent that did it. */
  parent?: number | undefined;
  /** Duration: of a tool to its result, of a permission to its answer. */
  ms?: number;
  isError?: boolean | undefined;
  /** Text or question. */
  text?: string | undefined;
  /** Lines of the change that a tool would make, each with its sign. */
  change?: string | undefined;
  /** Outcome. */
  answer?: string;
}

/** From a prompt to its result. */
export interface Turn {
  /** From 1. */
  readonly number: number;
  prompt: string;
  readonly t?: number | undefined;
  ms?: number;
  usd?: number;
  /** Tokens read, those from the cache included. */
  read?: number;
  written?: number;
  isError?: boolean;
}

export interface StoryHead {
  readonly name: string;
  form: "cassette" | "session" | undefined;
  model?: string;
  version?: string;
  sessionId?: string;
  cwd?: string;
  /** When it began, milliseconds since 1970. */
  startedAt?: number;
  /** Duration, in milliseconds. */
  ms?: number;
  usd?: number;
  /** Warnings: unreadable lines, a missing end. */
  warnings: string[];
}

/** The data of a page. */
export interface StoryData {
  readonly head: StoryHead;
  readonly turns: readonly Turn[];
  readonly steps: readonly Step[];
  /** Context size after each answer of the model: step, tokens. */
  readonly context: readonly (readonly [step: number, tokens: number])[];
}

/** Event of a page whose recording was replaced: the page is loaded again. */
export interface Anew {
  readonly isAnew: true;
}
