// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject, JsonValue } from "../types/json.ts";

/** Text. */
export interface TextBlock {
  /** Discriminator. */
  readonly type: "text";
  /** The text; may be empty. */
  readonly text: string;
  /** Sources of statements in the text, unchanged from the API. */
  readonly citations?: readonly JsonObject[] | null;
}

/** Text of the thinking. */
export interface ThinkingBlock {
  /** Discriminator. */
  readonly type: "thinking";
  /** The thinking; empty where it is not shown. */
  readonly thinking: string;
  /** Proof of origin, needed to send the block back. */
  readonly signature: string;
}

/** Thinking in encrypted form. */
export interface RedactedThinkingBlock {
  /** Discriminator. */
  readonly type: "redacted_thinking";
  /** The encrypted thinking. */
  readonly data: string;
}

/** A tool call. */
export interface ToolUseBlock {
  /** Discriminator. */
  readonly type: "tool_use";
  /** Id of the call; the `tool_use_id` of its result. */
  readonly id: string;
  /** Name of the tool; `mcp__server__tool` for one of an MCP server. */
  readonly name: string;
  /** Input of the tool; `{}` while a stream event opens the block. */
  readonly input: JsonObject;
}

/** Result of a tool call. */
export interface ToolResultBlock {
  /** Discriminator. */
  readonly type: "tool_result";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** The result; absent when the tool returned nothing. */
  readonly content?: string | readonly ContentBlock[];
  /** Whether the call failed or was denied; false when absent. */
  readonly is_error?: boolean;
}

/** Source of an image. */
export type ImageSource = {
  /** The image itself. */
  readonly type: "base64";
  /** Kind of image, such as `image/png`. */
  readonly media_type: string;
  /** The bytes in base64. */
  readonly data: string;
} | {
  /** An address. */
  readonly type: "url";
  /** Address of the image. */
  readonly url: string;
} | {
  /** A file the API already has. */
  readonly type: "file";
  /** Id of the file. */
  readonly file_id: string;
};

/** A picture. */
export interface ImageBlock {
  /** Discriminator. */
  readonly type: "image";
  /** Source of the image. */
  readonly source: ImageSource;
}

/** Source of a document. */
export type DocumentSource = {
  /** The document itself, or its plain text. */
  readonly type: "base64" | "text";
  /** Kind of document: `application/pdf` or `text/plain`. */
  readonly media_type: string;
  /** The bytes in base64, or the text. */
  readonly data: string;
} | {
  /** An address. */
  readonly type: "url";
  /** Address of the document. */
  readonly url: string;
} | {
  /** A file the API already has. */
  readonly type: "file";
  /** Id of the file. */
  readonly file_id: string;
} | {
  /** A document made of blocks. */
  readonly type: "content";
  /** Its content. */
  readonly content: string | readonly ContentBlock[];
};

/** A document, such as a PDF. */
export interface DocumentBlock {
  /** Discriminator. */
  readonly type: "document";
  /** Source of the document. */
  readonly source: DocumentSource;
  /** Its title. */
  readonly title?: string | null;
  /** Context for the model; not cited. */
  readonly context?: string | null;
  /** Whether the model may cite it, unchanged from the API. */
  readonly citations?: JsonObject | null;
}

/** A call of a tool that the API runs itself, such as web search. */
export interface ServerToolUseBlock {
  /** Discriminator. */
  readonly type: "server_tool_use";
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Input of the tool. */
  readonly input: JsonObject;
}

/** Result of a web search of the API. */
export interface WebSearchToolResultBlock {
  /** Discriminator. */
  readonly type: "web_search_tool_result";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** The hits, or an object that describes the error. */
  readonly content: JsonValue;
}

/** A call of an MCP tool that the API runs itself. */
export interface McpToolUseBlock {
  /** Discriminator. */
  readonly type: "mcp_tool_use";
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Name of the MCP server. */
  readonly server_name: string;
  /** Input of the tool. */
  readonly input: JsonObject;
}

/** Result of an MCP tool that the API ran. */
export interface McpToolResultBlock {
  /** Discriminator. */
  readonly type: "mcp_tool_result";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** The result. */
  readonly content?: string | readonly ContentBlock[];
  /** Whether the call failed; false when absent. */
  readonly is_error?: boolean;
}

/**
 * A block of a kind this package does not know, in its place in the content.
 *
 * The API adds kinds at any time: this is never an error.
 */
export interface UnknownBlock {
  /** Discriminator. */
  readonly type: "unknown";
  /** The `type` on the wire. */
  readonly originalType: string;
  /** The block as it came. */
  readonly raw: JsonObject;
}

/** One block of a message that came from the CLI. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | ServerToolUseBlock
  | WebSearchToolResultBlock
  | McpToolUseBlock
  | McpToolResultBlock
  | UnknownBlock;

/** Text that is sent. */
export interface TextBlockInput {
  /** Discriminator. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** A picture that is sent. */
export interface ImageBlockInput {
  /** Discriminator. */
  readonly type: "image";
  /** Source of the image. */
  readonly source: ImageSource;
}

/** A document that is sent. */
export interface DocumentBlockInput {
  /** Discriminator. */
  readonly type: "document";
  /** Source of the document. */
  readonly source: {
    /** The document itself, or its plain text. */
    readonly type: "base64" | "text";
    /** Kind of document: `application/pdf` or `text/plain`. */
    readonly media_type: string;
    /** The bytes in base64, or the text. */
    readonly data: string;
  } | {
    /** An address. */
    readonly type: "url";
    /** Address of the document. */
    readonly url: string;
  } | {
    /** A file the API already has. */
    readonly type: "file";
    /** Id of the file. */
    readonly file_id: string;
  } | {
    /** A document made of blocks. */
    readonly type: "content";
    /** Its content. */
    readonly content: string | readonly (TextBlockInput | ImageBlockInput)[];
  };
  /** Its title. */
  readonly title?: string | undefined;
  /** Context for the model; not cited. */
  readonly context?: string | undefined;
  /** Whether the model may cite it. */
  readonly citations?: {
    /** Citations on or off. */
    readonly enabled: boolean;
  } | undefined;
}

/** A result of a tool call that the host ran. */
export interface ToolResultBlockInput {
  /** Discriminator. */
  readonly type: "tool_result";
  /** Id of the call. */
  readonly tool_use_id: string;
  /** The result. */
  readonly content?:
    | string
    | readonly (TextBlockInput | ImageBlockInput | DocumentBlockInput)[]
    | undefined;
  /** Whether the call failed; false when absent. */
  readonly is_error?: boolean | undefined;
}

/** One block of a prompt. */
export type ContentBlockInput =
  | TextBlockInput
  | ImageBlockInput
  | DocumentBlockInput
  | ToolResultBlockInput;
