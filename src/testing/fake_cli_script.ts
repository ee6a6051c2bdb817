import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ModelAnswer } from "./model_script.ts";

/** How a fake CLI behaves: one answer to every prompt, one turn for each prompt, or a whole plan. */
export type FakeCliScript = string | readonly FakeTurn[] | FakeCliPlan;

/** What happens on one prompt: a text, one step, or several in order. */
export type FakeTurn = FakeStep | readonly FakeStep[];

/** How a fake CLI starts, answers and ends. */
export interface FakeCliPlan {
  /**
   * What happens on the first prompt, the second, ...; a prompt beyond the last gets an error result that says so.
   * One text or step alone serves every prompt. No turn at all: every prompt is answered with "ok".
   */
  readonly turns?: FakeStep | readonly FakeTurn[] | undefined;
  /** Turns for prompts by their words, as often as they come; the first that fits goes before `turns`, which the other prompts take. */
  readonly match?: readonly FakeMatch[] | undefined;
  /** Scripts of single processes: the first one started plays the first, and so on; the rest of the plan holds for all of them. */
  readonly runs?: readonly FakeCliScript[] | undefined;
  /** Steps from the start of the process on; `initialize` is answered when they are done. */
  readonly start?: readonly FakeStep[] | undefined;
  /** Fields laid over the usual answer to `initialize`, a refusal, or `"silent"` for no answer at all. */
  readonly initialize?: FakeAnswer | undefined;
  /** Steps right after `initialize` was answered, before any prompt. */
  readonly ready?: readonly FakeStep[] | undefined;
  /** Answers to control requests by subtype; where it names none, a plausible one is given. */
  readonly controls?: Readonly<Record<string, FakeAnswer>> | undefined;
  /** What `interrupt` does to the running turn beside being answered; `"end"` unless given. */
  readonly onInterrupt?: "end" | "ignore" | undefined;
  /** What the end of stdin does; `"exit"` finishes the turns and exits, unless given. */
  readonly onStdinEnd?: "exit" | "ignore" | undefined;
  /** What SIGTERM does; `"exit"`, with code 143, unless given. */
  readonly onSigterm?: "exit" | "ignore" | "die" | undefined;
  /** Whether stdin is read at all; true unless given. */
  readonly readStdin?: boolean | undefined;
  /** Whether prompts that came while a turn ran share the next turn, as with the real CLI; false unless given. */
  readonly mergePrompts?: boolean | undefined;
  /** Fields laid over every `system/init` line; `false` for none. */
  readonly init?: JsonObject | false | undefined;
  /** Fields laid over every result line. */
  readonly result?: JsonObject | undefined;
  /** Exit code after the end of stdin; unless given 1 when the last result is an error, else 0. */
  readonly exitCode?: number | undefined;
  /** What `--version` says; the real CLI's version unless given. */
  readonly version?: string | undefined;
  /** Whether what it receives is recorded; true unless given. */
  readonly record?: boolean | undefined;
}

/** A turn for prompts of certain words. */
export interface FakeMatch {
  /** A text that the prompt holds, or a pattern that it fits. */
  readonly prompt: string | RegExp;
  /** What happens then. */
  readonly turn: FakeTurn;
}

export interface SavedPattern {
  readonly source: string;
  readonly flags: string;
}

/** A plan as the process of a fake CLI reads it. */
export type SavedPlan = Omit<FakeCliPlan, "match" | "runs"> & {
  readonly match?: readonly {
    readonly prompt: string | SavedPattern;
    readonly turn: FakeTurn;
  }[];
};

/** An answer to a control request: the fields of a success, a refusal, `"void"` for a success without fields, `"silent"` for none. */
export type FakeAnswer = JsonObject | FakeRefusal | "void" | "silent";

/** An answer that says no. */
export interface FakeRefusal {
  /** Why. */
  readonly error: string;
  /** The reason as a word for programs. */
  readonly error_code?: string | undefined;
  /** Keeps it apart from a success. */
  readonly [field: string]: JsonValue | undefined;
}

/** One thing that a fake CLI does; a text is `{ say: text }`. */
export type FakeStep =
  | string
  | AnswerStep
  | SayStep
  | ThinkStep
  | ToolStep
  | AskStep
  | HookStep
  | McpStep
  | RequestStep
  | CancelStep
  | WaitStep
  | MessageStep
  | LineStep
  | StderrStep
  | ResultStep
  | ExitStep;

/** The model answers in the form of a scripted model's turn: thinking, text, then tools, which are all called before the first of them runs. */
export interface AnswerStep extends
  Pick<
    ModelAnswer,
    "thinking" | "tool" | "input" | "tools" | "chunks" | "delayMs"
  > {
  /** What it says. */
  readonly text: string;
}

/** The model says a text: an assistant line, with the stream's events before it under `--include-partial-messages`. */
export interface SayStep extends Pick<ModelAnswer, "chunks" | "delayMs"> {
  /** The text. */
  readonly say: string;
}

