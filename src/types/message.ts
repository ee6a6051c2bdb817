import type { ContentBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { SystemMessage } from "../protocol/messages_system.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";

/** The `type` of a {@link Message}. */
export type MessageType = Message["type"];

/** The message or messages of one `type`. */
export type MessageOf<T extends MessageType> = Extract<
  Message,
  { readonly type: T }
>;

/** The `subtype` of a {@link SystemMessage}. */
export type SystemSubtype = SystemMessage["subtype"];

/** The system message of one `subtype`. */
export type SystemMessageOf<S extends SystemSubtype> = Extract<
  SystemMessage,
  { readonly subtype: S }
>;

/** The `subtype` of a {@link ResultMessage}. */
export type ResultSubtype = ResultMessage["subtype"];

/** The `type` of a {@link ContentBlock}. */
export type ContentBlockType = ContentBlock["type"];
