import type { ContentBlockInput } from "./content.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type {
  ActiveGoalMessage,
  AuthStatusMessage,
  CommandLifecycleMessage,
  ConversationResetMessage,
  PromptSuggestionMessage,
  RateLimitMessage,
  ToolProgressMessage,
  ToolUseSummaryMessage,
} from "./message_other.ts";
import type { SystemMessage } from "./message_system.ts";
import type {
  AssistantMessage,
  MessageOrigin,
  QueuePriority,
  ResultMessage,
  StreamEventMessage,
  UserMessage,
  UserMessageReplay,
} from "./message_turn.ts";

/**
 * A message of a kind this package does not know.
 *
 * The CLI adds kinds at any time: this is never an error.
 */
export interface UnknownMessage {
  /** Discriminates. */
  readonly type: "unknown";
  /** The `type` on the wire. */
  readonly originalType: string;
  /** The `subtype` on the wire, if it is a string. */
  readonly originalSubtype?: string;
  /** The message as it came. */
  readonly raw: JsonObject;
}

/**
 * One message of the CLI: the wire object itself, told apart by `type`, then `subtype`.
 *
 * Fields that this package does not know are kept at run time. Keep a `default` branch in a `switch`:
 * the CLI adds kinds, which come as {@link UnknownMessage}.
 *
 * Source: protocol reference, section Messages on stdout.
 */
export type Message =
  | AssistantMessage
  | UserMessage
  | UserMessageReplay
  | ResultMessage
  | StreamEventMessage
  | SystemMessage
  | ToolProgressMessage
  | ToolUseSummaryMessage
  | AuthStatusMessage
  | RateLimitMessage
  | PromptSuggestionMessage
  | ConversationResetMessage
  | ActiveGoalMessage
  | CommandLifecycleMessage
  | UnknownMessage;

/** The `type` of a {@link Message}. */
export type MessageType = Message["type"];

/** The message or messages of one `type`. */
export type MessageOf<T extends MessageType> = Extract<
  Message,
  { readonly type: T }
>;

/**
 * A prompt as the wire has it; only `type` and `message` are needed.
 *
 * Source: protocol reference, section The user line.
 */
export interface UserMessageInput {
  /** Discriminates. */
  readonly type: "user";
  /** The prompt itself; the CLI ends with exit code 1 for any other role. */
  readonly message: {
    /** Always the user. */
    readonly role: "user";
    /** Text or blocks. */
    readonly content: string | readonly ContentBlockInput[];
  };
  /** The tool call this belongs to; null for a prompt. */
  readonly parent_tool_use_id?: string | null | undefined;
  /** Session id; the CLI takes an empty one. */
  readonly session_id?: string | undefined;
  /** The host's id of this prompt: handle for `cancelQueued()` and `rewindFiles()`, comes back in `user_message_uuids`. */
  readonly uuid?: string | undefined;
  /** Place in the queue while a turn runs. */
  readonly priority?: QueuePriority | undefined;
  /** False adds to the conversation without starting a turn. */
  readonly shouldQuery?: boolean | undefined;
  /** Whether a program made this text for the model rather than a person. */
  readonly isSynthetic?: boolean | undefined;
  /** Who or what caused it. */
  readonly origin?: MessageOrigin | undefined;
  /** When it was written, ISO 8601. */
  readonly timestamp?: string | undefined;
  /** Structured result of the tool whose result this line carries. */
  readonly tool_use_result?: JsonValue | undefined;
  /** The subagent it belongs to. */
  readonly agent_id?: string | undefined;
  /** Kind of that subagent. */
  readonly subagent_type?: string | undefined;
  /** Task of that subagent. */
  readonly task_description?: string | undefined;
  /** The text is verbatim, composed by a program. */
  readonly client_composed?: true | undefined;
  /** Pasted blocks. */
  readonly pasted_content?: readonly ContentBlockInput[] | undefined;
  /** Pasted texts. */
  readonly inline_pastes?: readonly string[] | undefined;
}
