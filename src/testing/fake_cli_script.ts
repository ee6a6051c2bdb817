import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ModelAnswer } from "./model_script.ts";

/** The script of a fake CLI: one answer to every prompt, one turn for each prompt, or a whole plan. */
export type FakeCliScript = string | readonly FakeTurn[] | FakeCliPlan;

/** The turn of one prompt: a text, one step, or several in order. */
export type FakeTurn = FakeStep | readonly FakeStep[];

/** Behaviour of a fake CLI: its start, answers and end. */
export interface FakeCliPlan {
  /**
   * Turns of the first prompt, the second, ...; a prompt beyond the last gets an error result. One text or step
   * serves every prompt. Without turns every prompt is answered with "ok".
   */
  readonly turns?: FakeStep | readonly FakeTurn[] | undefined;
  /** Turns selected by the text of the prompt, used any number of times; the first match takes precedence over `turns`. */
  readonly match?: readonly FakeMatch[] | undefined;
  /** One script for each process, in the order of their start; the rest of the plan holds for all of them. */
  readonly runs?: readonly FakeCliScript[] | undefined;
  /** Steps at the start of the process; `initialize` is answered after them. */
  readonly start?: readonly FakeStep[] | undefined;
  /** Fields merged into the default answer to `initialize`, a refusal, or `"silent"` for no answer. */
  readonly initialize?: FakeAnswer | undefined;
  /** Steps after the answer to `initialize`, before any prompt. */
  readonly ready?: readonly FakeStep[] | undefined;
  /** Answers to control requests by subtype, in place of the default ones. */
  readonly controls?: Readonly<Record<string, FakeAnswer>> | undefined;
  /** Effect of `interrupt` on the running turn; `"end"` by default. */
  readonly onInterrupt?: "end" | "ignore" | undefined;
  /** Effect of the end of stdin; `"exit"` by default: finishes the turns and exits. */
  readonly onStdinEnd?: "exit" | "ignore" | undefined;
  /** Effect of SIGTERM; `"exit"` with code 143 by default. */
  readonly onSigterm?: "exit" | "ignore" | undefined;
  /** Whether stdin is read; true by default. */
  readonly readStdin?: boolean | undefined;
  /** Whether prompts that came during a turn share the next one, as with the real CLI; false by default. */
  readonly mergePrompts?: boolean | undefined;
  /** Fields merged into every `system/init` line; `false` for no such line. */
  readonly init?: JsonObject | false | undefined;
  /** Fields merged into every result line. */
  readonly result?: JsonObject | undefined;
  /** Exit code after the end of stdin; by default 1 when the last result is an error, else 0. */
  readonly exitCode?: number | undefined;
  /** Output of `--version`; the real CLI's version by default. */
  readonly version?: string | undefined;
  /** Whether input is recorded; true by default. */
  readonly record?: boolean | undefined;
}

/** A turn for prompts with certain words. */
export interface FakeMatch {
  /** A text that the prompt contains, or a pattern that it matches. */
  readonly prompt: string | RegExp;
  /** Its turn. */
  readonly turn: FakeTurn;
}

/** An answer to a control request: the fields of a success, a refusal, `"void"` for a success without fields, `"silent"` for none. */
export type FakeAnswer = JsonObject | FakeRefusal | "void" | "silent";

/** An error as the answer. */
export interface FakeRefusal {
  /** Its text. */
  readonly error: string;
  /** Its code for programs. */
  readonly error_code?: string | undefined;
  /** Further fields. */
  readonly [field: string]: JsonValue | undefined;
}

/** One action of a fake CLI; a text is `{ say: text }`. */
export type FakeStep =
  | string
  | AnswerStep
  | SayStep
  | ThinkStep
  | ToolStep
  | HookStep
  | RequestStep
  | CancelStep
  | WaitStep
  | MessageStep
  | LineStep
  | StderrStep
  | ResultStep
  | ExitStep;

/** The model answers as a turn of a scripted model: thinking, text, then tools, all called before the first of them runs. */
export interface AnswerStep extends
  Pick<
    ModelAnswer,
    "thinking" | "tool" | "input" | "tools" | "chunks" | "delayMs"
  > {
  /** The text. */
  readonly text: string;
}

