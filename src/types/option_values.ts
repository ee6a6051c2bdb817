import type { JsonInput, JsonObject, JsonValue } from "./json.ts";

/** Whether and how much the model thinks before it answers. */
export type ThinkingOptions =
  | {
    /** The model decides. */
    readonly type: "adaptive";
    /** Display of the thinking. */
    readonly display?: "summarized" | "omitted" | undefined;
  }
  | {
    /** Up to a budget. */
    readonly type: "enabled";
    /** Most tokens. */
    readonly budgetTokens: number;
    /** Display of the thinking. */
    readonly display?: "summarized" | "omitted" | undefined;
  }
  | {
    /** Not at all. */
    readonly type: "disabled";
  };

/**
 * A system prompt: one text, or several blocks; a `SYSTEM_PROMPT_BOUNDARY` block (of `@sluice/agent/tools`) ends the
 * blocks that all sessions share.
 */
export type SystemPromptText = string | readonly string[];

/** A system prompt with settings: its text, or the CLI's own prompt with additions. */
export type SystemPromptOptions =
  | {
    /** The CLI's own prompt. */
    readonly preset: "claude_code";
    /** Added at its end. */
    readonly append?: string | undefined;
    /** Whether what differs between users (directory, memory) moves into the first message, so that the prompt is cached for all; false. */
    readonly excludeDynamicSections?: boolean | undefined;
    /** Whether a session keeps the prompt that it began with; true. */
    readonly snapshot?: boolean | undefined;
    /** Only without `preset`. */
    readonly prompt?: undefined;
  }
  | {
    /** A prompt of one's own. */
    readonly prompt: SystemPromptText;
    /** Only without `prompt`. */
    readonly preset?: undefined;
    /** Whether a session keeps the prompt that it began with; true. */
    readonly snapshot?: boolean | undefined;
  };

/** Settings of single tools of the CLI. */
export interface ToolConfig {
  /** The tool that asks the user. */
  readonly askUserQuestion?: {
    /** Format of the previews of its answers; `"markdown"`. */
    readonly previewFormat?: "markdown" | "html" | undefined;
  } | undefined;
}

/** A question of an MCP server to the user, passed on by the CLI. */
export interface ElicitationRequest {
  /** The server that asks. */
  readonly serverName: string;
  /** The question. */
  readonly message: string;
  /** A form to fill, or a page to open. */
  readonly mode?: "form" | "url";
  /** The page. */
  readonly url?: string;
  /** Id of the elicitation. */
  readonly elicitationId?: string;
  /** JSON Schema of the form. */
  readonly requestedSchema?: JsonObject;
  /** The request as it came. */
  readonly raw: JsonObject;
}

/** The answer to an elicitation. */
export interface ElicitationResult {
  /** Decision of the user. */
  readonly action: "accept" | "decline" | "cancel";
  /** Content of the form; only with `"accept"`. */
  readonly content?: JsonInput | undefined;
}

/** A dialog that the CLI asks the program to show. */
export interface UserDialogRequest {
  /** Kind of the dialog. */
  readonly kind: string;
  /** Its content. */
  readonly payload: JsonObject;
  /** The tool call behind it. */
  readonly toolUseId?: string;
}

/** The answer to a dialog. */
export type UserDialogResult =
  | {
    /** The user went through it. */
    readonly behavior: "completed";
    /** Outcome of the dialog. */
    readonly result: JsonValue | JsonInput;
  }
  | {
    /** The user left it. */
    readonly behavior: "cancelled";
  };

/** Context of a callback. */
export interface CallbackContext {
  /** Aborted when the request is cancelled, times out, or the conversation ends. */
  readonly signal: AbortSignal;
}

/** Options with their defaults filled in: every key is there, and none is `undefined`. */
export type Complete<T> = {
  readonly [Key in keyof T]-?: Exclude<T[Key], undefined>;
};