/** The model thinks. */
export interface ThinkStep {
  /** The text. */
  readonly think: string;
}

/** A call of a tool. */
export interface FakeCall {
  /** Name of the tool. */
  readonly tool: string;
  /** What it is called with; `{}` unless given. */
  readonly input?: JsonObject | undefined;
  /** Id of the call; a new one unless given. */
  readonly toolUseId?: string | undefined;
  /** What the tool gives when it runs; `"ok"` unless given. */
  readonly result?: string | undefined;
  /** Whether that is an error. */
  readonly isError?: boolean | undefined;
  /** Further fields of the `can_use_tool` request, laid over the usual ones. */
  readonly fields?: JsonObject | undefined;
  /** Id of the `can_use_tool` request; a new one unless given. */
  readonly id?: string | undefined;
}

/**
 * The model calls a tool: PreToolUse hooks, the permission, the result, PostToolUse hooks.
 *
 * Hooks and `canUseTool` decide as they do with the real CLI. What that decides by itself is not known here: permission
 * mode, `approve` and `tools` have no effect, and without `canUseTool` every tool runs.
 */
export type ToolStep = FakeCall;

/** The model calls a tool and the host is asked whether it may, hooks or not; several are asked at once. */
export interface AskStep extends Pick<RequestStep, "wait"> {
  /** The call, or several. */
  readonly ask: FakeCall | readonly FakeCall[];
}

/** Every callback that the host registered for an event and that fits is called. */
export interface HookStep {
  /** Name of the event. */
  readonly hook: string;
  /** Name of the tool, for matchers and for `tool_name`. */
  readonly tool?: string | undefined;
  /** Fields of the input, laid over the usual ones. */
  readonly input?: JsonObject | undefined;
  /** Id of the tool call. */
  readonly toolUseId?: string | undefined;
  /** Id of the request, when one callback is called; a new one unless given. */
  readonly id?: string | undefined;
  /** Whether to wait for the answers; true unless given. */
  readonly wait?: boolean | undefined;
}

/** A JSON-RPC message to an in-process MCP server of the host. */
export interface McpStep extends Pick<RequestStep, "id" | "wait"> {
  /** The message. */
  readonly mcp: {
    /** Name of the server. */
    readonly server: string;
    /** Method. */
    readonly method: string;
    /** Parameters. */
    readonly params?: JsonObject | undefined;
    /** Whether it is a notification, without an id; false unless given. */
    readonly isNotification?: boolean | undefined;
  };
}

/** Any control request to the host. */
export interface RequestStep {
  /** The request, with its `subtype`. */
  readonly request: JsonObject;
  /** Its id; a new one unless given. */
  readonly id?: string | undefined;
  /** Whether to wait for the answer; true unless given. */
  readonly wait?: boolean | undefined;
}

/** Requests to the host are taken back. */
export interface CancelStep {
  /** Id of a request, answered or not; `true` for all that are open. */
  readonly cancel: string | true;
}

/** Nothing happens for a time, or until something does. */
export interface WaitStep {
  /**
   * Milliseconds, or what to wait for: `initialize`, the next prompt, an interrupt, the end of stdin, the answer to a
   * request that was sent with `wait: false` (or to all of them), SIGTERM, nothing at all (`"forever"`), or a control
   * request of the host. What has come already counts, once.
   */
  readonly wait:
    | number
    | "initialize"
    | "prompt"
    | "interrupt"
    | "stdin-end"
    | "answer"
    | "answers"
    | "sigterm"
    | "forever"
    | {
      /** Subtype of a control request of the host. */
      readonly control: string;
    };
}

/** A message as it stands; `uuid` and `session_id` are filled in where they are missing. */
export interface MessageStep {
  /** The message. */
  readonly message: JsonObject;
}

/** A line exactly as given; a newline is added. */
export interface LineStep {
  /** Its text, or a value to be written as JSON. */
  readonly line: JsonValue;
}

/** Something is written to stderr. */
export interface StderrStep {
  /** The text, as it stands. */
  readonly stderr: string;
}

/** The turn ends: its result, instead of the usual one. */
export interface ResultStep {
  /**
   * Its text, fields laid over the usual ones, or `false` for a turn without a result.
   *
   * `total_cost_usd` is the cost of the session up to there, as on the real wire: `cost()` and `maxUsd` count it.
   */
  readonly result: string | JsonObject | false;
}

/** The process ends. */
export interface ExitStep {
  /** With which exit code. */
  readonly exit: number;
}

/** The member that identifies a kind of step: the only one that it cannot lack. */
export type StepName = NeededIn<Exclude<FakeStep, string>>;

type NeededIn<Step> = Step extends Step ? {
    [Name in keyof Step]-?: object extends Pick<Step, Name> ? never : Name;
  }[keyof Step]
  : never;