/** The model says a text: an assistant line, after its stream events if the host includes partial messages. */
export interface SayStep extends Pick<ModelAnswer, "chunks" | "delayMs"> {
  /** The text. */
  readonly say: string;
}

/** The model thinks. */
export interface ThinkStep {
  /** The text. */
  readonly think: string;
}

/**
 * The model calls a tool: PreToolUse hooks, the permission, the result, PostToolUse hooks.
 *
 * Hooks and `canUseTool` decide as they do with the real CLI. The CLI's own rules are not imitated: permission mode,
 * `approve` and `tools` have no effect, and without `canUseTool` every tool runs.
 */
export interface ToolStep {
  /** Name of the tool. */
  readonly tool: string;
  /** Its input; `{}` by default. */
  readonly input?: JsonObject | undefined;
  /** Id of the call; a new one by default. */
  readonly toolUseId?: string | undefined;
  /** Result of the tool; `"ok"` by default, or the real one of an in-process server. */
  readonly result?: string | undefined;
  /** Whether the result is an error. */
  readonly isError?: boolean | undefined;
  /** Further fields of the `can_use_tool` request. */
  readonly fields?: JsonObject | undefined;
  /** Id of the `can_use_tool` request; a new one by default. */
  readonly id?: string | undefined;
}

/** Calls every matching callback that the host registered for an event. */
export interface HookStep extends Pick<RequestStep, "id" | "wait"> {
  /** Name of the event. */
  readonly hook: string;
  /** Name of the tool, for matchers and `tool_name`. */
  readonly tool?: string | undefined;
  /** Fields merged into the input. */
  readonly input?: JsonObject | undefined;
  /** Id of the tool call. */
  readonly toolUseId?: string | undefined;
}

/** Sends a control request to the host, such as an elicitation or a message to an in-process MCP server. */
export interface RequestStep {
  /** The request, with its `subtype`. */
  readonly request: JsonObject;
  /** Its id; a new one by default. */
  readonly id?: string | undefined;
  /** Whether to wait for the answer; true by default. */
  readonly wait?: boolean | undefined;
}

/** Cancels requests to the host. */
export interface CancelStep {
  /** Id of a request, answered or not; `true` for all open ones. */
  readonly cancel: string | true;
}

/** A pause. */
export interface WaitStep {
  /**
   * Milliseconds, or an event: `initialize`, the next prompt, an interrupt, the end of stdin, all answers to requests
   * with `wait: false`, none (`"forever"`), or a control request of the host. Each past event counts once.
   */
  readonly wait:
    | number
    | "initialize"
    | "prompt"
    | "interrupt"
    | "stdin-end"
    | "answers"
    | "forever"
    | {
      /** Subtype of a control request of the host. */
      readonly control: string;
    };
}

/** Sends a message; a missing `uuid` or `session_id` is added. */
export interface MessageStep {
  /** The message. */
  readonly message: JsonObject;
}

/** Sends a line as it is; a newline is added. */
export interface LineStep {
  /** Its text, or a value to write as JSON. */
  readonly line: JsonValue;
}

/** Writes to stderr. */
export interface StderrStep {
  /** The text. */
  readonly stderr: string;
}

/** Sets the result of the turn. */
export interface ResultStep {
  /**
   * Its text, fields merged into the default ones, or `false` for a turn without a result.
   *
   * `total_cost_usd` is the cost of the session so far, as on the real wire: `cost()` and `maxUsd` count it.
   */
  readonly result: string | JsonObject | false;
}

/** Ends the process. */
export interface ExitStep {
  /** Exit code. */
  readonly exit: number;
}

/** The member that identifies a kind of step: the only one that it cannot lack. */
export type StepName = NeededIn<Exclude<FakeStep, string>>;

type NeededIn<Step> = Step extends Step ? {
    [Name in keyof Step]-?: object extends Pick<Step, Name> ? never : Name;
  }[keyof Step]
  : never;
